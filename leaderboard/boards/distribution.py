"""How the totals and the metrics of a board are spread, with the viewer's own among them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import F, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from numpy.typing import NDArray

from leaderboard.boards.columns import SCALE, decimals, metric_columns
from leaderboard.boards.listing import Joined, Listing, listing, rank_in
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
    shown = metric_columns(seen.version)
    totals, *parts = _values(seen, [column.key for column in shown])
    return Distribution(
        viewer.competition,
        board,
        instant=seen.view.instant,
        own_moves=seen.view.own_moves,
        version_number=seen.version.number,
        signature=seen.version.signature,
        teams=len(totals),
        own_rank=None if own is None else rank_in(totals.tolist(), own.printed),
        total=_spread("total", "", totals, own.printed if own else None) if len(totals) else None,
        metrics=tuple(
            _spread(column.key, column.label, values, own.metrics[column.key] if own else None)
            for column, values in zip(shown, parts, strict=True)
            if len(values)
        ),
    )


def _values(seen: Listing, metrics: Sequence[str]) -> list[NDArray[np.int64]]:
    """Totals, and each of these metrics, ascending, of every ranked team; the own ones of today in
    a freeze.

    A text a column: to read a hundred thousand rows costs five times as much.
    """
    texts: dict[str, Any] = {"total": Cast(F("printed"), TextField())}
    texts |= {f"of_{name}": KeyTextTransform(name, "metrics") for name in metrics}
    joined = {name: Joined(text) for name, text in texts.items()}
    found = seen.others.filter(ranked=True).order_by().aggregate(**joined)
    values = [np.fromstring(found[name] or "", dtype=np.int64, sep=",") for name in texts]
    if seen.view.own_moves and seen.own is not None and seen.own.ranked:
        own = [seen.own.printed, *(seen.own.metrics[name] for name in metrics)]
        values = [np.append(those, mine) for those, mine in zip(values, own, strict=True)]
    return [np.sort(those) for those in values]


def _spread(key: str, label: str, ascending: NDArray[np.int64], own: int | None) -> ColumnSpread:
    return ColumnSpread(
        key=key,
        label=label,
        lowest=decimals(int(ascending[0])),
        middle=decimals(int(ascending[(len(ascending) - 1) // 2])),
        highest=decimals(int(ascending[-1])),
        own=None if own is None else decimals(own),
        histogram=histogram(ascending, own),
    )


def histogram(ascending: Sequence[int] | NDArray[np.int64], own: int | None) -> Histogram:
    """Printed integers, lowest first, in bins of one width; the bin that holds `own` is marked.

    >>> [one.teams for one in histogram([10, 11, 29], None).bins][:2]
    [1, 1]
    """
    if not len(ascending):
        return Histogram((), 0.0, 0.0)
    low, high = int(ascending[0]), int(ascending[-1])
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
