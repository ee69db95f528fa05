"""What the difference of two of a team's own files is worth, as far as its team may know it.

Before the reveal only whether it exceeds the noise that the board prints for all: an interval of
each pair of files would be an equation about the hidden split. After it, row by row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import ClassVar

from leaderboard.boards.columns import signed, thousandths
from leaderboard.boards.models import Placement
from leaderboard.boards.visibility import Viewer, board_view, may_see
from leaderboard.evaluation.queries import row_values, rows_in_order
from leaderboard.insight.rank_range import bands_seen
from leaderboard.submissions.models import Submission
from scoring.comparison import row_totals
from scoring.ranking import printed
from scoring.statistics.method import FEWEST_ROWS, seed_of
from scoring.statistics.pairs import FEWEST_DIFFERING, Difference, pair_signature, paired


@dataclass(frozen=True)
class Noise:
    """Of a board: `threshold` as it is printed there. `exceeded`: by this difference."""

    threshold: Decimal
    exceeded: bool


def noise(gap: int | None, board: str, viewer: Viewer) -> Noise | None:
    """For a difference of printed totals (× 10⁴) on a board that the viewer may see.

    None where the board has no bands, or one of the files no total.
    """
    view = board_view(viewer, board)
    found = bands_seen(viewer, view) if view is not None else None
    if gap is None or found is None or found.threshold is None:
        return None
    return Noise(thousandths(found.threshold), abs(gap) > found.threshold)


@dataclass(frozen=True)
class RowByRow:
    """The second minus the first over the rows of a board, and how that was made."""

    difference: Difference
    signature: str

    @property
    def ends(self) -> tuple[str, str] | None:
        """Of the interval, as printed; None with fewer than six rows that differ."""
        low, high = self.difference.low, self.difference.high
        return (
            None if low is None or high is None else (signed(printed(low)), signed(printed(high)))
        )

    @property
    def percent(self) -> str | None:
        """How many of a hundred pairs of equal files differ as much."""
        p = self.difference.p
        if p is None:
            return None
        found = Decimal(100 * p).quantize(Decimal("0.1"))
        return f"{found} %" if found else "< 0.1 %"  # of 10,000 flips; none at all cannot be known


@dataclass(frozen=True)
class Rows:
    """The difference on each board."""

    boards: Mapping[str, RowByRow]
    fewest: ClassVar[int] = FEWEST_ROWS
    fewest_differing: ClassVar[int] = FEWEST_DIFFERING

    @property
    def signatures(self) -> tuple[str, ...]:
        """How the differences were made; boards of as many rows share one."""
        return tuple(dict.fromkeys(one.signature for one in self.boards.values()))


def row_by_row(before: Submission, after: Submission, viewer: Viewer) -> Rows | None:
    """None before the reveal, but for who runs the contest, and until both are scored."""
    version = viewer.version
    if version is None or not may_see(viewer, Placement.Board.PRIVATE):
        return None
    values = row_values([before.pk, after.pk], [version.pk])
    sides = [values.get((one.pk, version.pk)) for one in (before, after)]
    if any(side is None for side in sides):
        return None
    first, second = (
        row_totals(side, version.profile()).tolist() for side in sides if side is not None
    )
    rows = rows_in_order(version.reference_set_id)
    seed = seed_of(version.reference_set.sha256)
    boards = {}
    for board in Placement.Board.values:
        places = [place for place, (_, split) in enumerate(rows) if split == board]
        one, other = ({place: side[place] for place in places} for side in (first, second))
        boards[board] = RowByRow(paired(other, one, seed=seed), pair_signature(seed, len(places)))
    return Rows(MappingProxyType(boards))
