"""The totals of a board, from which its ranks are counted: the same for all who may see it."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.db.models import Q

from leaderboard.boards.changes import Marks
from leaderboard.boards.gathered import Gathered
from leaderboard.boards.rows import standings_of
from leaderboard.references.models import ScoringVersion

# Boards of which each process keeps the totals; one of 10,000 teams takes half a megabyte.
MOST_KEPT = 24


@dataclass(frozen=True)
class Ladder:
    """The printed totals of all ranked rows; a rank is one more than the number of better ones."""

    ascending: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.ascending)

    def rank(self, total: int) -> int:
        """1, 2, 2, 4."""
        return len(self.ascending) - bisect_right(self.ascending, total) + 1

    def sharing(self, total: int) -> int:
        """How many rows have exactly this total."""
        return bisect_right(self.ascending, total) - bisect_left(self.ascending, total)

    def having(self, total: int) -> "Ladder":
        """With one more row of this total."""
        return Ladder(tuple(sorted([*self.ascending, total])))

    def without(self, total: int) -> "Ladder":
        """Without one row that had this total; as it is where none has it any more."""
        return Ladder(_less(self.ascending, total))

    def next_above(self, total: int) -> int | None:
        """The nearest better total, or None at the top."""
        place = bisect_right(self.ascending, total)
        return self.ascending[place] if place < len(self.ascending) else None


@dataclass(frozen=True)
class Totals:
    """The printed totals of all rows of a board, and of those that have a rank; both ascending."""

    all: tuple[int, ...]
    ranked: tuple[int, ...]

    def without(self, total: int, ranked: bool) -> "Totals":
        """Without one row that had this total; as they are where none has it any more."""
        return Totals(_less(self.all, total), _less(self.ranked, total) if ranked else self.ranked)


def totals(version: ScoringVersion, board: str, instant: datetime | None, marks: Marks) -> Totals:
    """Of a board, now or at an instant, at least as new as its marks: read once for these."""
    if marks is None:
        return _read(version, board, instant)
    return _kept(version, board, instant, marks)


@lru_cache(maxsize=MOST_KEPT)
def _kept(version: ScoringVersion, board: str, instant: datetime | None, _marks: Marks) -> Totals:
    return _read(version, board, instant)


def _read(version: ScoringVersion, board: str, instant: datetime | None) -> Totals:
    """One query, answered from the index of the board's order alone, whatever the rows."""
    found = (
        standings_of(version, board, instant)
        .order_by()
        .aggregate(
            with_rank=Gathered("printed", filter=Q(ranked=True)),
            without=Gathered("printed", filter=Q(ranked=False)),
        )
    )
    ranked = tuple(sorted(found["with_rank"] or ()))
    others = found["without"] or ()
    return Totals(tuple(sorted([*ranked, *others])) if others else ranked, ranked)


def _less(ascending: tuple[int, ...], total: int) -> tuple[int, ...]:
    place = bisect_left(ascending, total)
    if ascending[place : place + 1] != (total,):
        return ascending
    return ascending[:place] + ascending[place + 1 :]
