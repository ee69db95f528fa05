"""Which orders of files would hold over other rows, all comparisons at once.

Whole rows are drawn again, the same ones for all files. The threshold is what the largest
difference between two files exceeds by chance in 5 % of the draws, so any larger difference of
totals is no chance, whichever two files are looked at. It is a constant-width case of the
simultaneous confidence sets for ranks of Mogstad, Romano, Shaikh and Wilhelm (2024).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.ranking import DECIMALS, printed
from scoring.statistics.method import ERROR_RATE, FEWEST_ROWS, RESAMPLES, method_signature

Whole = NDArray[np.int64]
Single = NDArray[np.float32]

# Thresholds are rounded up to 0.001 and totals to what a board prints, so that whoever subtracts
# two printed totals finds what is said here. Both are counted in units of the last printed digit.
UNITS: int = 10**DECIMALS
_STEP = UNITS // 1000

# Draws at a time. The products stay small (10 MB for 10,000 files) and in the processor's reach;
# the stream of draws is the same for any number.
_LINES = 250
# Whole numbers up to this are exact in single precision, in whatever order they are added up.
_EXACT = 2**24
# Cells of one threshold's width, when it is lowered.
_CELLS = 16


@dataclass(frozen=True)
class Bands:
    """Files in the order they were given.

    totals: as printed, in units of the last digit. threshold: two files whose totals differ by more
    are told apart, with 95 % for all pairs together; None below 20 rows, where nothing is.
    best_ranks, worst_ranks: between them the rank of each file lies.
    """

    threshold: float | None
    totals: tuple[int, ...]
    best_ranks: tuple[int, ...]
    worst_ranks: tuple[int, ...]
    signature: str

    @property
    def leaders(self) -> tuple[int, ...]:
        """The places of the files that cannot be told from the first; it is one of them."""
        return tuple(place for place, best in enumerate(self.best_ranks) if best == 1)

    def apart(self, first: int, second: int) -> bool:
        """Whether the files at these two places are told apart."""
        if self.threshold is None:
            return False
        difference = abs(self.totals[first] - self.totals[second])
        return difference > round(self.threshold * UNITS)

    def groups(self) -> tuple[int, ...]:
        """The number of each file's group, from 1.

        From the best file down, a group goes on until a file is told apart from its first one.
        Inside a group the order may be chance.
        """
        numbers, number, first = [0] * len(self.totals), 0, 0
        for place in sorted(range(len(numbers)), key=lambda place: -self.totals[place]):
            if number == 0 or self.apart(first, place):
                first, number = place, number + 1
            numbers[place] = number
        return tuple(numbers)


def bands(values: NDArray[np.floating], *, seed: int, resamples: int = RESAMPLES) -> Bands:
    """Rank bands of files by the range of their means over rows drawn again.

    values: files x rows, the totals of rows in points of the board, in the order of the reference
    set; none missing. ValueError without a file or a row.

    >>> clear = bands(np.array([[0.9] * 30, [0.1] * 30, [0.1] * 30]), seed=1)
    >>> clear.threshold, clear.best_ranks, clear.worst_ranks
    (0.0, (1, 2, 2), (1, 3, 3))
    """
    files, rows = values.shape
    if not files or not rows:
        raise ValueError("bands need at least one file and one row")
    means = values.mean(axis=1, dtype=np.float64)
    totals = np.array([printed(mean) for mean in means.tolist()])
    enough = rows >= FEWEST_ROWS
    width = _threshold(values, means, totals, seed, resamples) if enough else None
    around = int(np.ptp(totals)) if width is None else width
    best, worst = ranks_between(np.sort(totals), around, totals)
    return Bands(
        threshold=None if width is None else width / UNITS,
        totals=tuple(totals.tolist()),
        best_ranks=tuple(best.tolist()),
        worst_ranks=tuple(worst.tolist()),
        signature=method_signature("band:range", resamples=resamples, seed=seed, rows=rows),
    )


def ranks_between(ascending: Whole, width: int, totals: Whole) -> tuple[Whole, Whole]:
    """The best and the worst rank of each of some totals among ascending ones, all in units.

    Behind all that are more than the width above; before all that are more than it below.

    >>> best, worst = ranks_between(np.array([10, 40, 50, 90]), 15, np.array([90, 40]))
    >>> best.tolist(), worst.tolist()
    ([1, 2], [1, 3])
    """
    above = len(ascending) - np.searchsorted(ascending, totals + width, side="right")
    below = np.searchsorted(ascending, totals - width, side="left")
    return 1 + above, len(ascending) - below


def _threshold(
    values: NDArray[np.floating], means: NDArray[np.float64], totals: Whole, seed: int, draws: int
) -> int:
    """In units. Pairs told apart are left out of the next look, until that tells nothing new.

    Where no pair is left, or equal files alone, the last threshold that was found of pairs stays.
    """
    order = np.argsort(totals, kind="stable")
    ascending = totals[order]
    deviations, unit = _whole_deviations(values[order], means[order])
    width = _quantile(_largest(deviations, _Window.all(), seed, draws), unit)
    while width < ascending[-1] - ascending[0]:
        window = _Window.of(ascending, width)
        lower = _quantile(_largest(deviations, window, seed, draws), unit)
        if not 0 < lower < width:
            break
        width = lower
    return width


def _whole_deviations(
    values: NDArray[np.floating], means: NDArray[np.float64]
) -> tuple[Single, float]:
    """Values less their file's mean as whole numbers, and the points of a mean that one stands for.

    Counted as whole numbers no sum depends on the processor or its library. What rounding moves is
    a millionth of a point at 500 rows. The rows drawn are as many as there are, so no sum can be
    larger than rows times the largest deviation.
    """
    rows = values.shape[1]
    deviations = (values - means[:, None]).astype(np.float32, copy=False)
    largest = float(np.abs(deviations).max())
    if largest == 0:
        return deviations, 1.0
    unit = 2.0 ** math.ceil(math.log2(rows * largest / (_EXACT - rows)))
    deviations /= np.float32(unit)
    return np.rint(deviations, out=deviations), unit / rows


@dataclass(frozen=True)
class _Window:
    """Files in cells of neighbouring totals, and which pairs of cells are still compared.

    starts: the first file of each cell. reach: for each distance between two cells, 0 first, the
    lower ones that are compared with the cell so far above.
    """

    starts: Whole
    reach: tuple[Whole, ...]

    @classmethod
    def all(cls) -> "_Window":
        """Every file with every other one."""
        return cls(np.zeros(1, np.int64), (np.zeros(1, np.int64),))

    @classmethod
    def of(cls, ascending: Whole, width: int) -> "_Window":
        """Files with those at most so far away, and with some more that share a cell with them.

        More pairs make no threshold too low.
        """
        cells = (ascending - ascending[0]) * _CELLS // max(width, 1)
        starts = np.flatnonzero(np.diff(cells, prepend=-1))
        lowest, highest = ascending[starts], ascending[np.append(starts[1:], len(ascending)) - 1]
        reach = []
        for step in range(len(starts)):
            lower = np.flatnonzero(lowest[step:] - highest[: len(starts) - step] <= width)
            if not len(lower):
                break
            reach.append(lower)
        return cls(starts, tuple(reach))

    def largest(self, drawn: Single) -> Single:
        """For each draw (files x draws) the largest difference of two files that are compared."""
        high = np.maximum.reduceat(drawn, self.starts, axis=0)
        low = np.minimum.reduceat(drawn, self.starts, axis=0)
        found = np.zeros(drawn.shape[1], np.float32)
        for step, lower in enumerate(self.reach):
            upper = lower + step
            for one, other in ((upper, lower), (lower, upper)):
                np.maximum(found, (high[one] - low[other]).max(axis=0), out=found)
        return found


def _largest(deviations: Single, window: _Window, seed: int, draws: int) -> Single:
    blocks = _drawn(deviations.shape[1], seed, draws)
    return np.concatenate([window.largest(deviations @ counts.T) for counts in blocks])


def _drawn(rows: int, seed: int, draws: int) -> Iterator[Single]:
    """How often each row is drawn, draws x rows, a block at a time."""
    dice = np.random.default_rng(seed)
    for done in range(0, draws, _LINES):
        lines = min(_LINES, draws - done)
        places = dice.integers(rows, size=(lines, rows))
        places += np.arange(0, lines * rows, rows)[:, None]
        counts = np.bincount(places.ravel(), minlength=lines * rows)
        yield counts.reshape(lines, rows).astype(np.float32)


def _quantile(largest: Single, unit: float) -> int:
    """What is exceeded in at most 5 % of the draws, rounded up to 0.001, in units.

    A millionth above it may be the rounding of the deviations.
    """
    quantile = float(np.quantile(largest, 1 - ERROR_RATE, method="higher")) * unit
    return math.ceil(round(quantile * UNITS / _STEP, 3)) * _STEP
