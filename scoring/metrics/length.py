"""How long a file is, so that a gain by length or brevity shows."""

import math
from collections.abc import Callable, Sequence
from typing import ClassVar, Self

import numpy as np

from scoring.messages import _
from scoring.metrics.definition import ReferenceAggregation
from scoring.metrics.kernel import Floats
from scoring.metrics.metric import (
    Metric,
    PlainRow,
    RowPredictions,
    RowReferences,
)


class Length(Metric):
    """Mean tokens of a prediction over the whole file.

    Never of a split: the mean over the public rows would tell which rows those are.
    """

    key: ClassVar[str] = "length"
    names: ClassVar[tuple[str, ...]] = ("length",)
    by_split: ClassVar[bool] = False

    @property
    def label(self) -> str:
        return _("Length")

    def formula(self, reference: str) -> str:
        return "|p|"

    @classmethod
    def signature(cls, chosen: Sequence[Self]) -> str:
        """What is counted; the tokenizer signs for itself."""
        return "tokens"

    @classmethod
    def prepare(cls, chosen: Sequence[Self], references: RowReferences) -> list[int]:
        return [len(tokens) for row in references.tokens for tokens in row]

    @classmethod
    def constant(cls, prepared: Sequence[list[int]]) -> int:
        """Mean tokens of a reference over the whole set: whole ones, which tell of no row."""
        lengths = [length for rows in prepared for length in rows]
        return round(math.fsum(lengths) / len(lengths))

    @classmethod
    def score(
        cls,
        chosen: Sequence[Self],
        prepared: list[int],
        predictions: RowPredictions,
        aggregation: ReferenceAggregation,
    ) -> Floats:
        return predictions.tokens.lengths[:, None].astype(np.float64)

    @classmethod
    def recompute(
        cls, chosen: Sequence[Self], aggregation: ReferenceAggregation
    ) -> Callable[[PlainRow], Sequence[float]]:
        return lambda row: [float(len(row.tokens[0]))]
