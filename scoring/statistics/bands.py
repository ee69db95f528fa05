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
from scoring.statistics import ERROR_RATE, FEWEST_ROWS, RESAMPLES, method_signature

Whole = NDArray[np.int64]
Single = NDArray[np.float32]

# Thresholds are rounded up to 0.001 and totals to what a board prints, so that whoever subtracts
# two printed totals finds what is said here. Both are counted in units of the last printed digit.
UNITS: int = 10**DECIMALS
_STEP = UNITS // 1000

METHOD = "band:range"
VERSION = 2  # 1 left out pairs that were told apart and looked again

# The 97.5 % point of Student's t over that of a normal number is about 1 + 1.21 / freedom: the
# first term of Peiser's series (1943), (z^2 + 1) / 4.
_STUDENT = 1.21

# Draws at a time. The products stay small (10 MB for 10,000 files) and in the processor's reach;
# the stream of draws is the same for any number.
_LINES = 250
# Whole numbers up to this are exact in single precision, in whatever order they are added up.
_EXACT = 2**24


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

    def groups(self) -> tuple[int, ...]:
        """The number of each file's group, from 1.

        From the best file down, a group goes on until a file is told apart from its first one.
        Inside a group the order may be chance.
        """
        width = math.inf if self.threshold is None else round(self.threshold * UNITS)
        numbers, number, first = [0] * len(self.totals), 0, 0
        for place in sorted(range(len(numbers)), key=lambda place: -self.totals[place]):
            if number == 0 or first - self.totals[place] > width:
                first, number = self.totals[place], number + 1
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
    width = _threshold(values, means, seed, resamples) if enough else None
    around = int(np.ptp(totals)) if width is None else width
    best, worst = ranks_between(np.sort(totals), around, totals)
    return Bands(
        threshold=None if width is None else width / UNITS,
        totals=tuple(totals.tolist()),
        best_ranks=tuple(best.tolist()),
        worst_ranks=tuple(worst.tolist()),
        signature=method_signature(
            METHOD, resamples=resamples, seed=seed, rows=rows, version=VERSION
        ),
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
    values: NDArray[np.floating], means: NDArray[np.float64], seed: int, draws: int
) -> int:
    """In units: what the largest difference of two files exceeds in at most 5 % of the draws.

    Of all pairs at once, clear ones too. To look again at the others alone gives a smaller number,
    but where two near-duplicates are left it is theirs, and whether they are left depends on the
    seed. Drawn means vary by (rows - 1) / rows less than those of other rows would, and how
    far is as uncertain as Student's t says.
    """
    rows = values.shape[1]
    deviations, unit = _whole_deviations(values, means)
    blocks = [np.ptp(deviations @ drawn.T, axis=0) for drawn in _drawn(rows, seed, draws)]
    quantile = float(np.quantile(np.concatenate(blocks), 1 - ERROR_RATE, method="higher"))
    few = math.sqrt(rows / (rows - 1)) * (1 + _STUDENT / (rows - 1))
    exceeded = float(quantile * unit * few)
    # A millionth above a step may be the rounding of the deviations.
    return math.ceil(round(exceeded * UNITS / _STEP, 3)) * _STEP


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


def _drawn(rows: int, seed: int, draws: int) -> Iterator[Single]:
    """How often each row is drawn, draws x rows, a block at a time."""
    dice = np.random.default_rng(seed)
    for done in range(0, draws, _LINES):
        lines = min(_LINES, draws - done)
        places = dice.integers(rows, size=(lines, rows))
        places += np.arange(0, lines * rows, rows)[:, None]
        counts = np.bincount(places.ravel(), minlength=lines * rows)
        yield counts.reshape(lines, rows).astype(np.float32)
