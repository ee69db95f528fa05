"""Everything again, with the `rouge-score` package and our tokens, value by value."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring import tokenizers
from scoring.profile import Metric, Profile
from scoring.references import References
from scoring.report import Report


class VerifierMissing(RuntimeError):
    """The rouge-score package is not installed; the message says how to get it."""


@dataclass(frozen=True)
class Verification:
    """How far a report is from rouge-score. Both differences are 0.0 when all is well.

    example_difference: largest absolute difference over all rows and metrics. split_difference:
    over all splits' metrics. differing_ids: rows that are not bit-equal.
    """

    rows: int
    comparisons: int
    example_difference: float
    split_difference: float
    differing_ids: tuple[str, ...]

    @property
    def equal(self) -> bool:
        """Whether every row is bit-equal and every mean agrees."""
        return not self.differing_ids and self.split_difference == 0


class _Words:
    """What rouge-score asks for its tokens."""

    def __init__(self, name: str) -> None:
        self._tokenizer = tokenizers.get(name)

    def tokenize(self, text: str) -> list[str]:
        return list(self._tokenizer(text))


def _scorer(profile: Profile) -> Any:
    try:
        from rouge_score.rouge_scorer import RougeScorer  # heavy, and only needed here
    except ImportError as error:
        raise VerifierMissing("verify needs: pip install rouge-score") from error
    families = sorted({metric.family for metric in profile.parsed_metrics})
    return RougeScorer(families, tokenizer=_Words(profile.tokenizer))


def verify(
    texts: Mapping[str, str], references: References, profile: Profile, report: Report
) -> Verification:
    """Recompute a report row by row with rouge-score and compare every number."""
    scorer = _scorer(profile)
    metrics = profile.parsed_metrics
    theirs = np.array(
        [
            _row(scorer, texts[example.example_id], example.references, metrics, profile)
            for example in references.examples
        ]
    )
    different = np.abs(theirs - report.examples)
    return Verification(
        rows=len(references.examples),
        comparisons=theirs.size,
        example_difference=float(different.max()),
        split_difference=_split_difference(theirs, references, profile, report),
        differing_ids=tuple(np.array(references.ids)[different.max(axis=1) > 0].tolist()),
    )


def _row(
    scorer: Any,
    prediction: str,
    golds: Sequence[str],
    metrics: Sequence[Metric],
    profile: Profile,
) -> list[float]:
    found = [scorer.score(gold, prediction) for gold in golds]
    values = []
    for metric in metrics:
        field = "fmeasure" if metric.measure == "f1" else metric.measure
        column = [float(getattr(scores[metric.family], field)) for scores in found]
        best = profile.gold_aggregation == "max"
        values.append(max(column) if best else math.fsum(column) / len(column))
    return values


def _split_difference(
    theirs: np.ndarray[Any, Any], references: References, profile: Profile, report: Report
) -> float:
    splits = np.array([example.split for example in references.examples])
    worst = 0.0
    for name, split in report.splits.items():
        rows = theirs if name == "all" else theirs[splits == name]
        for metric, column in zip(profile.metrics, rows.T.tolist(), strict=True):
            worst = max(worst, abs(math.fsum(column) / len(column) - split.metrics[metric]))
    return worst
