"""What making a version live would change: who moves, from where to where, on which board."""

from dataclasses import dataclass
from uuid import UUID

from leaderboard.boards.listing import Row, standings_of
from leaderboard.boards.models import Placement
from leaderboard.boards.text import decimals, signed
from leaderboard.boards.visibility import may_see
from leaderboard.boards.visit import Visit
from leaderboard.references.models import Example, ScoringVersion
from scoring.ranking import ranks

Board = Placement.Board


@dataclass(frozen=True)
class Move:
    """One team under both versions; None where it has no score."""

    team_id: UUID
    team_name: str
    rank_before: int | None
    rank_after: int | None
    total_before: str | None
    total_after: str | None
    difference: str | None

    @property
    def moves(self) -> bool:
        return self.rank_before != self.rank_after

    @property
    def changes(self) -> bool:
        return self.total_before != self.total_after


@dataclass(frozen=True)
class ChangedExample:
    """A row whose golds differ between the two sets. The texts stay on the golds' own page."""

    example_id: str
    split: str


@dataclass(frozen=True)
class Preview:
    """The effect of a rehearsing version on one board, and its cause."""

    board: str
    moves: tuple[Move, ...]
    changed_examples: tuple[ChangedExample, ...]
    profile_changed: bool

    @property
    def moving(self) -> int:
        return sum(move.moves for move in self.moves)


def preview(version: ScoringVersion, board: str, visit: Visit) -> Preview | None:
    """The live board beside this version's, in the order it would have. None for non-editors."""
    live = visit.version
    if live is None or not visit.edits or not may_see(visit, board):
        return None
    before, after = _ranked(live, board), _ranked(version, board)
    ids = [*after, *(team_id for team_id in before if team_id not in after)]
    return Preview(
        board=board,
        moves=tuple(_move(team_id, before.get(team_id), after.get(team_id)) for team_id in ids),
        changed_examples=changed_examples(live, version),
        profile_changed=live.profile() != version.profile(),
    )


@dataclass(frozen=True)
class _Placed:
    rank: int | None
    standing: Row


def _ranked(version: ScoringVersion, board: str) -> dict[UUID, _Placed]:
    rows: list[Row] = list(standings_of(version, board, None).select_related("team"))
    places = iter(ranks([row.printed for row in rows if row.ranked]))
    return {row.team_id: _Placed(next(places) if row.ranked else None, row) for row in rows}


def _move(team_id: UUID, before: _Placed | None, after: _Placed | None) -> Move:
    known = after or before
    assert known is not None
    difference = None
    if before is not None and after is not None:
        difference = signed(after.standing.printed - before.standing.printed)
    return Move(
        team_id=team_id,
        team_name=known.standing.team.name,
        rank_before=before.rank if before else None,
        rank_after=after.rank if after else None,
        total_before=decimals(before.standing.printed) if before else None,
        total_after=decimals(after.standing.printed) if after else None,
        difference=difference,
    )


def changed_examples(live: ScoringVersion, version: ScoringVersion) -> tuple[ChangedExample, ...]:
    """The rows whose golds differ, order of golds aside."""

    def texts(reference_set_id: UUID) -> dict[str, tuple[str, list[str]]]:
        rows = Example.objects.filter(reference_set=reference_set_id)
        return {
            example_id: (split, sorted(references))
            for example_id, split, references in rows.values_list(
                "example_id", "split", "references"
            )
        }

    old, new = texts(live.reference_set_id), texts(version.reference_set_id)
    return tuple(
        ChangedExample(example_id, split)
        for example_id, (split, golds) in new.items()
        if old.get(example_id, ("", []))[1] != golds
    )
