"""How the totals of a board are spread, with the viewer's own among them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np

from leaderboard.boards.columns import SCALE, decimals
from leaderboard.boards.listing import listing, rank_in
from leaderboard.boards.visibility import Viewer, may_see

BINS = 20


class Bin(NamedTuple):
    """Teams whose total lies in [low, high); the last bin holds its upper edge too."""

    low: float
    high: float
    teams: int
    has_own: bool


class Histogram(NamedTuple):
    """The totals of all teams of a board."""

    bins: tuple[Bin, ...]
    low: float
    high: float


class Spread(NamedTuple):
    """The totals of all ranked teams, as printed; `own` None without an own row."""

    lowest: str
    middle: str
    highest: str
    own: str | None
    histogram: Histogram


@dataclass(frozen=True)
class Distribution:
    """A board's totals; `total` is None while no team has a rank.

    `instant`: the freeze whose rows the others' are, as on the board; None: now.
    """

    instant: datetime | None = None
    own_moves: bool = False
    version_number: int | None = None
    signature: str | None = None
    teams: int = 0
    own_rank: int | None = None
    total: Spread | None = None


def distribution(viewer: Viewer, board: str) -> Distribution | None:
    """The distribution of a board, or None for who may not see it. Baselines are left out."""
    if not may_see(viewer, board):
        return None
    seen = listing(viewer, board)
    if seen is None:
        return Distribution()
    own = seen.tally.own if seen.tally.ranked else None
    totals = seen.tally.ascending
    spread = None
    if totals:
        at = (0, (len(totals) - 1) // 2, -1)
        lowest, middle, highest = (decimals(totals[place]) for place in at)
        own_total = None if own is None else decimals(own)
        spread = Spread(lowest, middle, highest, own_total, histogram(totals, own))
    return Distribution(
        instant=seen.view.instant,
        own_moves=seen.view.own_moves,
        version_number=seen.version.number,
        signature=seen.version.signature,
        teams=len(totals),
        own_rank=None if own is None else rank_in(totals, own),
        total=spread,
    )


def histogram(ascending: Sequence[int], own: int | None) -> Histogram:
    """Printed integers, lowest first, in bins of one width; the bin that holds `own` is marked.

    >>> [one.teams for one in histogram([10, 11, 29], None).bins][:2]
    [1, 1]
    """
    if not len(ascending):
        return Histogram((), 0.0, 0.0)
    low, high = ascending[0], ascending[-1]
    width = max(1, -(-(high - low + 1) // BINS))
    counts = np.bincount((np.asarray(ascending) - low) // width, minlength=BINS).tolist()
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
