"""From rows to a column: the mean, how many rows it rests on, and how far it can be trusted.

The unit is the row (one dialogue). Claims are never pooled over rows: they are clustered inside a
dialogue, and pooling favours long summaries. Two submissions are compared by `scoring.statistics`.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scoring.judges.records import RowResult, Status
from scoring.statistics import spread

_COUNTED = frozenset({Status.SCORED, Status.CONTENT_FAILED})
# True of the dialogue or the sample, hence for every submission: such a row is not waited for.
_NOT_EXPECTED = frozenset({Status.NOT_APPLICABLE, Status.SOURCE_BLOCKED, Status.NOT_SAMPLED})


@dataclass(frozen=True)
class MeanOfRows:
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


def column(
    results: Iterable[RowResult], *, seed: int = 0, population: int | None = None
) -> MeanOfRows:
    """The column value of one submission under one metric.

    Rows that are `scored` or `content_failed` count. Rows for which nothing can come are not
    expected; the others make the column partial. `population`: rows of the whole contest when
    these are a sample of it; the standard error then has the finite-population correction.
    """
    kept = [each for each in results if each.status not in _NOT_EXPECTED]
    scores = [each.score for each in kept if each.status in _COUNTED and each.score is not None]
    found = spread(scores, seed)
    if found is None:
        return MeanOfRows(scores[0] if scores else None, len(scores), len(kept))
    rest = 1 - len(scores) / population if population else 1.0
    correction = math.sqrt(max(rest, 0.0))
    low, high = (found.mean + (end - found.mean) * correction for end in (found.low, found.high))
    return MeanOfRows(
        found.mean,
        len(scores),
        len(kept),
        found.deviation,
        found.error * correction,
        low,
        high,
    )
