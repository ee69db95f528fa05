"""All metrics of one summary, and how two of them make a third."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.judges.records import RowResult, Status

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
                name: {
                    "status": each.status.value,
                    "score": each.score,
                    "numerator": each.numerator,
                    "denominator": each.denominator,
                    "flags": list(each.flags),
                    "items": dict(each.items),
                }
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
