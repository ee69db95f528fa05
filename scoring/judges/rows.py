"""From rows to a column: the mean, how many rows it rests on, and its interval.

Claims are never pooled over rows: they are clustered inside a dialogue.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.judges.records import RowResult, Status
from scoring.statistics.pairs import spread

# Of two parts, the status that a result made of both has: the earlier one.
_WEIGHTIEST = (
    Status.NOT_APPLICABLE,
    Status.NOT_SAMPLED,
    Status.SOURCE_BLOCKED,
    Status.PENDING,
    Status.INFRA_ERROR,
    Status.SKIPPED_BUDGET,
    Status.CONTENT_FAILED,
    Status.SCORED,
)


@dataclass(frozen=True)
class RowScores:
    """All metrics of one summary, by name."""

    metrics: Mapping[str, RowResult]

    @property
    def score(self) -> float | None:
        """Of the row: summarization."""
        return self.metrics["summarization"].score

    @property
    def flags(self) -> tuple[str, ...]:
        """Every flag of any metric, once."""
        return tuple(dict.fromkeys(flag for each in self.metrics.values() for flag in each.flags))

    def to_dict(self) -> dict[str, Any]:
        """`score`, `status` and `flags` of the row, each metric's number, and their parts."""
        alignment, coverage = self.metrics["alignment"], self.metrics["coverage"]
        return {
            "score": self.score,
            "status": self.metrics["summarization"].status.value,
            **{name: each.score for name, each in self.metrics.items()},
            "score_breakdown": {"Alignment": alignment.score, "Coverage": coverage.score},
            "alignmentScore": alignment.score,
            "coverageScore": coverage.score,
            "unsure": alignment.unsure,
            "flags": list(self.flags),
            "metrics": {
                name: {key: part for key, part in each.to_dict().items() if key != "unsure"}
                for name, each in self.metrics.items()
            },
        }


def smaller(alignment: RowResult, coverage: RowResult) -> RowResult:
    """min(alignment, coverage); not applicable as soon as one is, for that holds for everybody."""
    both = alignment, coverage
    known = [each.score for each in both if each.score is not None]
    lowest = min(both, key=lambda each: 2.0 if each.score is None else each.score)
    return RowResult(
        "summarization",
        weightiest(*both),
        min(known) if len(known) == 2 else None,
        lowest.numerator if len(known) == 2 else 0,
        lowest.denominator if len(known) == 2 else 0,
    )


def weightiest(*results: RowResult) -> Status:
    """The status of something made of several results: "not applicable" outweighs all."""
    return min((each.status for each in results), key=_WEIGHTIEST.index)


_COUNTED = frozenset({Status.SCORED, Status.CONTENT_FAILED})
# True of the dialogue or the sample, hence for every submission: such a row is not waited for.
_NOT_EXPECTED = frozenset({Status.NOT_APPLICABLE, Status.SOURCE_BLOCKED, Status.NOT_SAMPLED})


@dataclass(frozen=True)
class MeanOfRows:
    """`mean` over `rows` of `expected` rows, standard deviation and error, 95 % interval."""

    mean: float | None
    rows: int
    expected: int
    deviation: float | None = None
    error: float | None = None
    low: float | None = None
    high: float | None = None


def column(
    results: Iterable[RowResult], *, seed: int = 0, population: int | None = None
) -> MeanOfRows:
    """The column value of one submission under one metric, without rows that can have no score.

    `population`: rows of the whole contest when these are a sample of it, for the correction.
    """
    kept = [each for each in results if each.status not in _NOT_EXPECTED]
    scores = [each.score for each in kept if each.status in _COUNTED and each.score is not None]
    found = spread(scores, seed)
    if found is None:
        return MeanOfRows(scores[0] if scores else None, len(scores), len(kept))
    rest = 1 - len(scores) / population if population else 1.0
    correction = math.sqrt(max(rest, 0.0))
    low, high = (
        None if end is None else found.mean + (end - found.mean) * correction
        for end in (found.low, found.high)
    )
    return MeanOfRows(
        found.mean,
        len(scores),
        len(kept),
        found.deviation,
        found.error * correction,
        low,
        high,
    )
