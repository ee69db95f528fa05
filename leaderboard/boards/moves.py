"""Which teams move between two versions of a board, and how far."""

from dataclasses import dataclass
from uuid import UUID

from leaderboard.boards.models import Standing
from leaderboard.boards.text import decimals, signed
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
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


def moves_between(live: ScoringVersion, version: ScoringVersion, board: str) -> tuple[Move, ...]:
    """Every team of either board, in the order that the version's would have."""
    before, after = _ranked(live, board), _ranked(version, board)
    ids = [*after, *(team_id for team_id in before if team_id not in after)]
    return tuple(_move(before.get(team_id), after.get(team_id)) for team_id in ids)


@dataclass(frozen=True)
class _Placed:
    rank: int | None
    standing: Standing


def _ranked(version: ScoringVersion, board: str) -> dict[UUID, _Placed]:
    rows = list(
        Standing.objects.filter(scoring_version=version, board=board)
        .order_by("-printed", "received_at", "team_id")
        .select_related("team", "submission")
    )
    places = iter(ranks([row.printed for row in rows if row.ranked]))
    return {row.team_id: _Placed(next(places) if row.ranked else None, row) for row in rows}


def _move(before: _Placed | None, after: _Placed | None) -> Move:
    known = after or before
    assert known is not None
    difference = None
    if before is not None and after is not None:
        difference = signed(after.standing.printed - before.standing.printed)
    return Move(
        team_id=known.standing.team_id,
        team_name=known.standing.team.name,
        rank_before=before.rank if before else None,
        rank_after=after.rank if after else None,
        total_before=decimals(before.standing.printed) if before else None,
        total_after=decimals(after.standing.printed) if after else None,
        difference=difference,
        stood=before.standing.submission if before else None,
        stands=after.standing.submission if after else None,
    )
