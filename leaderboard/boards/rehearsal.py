"""What making a version live would change, or changed: which teams move on a board, and because of
which rows. A total is linear in its rows, so the shares of all rows add up to its difference.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np

from leaderboard.boards.columns import SCALE, PrintedChange, change, signed
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Standing, Switch
from leaderboard.boards.visibility import Viewer, may_see
from leaderboard.evaluation.queries import row_values, rows_in_order
from leaderboard.references.changes import Changes, changes
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from scoring.pipeline import row_totals
from scoring.ranking import ranks

Board = Standing.Board
State = ScoringVersion.State
NAMED_ROWS = 3  # of a team, beside its difference
SAME = 1e-9  # far below what is printed, far above the noise of adding up


class Against(NamedTuple):
    """What a version is compared with: the live one, or the one that it replaced at an instant."""

    version: ScoringVersion
    switched_at: datetime | None = None


def against(version: ScoringVersion, viewer: Viewer) -> Against | None:
    """What it replaced, if it was made live in another's place; the live one while that is open.

    None for non-editors, and before anything is live.
    """
    if viewer.version is None or not viewer.edits:
        return None
    if version.state in (State.LIVE, State.RETIRED):
        last = Switch.objects.filter(scoring_version=version).select_related("replaced").first()
        if last is not None:
            return Against(last.replaced, last.at)
    return Against(viewer.version)


# Team, and before and after: rank (None for a baseline), printed total and submission, or None. As
# `Switch.moves` keeps it. Ids alone: a switch writes those of a hundred thousand teams at once.
Pair = list[Any]


def _pairs(live: ScoringVersion, version: ScoringVersion, board: str) -> Iterator[Pair]:
    """Every team of either board, in the order of the version's."""
    sides = []
    for one in (live, version):
        rows = list(
            standings_of(one, board, None).values_list("team", "ranked", "printed", "submission")
        )
        places = iter(ranks([printed for _, ranked, printed, _ in rows if ranked]))
        sides.append(
            {
                str(team): [next(places) if ranked else None, printed, str(submission)]
                for team, ranked, printed, submission in rows
            }
        )
    before, after = sides
    for team in {**after, **before}:
        yield [team, before.get(team), after.get(team)]


def keep_moves(*, version: ScoringVersion, live: ScoringVersion, at: datetime) -> None:
    """Write down who moves as `version` takes the place of `live`, on both boards."""
    for board in Board.values:
        moves = list(_pairs(live, version, board))
        Switch.objects.update_or_create(  # the newer, should clocks of two machines say one moment
            scoring_version=version, board=board, at=at, defaults={"replaced": live, "moves": moves}
        )


@dataclass(frozen=True)
class TeamMove:
    """One team under both versions; None where it has no score. Baselines have no rank.

    `printed`: its totals as integers.
    """

    team_id: UUID
    team_name: str
    rank_before: int | None
    rank_after: int | None
    printed: tuple[int | None, int | None]
    stood: Submission | None
    stands: Submission | None

    @property
    def totals(self) -> PrintedChange:
        return change(*self.printed)

    @property
    def moves(self) -> bool:
        return self.rank_before != self.rank_after

    @property
    def changes(self) -> bool:
        return self.printed[0] != self.printed[1]

    @property
    def other_submission(self) -> bool:
        """Whether another submission stands for the team."""
        return None not in (self.stood, self.stands) and self.stood != self.stands

    @property
    def shown(self) -> Submission:
        """The submission whose rows explain the difference."""
        found = self.stands or self.stood
        assert found is not None
        return found


def _moves(version: ScoringVersion, pairs: Iterable[Pair]) -> Iterator[TeamMove]:
    """The pairs with today's names. A team that handed in something is never gone."""
    pairs = list(pairs)
    teams = Team.objects.filter(competition=version.competition_id).in_bulk()
    keys = {UUID(side[2]) for _, *sides in pairs for side in sides if side}
    submissions = Submission.objects.in_bulk(keys)
    for team_id, *sides in pairs:
        if (team := teams.get(UUID(team_id))) is None:
            continue
        (rank_before, before, stood), (rank_after, after, stands) = (
            (side[0], side[1], submissions[UUID(side[2])]) if side else (None, None, None)
            for side in sides
        )
        yield TeamMove(
            team_id=team.pk,
            team_name=team.name,
            rank_before=rank_before,
            rank_after=rank_after,
            printed=(before, after),
            stood=stood,
            stands=stands,
        )


