"""From rows to a column: the mean, how many rows it rests on, and how far it can be trusted.

The unit is the row (one dialogue). Claims are never pooled over rows: they are clustered inside a
dialogue, and pooling favours long summaries. Intervals are percentiles of a seeded bootstrap over
rows. Two submissions are compared by their differences row by row, never by whether two intervals
overlap.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.judges.records import RowResult, Status

RESAMPLES = 10_000
CONFIDENCE = 0.95
# The bootstrap knows no other rows than these, so over a few its interval is too narrow. Of equal
# submissions (200,000 simulated pairs, normal differences) it would call 13 % different over six
# rows, 7 % over twenty, 5.5 % over a hundred, where 5 % are meant.
FEWEST_ROWS = 20

_COUNTED = frozenset({Status.SCORED, Status.CONTENT_FAILED})
# True of the dialogue or the sample, hence for every submission: such a row is not waited for.
_NOT_EXPECTED = frozenset({Status.NOT_APPLICABLE, Status.SOURCE_BLOCKED, Status.NOT_SAMPLED})
_DRAWS_AT_ONCE = 1_000_000


@dataclass(frozen=True)
class Column:
    """`mean` over `rows` of `expected` rows, None without any.

    deviation: sample standard deviation. error: standard error of the mean. low, high: 95 %
    interval. The last four are None with fewer than two rows.
    """

    mean: float | None
    rows: int
    expected: int
    deviation: float | None = None
    error: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def partial(self) -> bool:
        """Whether rows are still missing."""
        return self.rows < self.expected


@dataclass(frozen=True)
class Difference:
    """Mean of the differences on the `rows` that both have."""

    mean: float | None
    rows: int
    deviation: float | None = None
    error: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def distinguishable(self) -> bool:
        """Whether the interval leaves out 0, and rests on enough rows to say so."""
        if self.low is None or self.high is None or self.rows < FEWEST_ROWS:
            return False
        return self.low > 0 or self.high < 0


def column(results: Iterable[RowResult], *, seed: int = 0, population: int | None = None) -> Column:
    """The column value of one submission under one metric.

    Rows that are `scored` or `content_failed` count. Rows for which nothing can come are not
    expected; the others make the column partial. `population`: rows of the whole contest when
    these are a sample of it; the standard error then has the finite-population correction.
    """
    kept = [each for each in results if each.status not in _NOT_EXPECTED]
    scores = [each.score for each in kept if each.status in _COUNTED and each.score is not None]
    spread = _spread(scores, seed)
    if spread is None:
        return Column(scores[0] if scores else None, len(scores), len(kept))
    rest = 1 - len(scores) / population if population else 1.0
    correction = math.sqrt(max(rest, 0.0))
    low, high = (
        spread.mean + (end - spread.mean) * correction for end in (spread.low, spread.high)
    )
    return Column(
        spread.mean,
        len(scores),
        len(kept),
        spread.deviation,
        spread.error * correction,
        low,
        high,
    )


def paired(
    ours: Mapping[str, float | None], theirs: Mapping[str, float | None], *, seed: int = 0
) -> Difference:
    """Ours minus theirs, row by row, on the rows where both have a score."""
    differences = [
        mine - other
        for row, mine in ours.items()
        if mine is not None and (other := theirs.get(row)) is not None
    ]
    spread = _spread(differences, seed)
    if spread is None:
        return Difference(differences[0] if differences else None, len(differences))
    return Difference(
        spread.mean, len(differences), spread.deviation, spread.error, spread.low, spread.high
    )


@dataclass(frozen=True)
class _Spread:
    mean: float
    deviation: float
    error: float
    low: float
    high: float


def _spread(values: Sequence[float], seed: int) -> _Spread | None:
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    low, high = _interval(values, seed)
    return _Spread(mean, deviation, deviation / math.sqrt(len(values)), low, high)


def _interval(values: Sequence[float], seed: int) -> tuple[float, float]:
    """Percentile bootstrap of the mean. The order of the rows does not matter."""
    sample = np.sort(np.asarray(values, dtype=float))
    draws = np.random.default_rng(seed)
    at_once = max(1, _DRAWS_AT_ONCE // len(sample))
    means = np.concatenate(
        [
            sample[
                draws.integers(len(sample), size=(min(at_once, RESAMPLES - done), len(sample)))
            ].mean(axis=1)
            for done in range(0, RESAMPLES, at_once)
        ]
    )
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)
