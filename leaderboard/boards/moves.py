"""Which teams move between two versions of a board, and who moved when one took over."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from leaderboard.boards.models import Standing, Switch
from leaderboard.boards.text import decimals, signed
from leaderboard.boards.visit import Visit
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from scoring.ranking import ranks


@dataclass(frozen=True)
class Move:
    """One team under both versions; None where it has no score. Baselines have no rank."""

    team_id: UUID
    team_name: str
    rank_before: int | None
    rank_after: int | None
    total_before: str | None
    total_after: str | None
    difference: str | None
    stood: Submission | None
    stands: Submission | None

    @property
    def moves(self) -> bool:
        return self.rank_before != self.rank_after

    @property
    def changes(self) -> bool:
        return self.total_before != self.total_after

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


def against(version: ScoringVersion, visit: Visit) -> Against | None:
    """What it replaced, if it was made live in another's place; the live one while that is open.

    None for non-editors, and before anything is live.
    """
    if visit.version is None or not visit.edits:
        return None
    if version.state in (ScoringVersion.State.LIVE, ScoringVersion.State.RETIRED):
        last = Switch.objects.filter(scoring_version=version).select_related("replaced").first()
        if last is not None:
            return Against(last.replaced, last.at)
    return Against(visit.version)


def moves_against(other: Against, version: ScoringVersion, board: str) -> tuple[Move, ...]:
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


class _Pair(NamedTuple):
    team: UUID
    before: _Placed | None
    after: _Placed | None


def _pairs(live: ScoringVersion, version: ScoringVersion, board: str) -> Iterator[_Pair]:
    before, after = _ranked(live, board), _ranked(version, board)
    for team in [*after, *(team for team in before if team not in after)]:
        yield _Pair(team, before.get(team), after.get(team))


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


def _moves(version: ScoringVersion, pairs: list[_Pair]) -> Iterator[Move]:
    """The pairs with today's names. A team that handed in something is never gone."""
    teams = Team.objects.filter(competition=version.competition_id).in_bulk()
    sides = [side for _, *both in pairs for side in both if side]
    submissions = Submission.objects.in_bulk([side.submission for side in sides])
    for team_id, before, after in pairs:
        if (team := teams.get(team_id)) is None:
            continue
        difference = None
        if before is not None and after is not None:
            difference = signed(after.printed - before.printed)
        yield Move(
            team_id=team.pk,
            team_name=team.name,
            rank_before=before.rank if before else None,
            rank_after=after.rank if after else None,
            total_before=decimals(before.printed) if before else None,
            total_after=decimals(after.printed) if after else None,
            difference=difference,
            stood=submissions[before.submission] if before else None,
            stands=submissions[after.submission] if after else None,
        )


def _written(pair: _Pair) -> list[Any]:
    """A pair as `Switch.moves` has it: the team, then rank, total and submission of both sides."""
    sides = (
        [one.rank, one.printed, str(one.submission)] if one else None
        for one in (pair.before, pair.after)
    )
    return [str(pair.team), *sides]


def _kept(version: ScoringVersion, board: str, at: datetime) -> Iterator[_Pair]:
    """What `_written` wrote."""
    kept = Switch.objects.get(scoring_version=version, board=board, at=at).moves
    for team, *both in kept:
        before, after = (_Placed(one[0], one[1], UUID(one[2])) if one else None for one in both)
        yield _Pair(UUID(team), before, after)
