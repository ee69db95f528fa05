"""The totals of a board, from which its ranks are counted."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from django.db.models import Q

from leaderboard.boards.gathered import Gathered
from leaderboard.boards.rows import Rows


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

    def next_above(self, total: int) -> int | None:
        """The nearest better total, or None at the top."""
        place = bisect_right(self.ascending, total)
        return self.ascending[place] if place < len(self.ascending) else None


def totals_of(rows: Rows) -> tuple[list[int], list[int]]:
    """Of all rows, and of those that have a rank, ascending.

    One query, answered from the index of the board's order alone, whatever the number of rows.
    """
    found = rows.order_by().aggregate(
        with_rank=Gathered("printed", filter=Q(ranked=True)),
        without=Gathered("printed", filter=Q(ranked=False)),
    )
    ranked = sorted(found["with_rank"] or ())
    others = found["without"] or ()
    return (sorted([*ranked, *others]) if others else ranked), ranked