class RowShare(NamedTuple):
    """A row, and what its change does to the total."""

    example_id: str
    share: str


class Cause(NamedTuple):
    """The rows with the largest shares; `rest` is what is left of the whole difference."""

    rows: tuple[RowShare, ...]
    changed: int
    rest: str | None

    @property
    def others(self) -> int:
        """How many changed rows are not listed."""
        return self.changed - len(self.rows)


def causes(
    live: ScoringVersion,
    version: ScoringVersion,
    board: str,
    submissions: Collection[UUID],
    at_most: int,
) -> dict[UUID, Cause]:
    """Why their totals on a board differ; submissions without both evaluations are left out."""
    versions = (live, version)
    values = row_values(submissions, (live.pk, version.pk))
    rows = [rows_in_order(one.reference_set_id) for one in versions if values]
    found = {}
    for submission_id in submissions:
        if all((submission_id, one.pk) in values for one in versions):
            old, new = (
                {
                    example_id: total
                    for (example_id, split), total in zip(
                        names, row_totals(values[submission_id, one.pk], one.profile()), strict=True
                    )
                    if split == board
                }
                for one, names in zip(versions, rows, strict=True)
            )
            found[submission_id] = _cause(old, new, at_most)
    return found


def _cause(old: dict[str, float], new: dict[str, float], at_most: int) -> Cause:
    """`old` and `new`: the total of each row of the board."""
    ids = list(dict.fromkeys((*new, *old)))
    before, after = (np.array([side.get(one, np.nan) for one in ids]) for side in (old, new))
    shares = np.nan_to_num(after) / max(len(new), 1) - np.nan_to_num(before) / max(len(old), 1)
    differs = ~np.isclose(before, after, rtol=0, atol=SAME)
    order = [place for place in np.argsort(-np.abs(shares), kind="stable") if differs[place]]
    listed = order[:at_most]
    # Where the number of rows changed, each row weighs a little more or less: that is here too.
    rest = float(shares.sum() - shares[listed].sum())
    named = (RowShare(ids[place], signed(round(shares[place] * SCALE))) for place in listed)
    is_more = len(order) > len(listed) or abs(rest) > SAME
    return Cause(tuple(named), len(order), signed(round(rest * SCALE)) if is_more else None)


@dataclass(frozen=True)
class BoardPreview:
    """The effect of a version on one board, and its cause."""

    board: str
    version: ScoringVersion
    against: Against
    moves: tuple[TeamMove, ...]
    changes: Changes

    @property
    def moving(self) -> int:
        return sum(move.moves for move in self.moves)

    @property
    def ranked(self) -> int:
        """How many teams have a rank on either board. Baselines have none."""
        return sum((move.rank_before, move.rank_after) != (None, None) for move in self.moves)

    def causes_of(self, moves: list[TeamMove]) -> dict[UUID, Cause]:
        """The rows behind these teams' differences, by team. Asked for the shown ones only."""
        shown = [move.shown.pk for move in moves]
        found = causes(self.against.version, self.version, self.board, shown, NAMED_ROWS)
        return {move.team_id: found[move.shown.pk] for move in moves if move.shown.pk in found}


def preview(version: ScoringVersion, board: str, viewer: Viewer) -> BoardPreview | None:
    """The live board beside this version's, in the order it would have. None for non-editors.

    Of a version that was made live: that board and the one before, as they were then.
    """
    other = against(version, viewer)
    if other is None or not may_see(viewer, board):
        return None
    live = other.version
    pairs: Iterable[Pair] = _pairs(live, version, board)
    if other.switched_at is not None:
        kept = Switch.objects.filter(scoring_version=version, board=board, at=other.switched_at)
        pairs = kept.get().moves
    return BoardPreview(
        board=board,
        version=version,
        against=other,
        moves=tuple(_moves(version, pairs)),
        changes=changes(live.reference_set_id, version.reference_set_id),
    )
