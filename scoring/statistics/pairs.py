"""Two files row by row, and how far the mean of one can be trusted.

The unit is the row (one dialogue). Two files are compared by their differences row by row, never by
whether two intervals overlap: if they were equal, each difference might as well have the other
sign. So the signs are flipped at random, and the share of flips that move the mean at least as far
from 0 is the p (Fisher 1935). The interval holds every value that the same flips do not reject
(Hartigan 1969), so both always agree.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import ERROR_RATE, FEWEST_ROWS, RESAMPLES, method_signature

Numbers = NDArray[np.float64]
Row = TypeVar("Row", bound=Hashable)

# Of fewer rows that differ, all flips together bring a mean as far in 2/2^5 of the cases and more.
FEWEST_DIFFERING = 6

_BYTES_AT_ONCE = 1_000_000
# Sums of the same numbers in another order differ by less than this part of the largest; so do two
# rows, whose totals are of the order of 1.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Difference:
    """Mean of the differences on the `rows` that both have, of which `differing` are not 0.

    Without FEWEST_DIFFERING of these the interval has no ends: 0 itself would be one, whatever
    other rows might bring, and read as if one file were never better.
    """

    mean: float | None
    rows: int
    deviation: float | None = None
    error: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    differing: int = 0

    @property
    def distinguishable(self) -> bool:
        """Whether the interval leaves out 0, and rests on enough rows to say so."""
        if self.p is None or self.rows < FEWEST_ROWS:
            return False
        return self.p <= ERROR_RATE

    @property
    def sign(self) -> int:
        """1 or -1, as ours or theirs is the better one; 0 where they cannot be told apart."""
        if not self.distinguishable or self.mean is None:
            return 0
        return 1 if self.mean > 0 else -1


def paired(
    ours: Mapping[Row, float | None], theirs: Mapping[Row, float | None], *, seed: int = 0
) -> Difference:
    """Ours minus theirs, row by row, on the rows where both have a score.

    >>> one = {f"row {n}": 0.5 + n % 2 / 10 for n in range(30)}
    >>> found = paired(one, {row: score - 0.2 for row, score in one.items()})
    >>> round(found.low, 6), round(found.high, 6), found.distinguishable
    (0.2, 0.2, True)
    """
    differences = [
        0.0 if abs(mine - other) <= _ROUNDING else mine - other
        for row, mine in ours.items()
        if mine is not None and (other := theirs.get(row)) is not None
    ]
    found = spread(differences, seed)
    differing = len([one for one in differences if one])
    if found is None:
        mean = differences[0] if differences else None
        return Difference(mean, len(differences), differing=differing)
    mean, deviation, error, *ends, p = found
    low, high = ends if differing >= FEWEST_DIFFERING else (None, None)
    return Difference(mean, len(differences), deviation, error, low, high, p, differing)


def pair_signature(seed: int, rows: int) -> str:
    """The line that says how the interval and the p of a pair were made."""
    return method_signature("pair:sign-flip", resamples=RESAMPLES, seed=seed, rows=rows)


class MeanSpread(NamedTuple):
    """Mean, sample standard deviation, standard error, the ends of the 95 % interval, and p.

    p: how often flipped signs bring a mean at least as far from 0; at most 0.05 just where the
    interval leaves out 0. The ends are None where the test can reject nothing.
    """

    mean: float
    deviation: float
    error: float
    low: float | None
    high: float | None
    p: float


def spread(values: Sequence[float], seed: int) -> MeanSpread | None:
    """How the mean of these values varies; None with fewer than two.

    The order of the values does not matter, and values of the other sign give the opposite. Over
    fewer than six no flips are rare enough, and the interval has no ends.
    """
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    ascending = np.sort(np.asarray(values, dtype=float))
    turned = -ascending[::-1]
    is_turned = turned.tolist() > ascending.tolist()
    # Of values v - t with some signs flipped, the mean is further from 0 than that of v - t itself
    # just where t lies between the means of the flipped values and of the others. So no t has to
    # be searched: the ends are order statistics of these means.
    small, large = _means_of_halves(turned if is_turned else ascending, seed)
    hits = int(np.count_nonzero((small <= 0) & (large >= 0)))
    p, error = (1 + hits) / (len(small) + 1), deviation / math.sqrt(len(values))
    # The last t with more than 5 % of hits, itself among the draws.
    allowed = math.floor(ERROR_RATE * (len(small) + 1))
    small.partition(allowed - 1)
    large.partition(len(large) - allowed)
    low, high = float(small[allowed - 1]), float(large[len(large) - allowed])
    if is_turned:
        low, high = -high, -low
    if math.isinf(low) or math.isinf(high):
        return MeanSpread(mean, deviation, error, None, None, p)
    return MeanSpread(mean, deviation, error, min(low, mean), max(high, mean), p)


def _means_of_halves(values: Numbers, seed: int) -> tuple[Numbers, Numbers]:
    """For each flip the smaller and the larger of two means: of flipped values and of the others.

    Flips are drawn a byte at a time, and the sums of every eight values looked up by it, which is
    twenty times as fast as to add them up. Where all or none are flipped, the mean is as far from 0
    as it was, wherever 0 is put: the two lie at the ends of all numbers.
    """
    groups = -(-len(values) // 8)
    padded = np.zeros(groups * 8)
    padded[: len(values)] = values
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    sums = padded.reshape(groups, 8) @ bits.T
    real = np.packbits(np.arange(groups * 8) < len(values))
    dice, places = np.random.default_rng(seed), np.arange(groups)
    flipped, counts = np.empty(RESAMPLES), np.empty(RESAMPLES)
    lines = max(1, _BYTES_AT_ONCE // groups)
    for start in range(0, RESAMPLES, lines):
        block = slice(start, min(start + lines, RESAMPLES))
        drawn = np.frombuffer(dice.bytes((block.stop - start) * groups), np.uint8)
        drawn = drawn.reshape(-1, groups)
        flipped[block] = sums[places, drawn].sum(axis=1)
        counts[block] = np.bitwise_count(drawn & real).sum(axis=1, dtype=np.int64)
    others = len(values) - counts
    some = (counts > 0) & (others > 0)
    one = np.divide(flipped, counts, where=some, out=np.full(RESAMPLES, -np.inf))
    rest = values.sum() - flipped
    other = np.divide(rest, others, where=some, out=np.full(RESAMPLES, np.inf))
    means = np.stack([one, other])
    means[np.abs(means) <= _ROUNDING * max(abs(values[0]), abs(values[-1]))] = 0
    return means.min(axis=0), means.max(axis=0)
