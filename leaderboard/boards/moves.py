"""Which teams move between two versions of a board, who moved when one took over, and which rows
make the difference: a total is linear in its rows, so the shares of all rows add up to it.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np

from leaderboard.boards.columns import SCALE, PrintedChange, change, decimals, signed
from leaderboard.boards.models import Standing, Switch
from leaderboard.boards.visibility import Viewer
from leaderboard.evaluation.queries import Values, row_values, rows_in_order
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from scoring.ranking import ranks


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
    def steps(self) -> int:
        """How many ranks it climbs; below zero if it falls."""
        if self.rank_before is None or self.rank_after is None:
            return 0
        return self.rank_before - self.rank_after

    @property
    def distance(self) -> int:
        """How many ranks it moves, up or down."""
        return abs(self.steps)

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


@dataclass(frozen=True)
class Against:
    """What a version is compared with: the live one, or the one that it replaced at an instant."""

    version: ScoringVersion
    switched_at: datetime | None = None


def against(version: ScoringVersion, viewer: Viewer) -> Against | None:
    """What it replaced, if it was made live in another's place; the live one while that is open.

    None for non-editors, and before anything is live.
    """
    if viewer.version is None or not viewer.edits:
        return None
    if version.state in (ScoringVersion.State.LIVE, ScoringVersion.State.RETIRED):
        last = Switch.objects.filter(scoring_version=version).select_related("replaced").first()
        if last is not None:
            return Against(last.replaced, last.at)
    return Against(viewer.version)


def moves_against(other: Against, version: ScoringVersion, board: str) -> tuple[TeamMove, ...]:
    """Every team of either board, in the order of the version's; as it was, after a switch."""
    if other.switched_at is not None:
        return tuple(_moves(version, list(_kept(version, board, other.switched_at))))
    return tuple(_moves(version, list(_pairs(other.version, version, board))))


def keep_moves(*, version: ScoringVersion, live: ScoringVersion, at: datetime) -> None:
    """Write down who moves as `version` takes the place of `live`, on both boards."""
    for board in Standing.Board.values:
        moves = [_written(pair) for pair in _pairs(live, version, board)]
        Switch.objects.update_or_create(  # the newer, should clocks of two machines say one moment
            scoring_version=version, board=board, at=at, defaults={"replaced": live, "moves": moves}
        )


def was_switched(versions: list[ScoringVersion]) -> set[UUID]:
    """Those of these versions that were made live in another's place."""
    rows = Switch.objects.filter(scoring_version__in=versions)
    return set(rows.values_list("scoring_version", flat=True))


class _Placed(NamedTuple):
    """Ids alone: a switch writes those of every team at once, a hundred thousand if need be."""

    rank: int | None
    printed: int
    submission: UUID


class _BothPlaces(NamedTuple):
    team: UUID
    before: _Placed | None
    after: _Placed | None


def _pairs(live: ScoringVersion, version: ScoringVersion, board: str) -> Iterator[_BothPlaces]:
    before, after = _ranked(live, board), _ranked(version, board)
    for team in [*after, *(team for team in before if team not in after)]:
        yield _BothPlaces(team, before.get(team), after.get(team))


def _ranked(version: ScoringVersion, board: str) -> dict[UUID, _Placed]:
    rows = (
        Standing.objects.filter(scoring_version=version, board=board)
        .order_by("-printed", "received_at", "team_id")
        .values_list("team_id", "printed", "submission_id", "ranked")
    )
    places = iter(ranks([printed for _, printed, _, ranked in rows if ranked]))
    return {
        team: _Placed(next(places) if ranked else None, printed, submission)
        for team, printed, submission, ranked in rows
    }


def _moves(version: ScoringVersion, pairs: list[_BothPlaces]) -> Iterator[TeamMove]:
    """The pairs with today's names. A team that handed in something is never gone."""
    teams = Team.objects.filter(competition=version.competition_id).in_bulk()
    sides = [side for _, *both in pairs for side in both if side]
    submissions = Submission.objects.in_bulk([side.submission for side in sides])
    for team_id, before, after in pairs:
        if (team := teams.get(team_id)) is None:
            continue
        yield TeamMove(
            team_id=team.pk,
            team_name=team.name,
            rank_before=before.rank if before else None,
            rank_after=after.rank if after else None,
            printed=(before and before.printed, after and after.printed),
            stood=submissions[before.submission] if before else None,
            stands=submissions[after.submission] if after else None,
        )


