"""Which teams move between two versions of a board, and who moved when one took over."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
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
        return tuple(_kept(version, board, other.switched_at))
    return tuple(_move(*pair) for pair in _pairs(other.version, version, board))


def keep_moves(*, version: ScoringVersion, live: ScoringVersion, at: datetime) -> None:
    """Write down who moves as `version` takes the place of `live`, on both boards."""
    for board in Standing.Board.values:
        moves = [_written(*pair) for pair in _pairs(live, version, board)]
        Switch.objects.create(
            scoring_version=version, replaced=live, board=board, at=at, moves=moves
        )


def was_switched(versions: list[ScoringVersion]) -> set[UUID]:
    """Those of these versions that were made live in another's place."""
    rows = Switch.objects.filter(scoring_version__in=versions)
    return set(rows.values_list("scoring_version", flat=True))


@dataclass(frozen=True)
class _Placed:
    rank: int | None
    printed: int
    submission: Submission
    team: Team


Pair = tuple[_Placed | None, _Placed | None]


def _pairs(live: ScoringVersion, version: ScoringVersion, board: str) -> Iterator[Pair]:
    before, after = _ranked(live, board), _ranked(version, board)
    for team_id in [*after, *(team_id for team_id in before if team_id not in after)]:
        yield before.get(team_id), after.get(team_id)


def _ranked(version: ScoringVersion, board: str) -> dict[UUID, _Placed]:
    rows = list(
        Standing.objects.filter(scoring_version=version, board=board)
        .order_by("-printed", "received_at", "team_id")
        .select_related("team", "submission")
    )
    places = iter(ranks([row.printed for row in rows if row.ranked]))
    return {
        row.team_id: _Placed(
            next(places) if row.ranked else None, row.printed, row.submission, row.team
        )
        for row in rows
    }


def _move(before: _Placed | None, after: _Placed | None) -> Move:
    known = after or before
    assert known is not None
    difference = None
    if before is not None and after is not None:
        difference = signed(after.printed - before.printed)
    return Move(
        team_id=known.team.pk,
        team_name=known.team.name,
        rank_before=before.rank if before else None,
        rank_after=after.rank if after else None,
        total_before=decimals(before.printed) if before else None,
        total_after=decimals(after.printed) if after else None,
        difference=difference,
        stood=before.submission if before else None,
        stands=after.submission if after else None,
    )


def _written(before: _Placed | None, after: _Placed | None) -> list[Any]:
    """A pair as `Switch.moves` has it: the team, then rank, total and submission of both sides."""
    known = after or before
    assert known is not None
    sides = (
        [one.rank, one.printed, str(one.submission.pk)] if one else None for one in (before, after)
    )
    return [str(known.team.pk), *sides]


def _kept(version: ScoringVersion, board: str, at: datetime) -> Iterator[Move]:
    """What `_written` wrote, under today's names. A team that handed in something is never gone."""
    kept = Switch.objects.get(scoring_version=version, board=board, at=at).moves
    teams = {str(team.pk): team for team in Team.objects.filter(competition=version.competition_id)}
    sides = [side for _, *both in kept for side in both if side]
    submissions = Submission.objects.in_bulk([UUID(side[2]) for side in sides])

    def placed(team: Team, side: list[Any] | None) -> _Placed | None:
        return _Placed(side[0], side[1], submissions[UUID(side[2])], team) if side else None

    for team_id, before, after in kept:
        if (team := teams.get(team_id)) is not None:
            yield _move(placed(team, before), placed(team, after))
