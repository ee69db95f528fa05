"""How the totals and the metrics of a board are spread, with the viewer's own among them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median_low

from leaderboard.boards.columns import metric_columns
from leaderboard.boards.listing import Listing, listing
from leaderboard.boards.ranks import rank_in
from leaderboard.boards.text import SCALE, decimals
from leaderboard.boards.visibility import Viewer, may_see
from leaderboard.competitions.models import Competition

BINS = 20


@dataclass(frozen=True)
class Bin:
    """Teams whose total lies in [low, high); the last bin holds its upper edge too."""

    low: float
    high: float
    teams: int
    has_own: bool


@dataclass(frozen=True)
class Histogram:
    """The totals of all teams of a board."""

    bins: tuple[Bin, ...]
    low: float
    high: float


@dataclass(frozen=True)
class ColumnSpread:
    """The values of one column over all ranked teams, as printed; `own` None without an own row."""

    key: str
    label: str
    lowest: str
    middle: str
    highest: str
    own: str | None
    histogram: Histogram


@dataclass(frozen=True)
class Distribution:
    """A board's columns; `total` is None while no team has a rank.

    `instant`: the freeze whose rows the others' are, as on the board; None: now.
    """

    competition: Competition
    board: str
    instant: datetime | None = None
    own_moves: bool = False
    version_number: int | None = None
    signature: str | None = None
    teams: int = 0
    own_rank: int | None = None
    total: ColumnSpread | None = None
    metrics: tuple[ColumnSpread, ...] = ()


def distribution(viewer: Viewer, board: str) -> Distribution | None:
    """The distribution of a board, or None for who may not see it. Baselines are left out."""
    if not may_see(viewer, board):
        return None
    seen = listing(viewer, board)
    if seen is None:
        return Distribution(viewer.competition, board)
    own = seen.own if seen.own is not None and seen.own.ranked else None
    totals, parts = _values(seen)
    return Distribution(
        viewer.competition,
        board,
        instant=seen.view.instant,
        own_moves=seen.view.own_moves,
        version_number=seen.version.number,
        signature=seen.version.signature,
        teams=len(totals),
        own_rank=None if own is None else rank_in(totals, own.printed),
        total=_spread("total", "", totals, own.printed if own else None) if totals else None,
        metrics=tuple(
            _spread(
                column.key,
                column.label,
                sorted(metrics[column.key] for metrics in parts),
                own.metrics[column.key] if own else None,
            )
            for column in metric_columns(seen.version)
            if parts
        ),
    )


def _values(seen: Listing) -> tuple[list[int], list[dict[str, int]]]:
    """Totals, ascending, and metrics of every ranked team; the own ones of today in a freeze."""
    found = list(seen.others.filter(ranked=True).order_by().values_list("printed", "metrics"))
    if seen.view.own_moves and seen.own is not None and seen.own.ranked:
        found.append((seen.own.printed, seen.own.metrics))
    return sorted(total for total, _ in found), [metrics for _, metrics in found]


def _spread(key: str, label: str, ascending: Sequence[int], own: int | None) -> ColumnSpread:
    return ColumnSpread(
        key=key,
        label=label,
        lowest=decimals(ascending[0]),
        middle=decimals(median_low(ascending)),
        highest=decimals(ascending[-1]),
        own=None if own is None else decimals(own),
        histogram=histogram(ascending, own),
    )


def histogram(ascending: Sequence[int], own: int | None) -> Histogram:
    """Printed integers, lowest first, in bins of one width; the bin that holds `own` is marked.

    >>> [one.teams for one in histogram([10, 11, 29], None).bins][:2]
    [1, 1]
    """
    if not ascending:
        return Histogram((), 0.0, 0.0)
    low, high = ascending[0], ascending[-1]
    width = max(1, -(-(high - low + 1) // BINS))
    counts = [0] * BINS
    for value in ascending:
        counts[(value - low) // width] += 1
    mine = None if own is None else (own - low) // width
    bins = tuple(
        Bin(
            low=(low + i * width) / SCALE,
            high=(low + (i + 1) * width) / SCALE,
            teams=number,
            has_own=i == mine,
        )
        for i, number in enumerate(counts)
    )
    return Histogram(bins, bins[0].low, bins[-1].high)