def _written(pair: _BothPlaces) -> list[Any]:
    """A pair as `Switch.moves` has it: the team, then rank, total and submission of both sides."""
    sides = (
        [one.rank, one.printed, str(one.submission)] if one else None
        for one in (pair.before, pair.after)
    )
    return [str(pair.team), *sides]


def _kept(version: ScoringVersion, board: str, at: datetime) -> Iterator[_BothPlaces]:
    """What `_written` wrote."""
    kept = Switch.objects.get(scoring_version=version, board=board, at=at).moves
    for team, *both in kept:
        before, after = (_Placed(one[0], one[1], UUID(one[2])) if one else None for one in both)
        yield _BothPlaces(UUID(team), before, after)


SAME = 1e-9  # far below what is printed, far above the noise of adding up


@dataclass(frozen=True)
class RowShare:
    """One row's value under both versions, and what its change does to the total."""

    example_id: str
    split: str
    before: str | None
    after: str | None
    share: str


@dataclass(frozen=True)
class Cause:
    """The rows with the largest shares; `rest` is what is left of the whole difference."""

    rows: tuple[RowShare, ...]
    changed: int
    rest: str | None

    @property
    def others(self) -> int:
        """How many changed rows are not listed."""
        return self.changed - len(self.rows)


class Causes:
    """Compares submissions' rows of one board under two versions."""

    def __init__(self, live: ScoringVersion, version: ScoringVersion, board: str) -> None:
        self._live, self._version, self._board = live, version, board

    @cached_property
    def _sides(self) -> tuple["_Side", "_Side"]:
        return _Side(self._live, self._board), _Side(self._version, self._board)

    def of(self, submissions: Collection[UUID], at_most: int) -> dict[UUID, Cause]:
        """The causes for these submissions; those without both evaluations are left out."""
        values = row_values(submissions, (self._live.pk, self._version.pk))
        found = {}
        for submission_id in submissions:
            before = values.get((submission_id, self._live.pk))
            after = values.get((submission_id, self._version.pk))
            if before is not None and after is not None:
                found[submission_id] = self._cause(before, after, at_most)
        return found

    def _cause(self, before: Values, after: Values, at_most: int) -> Cause:
        old, new = self._sides
        ids = list(dict.fromkeys((*new.place, *old.place)))
        values_before, values_after = old.values(before, ids), new.values(after, ids)
        shares = np.nan_to_num(values_after) / new.rows - np.nan_to_num(values_before) / old.rows
        differs = ~np.isclose(values_before, values_after, rtol=0, atol=SAME)
        order = [place for place in np.argsort(-np.abs(shares), kind="stable") if differs[place]]
        listed = order[:at_most]
        # Where the number of rows changed, each row weighs a little more or less: that is here too.
        rest = float(shares.sum() - shares[listed].sum())
        return Cause(
            rows=tuple(
                RowShare(
                    example_id=ids[place],
                    split=new.splits.get(ids[place]) or old.splits.get(ids[place], ""),
                    before=_text(values_before[place]),
                    after=_text(values_after[place]),
                    share=signed(round(shares[place] * SCALE)),
                )
                for place in listed
            ),
            changed=len(order),
            rest=signed(round(rest * SCALE))
            if len(order) > len(listed) or abs(rest) > SAME
            else None,
        )


class _Side:
    """One version's rows of a board."""

    def __init__(self, version: ScoringVersion, board: str) -> None:
        rows = rows_in_order(version.reference_set_id)
        self.place = {
            example_id: place for place, (example_id, split) in enumerate(rows) if split == board
        }
        self.splits = dict(rows)
        self.rows = max(len(self.place), 1)
        profile = version.profile()
        self._counting = len(profile.counting)
        parts = 1 if profile.metric_aggregation == "sum" else self._counting
        self._scale = profile.scale / parts

    def values(self, metrics: Values, ids: list[str]) -> Values:
        """Each id's value as it enters the total; not a number where there is no such row."""
        totals = np.append(metrics[:, : self._counting].sum(axis=1) * self._scale, np.nan)
        places = [self.place.get(example_id, len(totals) - 1) for example_id in ids]
        chosen: Values = totals[places]
        return chosen


def _text(value: float) -> str | None:
    return None if np.isnan(value) else decimals(round(value * SCALE))
