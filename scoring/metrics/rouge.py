"""ROUGE-N and ROUGE-L over tokens: precision, recall or F1."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self, get_args

import numpy as np

from scoring.metrics import kernel
from scoring.metrics.definition import Measure, Overlap, ReferenceAggregation, aggregated, rouge
from scoring.metrics.kernel import Floats, Overlaps
from scoring.metrics.metric import (
    Counting,
    PackageMissing,
    PlainRow,
    RowPredictions,
    RowReferences,
)

FAMILIES = ("rouge1", "rouge2", "rouge3", "rougeL")
MEASURES: tuple[Measure, ...] = get_args(Measure)

_SYMBOLS: dict[Measure, str] = {"f1": "F1", "precision": "P", "recall": "R"}


@dataclass(frozen=True)
class Rouge(Counting):
    """A ROUGE family and which of its three measures counts.

    Written `rouge1` (F1 is the default) or `rouge1.recall`, `rouge1.precision`.
    """

    key: ClassVar[str] = "rouge"
    names: ClassVar[tuple[str, ...]] = FAMILIES

    @classmethod
    def parse(cls, name: str) -> Self | None:
        """Read a metric's name.

        >>> Rouge.parse("rougeL.f1").name, Rouge.parse("rougeL.recall").measure
        ('rougeL', 'recall')
        """
        family, _, measure = name.partition(".")
        if family not in FAMILIES:
            return None
        if (measure or "f1") not in MEASURES:
            raise ValueError(f"unknown measure in {name!r}; choose from {', '.join(MEASURES)}")
        return cls(family if measure == "f1" else name.removesuffix("."))

    @cached_property
    def family(self) -> str:
        return self.name.partition(".")[0]

    @cached_property
    def measure(self) -> Measure:
        named = self.name.partition(".")[2]
        return next((known for known in MEASURES if known == named), "f1")

    @property
    def label(self) -> str:
        return "ROUGE-" + self.family.removeprefix("rouge")

    @cached_property
    def ngram(self) -> int | None:
        """Length of the n-grams, or None for the longest common subsequence."""
        return None if self.family == "rougeL" else int(self.family.removeprefix("rouge"))

    def formula(self, reference: str) -> str:
        return f"{_SYMBOLS[self.measure]}[{self.label}](p, {reference})"

    def worked(self, prediction: Sequence[str], reference: Sequence[str]) -> Overlap:
        return rouge(self.family, prediction, reference)

    @classmethod
    def signature(cls, chosen: Sequence[Self]) -> str:
        """`r1+r2+rL.f1` when all share a measure, else each names its own: `r1.f1+r2.recall`."""
        short = [metric.family.replace("rouge", "r") for metric in chosen]
        measures = {metric.measure for metric in chosen}
        if len(measures) == 1:
            return "+".join(short) + "." + measures.pop()
        return "+".join(f"{name}.{one.measure}" for name, one in zip(short, chosen, strict=True))

    @classmethod
    def prepare(cls, chosen: Sequence[Self], references: RowReferences) -> kernel.Block:
        """Index the tokens for the longest n-grams."""
        longest = max((metric.ngram or 1 for metric in chosen), default=1)
        return kernel.index(references.tokens, references.vocabulary, longest)

    @classmethod
    def score(
        cls,
        chosen: Sequence[Self],
        prepared: kernel.Block,
        predictions: RowPredictions,
        aggregation: ReferenceAggregation,
    ) -> Floats:
        """Each family is counted once, whatever its measures."""
        families = {metric.family: metric.ngram for metric in chosen}
        counted = kernel.overlaps(prepared, predictions.tokens, families.values())
        found = dict(zip(families, counted, strict=True))
        columns = [
            prepared.aggregated(measured(found[one.family], one.measure), aggregation)
            for one in chosen
        ]
        return np.stack(columns, axis=1)

    @classmethod
    def recompute(
        cls, chosen: Sequence[Self], aggregation: ReferenceAggregation
    ) -> Callable[[PlainRow], Sequence[float]]:
        """By the rouge-score package over the tokens given."""
        try:
            from rouge_score.rouge_scorer import RougeScorer  # heavy, and only needed here
        except ImportError as error:
            raise PackageMissing("verify needs: pip install rouge-score") from error
        scorer = RougeScorer(sorted({one.family for one in chosen}), tokenizer=_Given())
        fields = {"f1": "fmeasure", "precision": "precision", "recall": "recall"}

        def row(given: PlainRow) -> list[float]:
            prediction, *references = given.tokens
            found = [scorer.score(reference, prediction) for reference in references]
            return [
                aggregated(
                    [float(getattr(scores[one.family], fields[one.measure])) for scores in found],
                    aggregation,
                )
                for one in chosen
            ]

        return row


class _Given:
    """What rouge-score asks for its tokens: they are tokens already."""

    def tokenize(self, tokens: Sequence[str]) -> Sequence[str]:
        return tokens


def measured(overlap: Overlaps, measure: Measure) -> Floats:
    """Precision, recall or F1, rows x golds, in the order of operations of rouge-score."""
    precision = overlap.shared / np.maximum(overlap.candidate, 1)[:, None]
    recall = overlap.shared / np.maximum(overlap.reference, 1)
    if measure != "f1":
        return precision if measure == "precision" else recall
    below = precision + recall
    f1 = np.zeros_like(below)
    np.divide(2 * precision * recall, below, out=f1, where=below > 0)
    return f1
