"""chrF (Popović 2015) of character n-grams, as sacrebleu defines a sentence's score."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Self

import numpy as np

from scoring.characters import nfc
from scoring.metrics import kernel
from scoring.metrics.definition import ReferenceAggregation
from scoring.metrics.kernel import Floats
from scoring.metrics.metric import (
    Metric,
    PackageMissing,
    PlainRow,
    RowPredictions,
    RowReferences,
)

ORDER = 6
BETA = 2


class Chrf(Metric):
    """F2 of the mean precision and the mean recall of character n-grams, n from 1 to 6.

    Blanks are left out; an n for which one of the texts is too short is too. Of several references
    the best one counts, whatever the profile says of ROUGE. Fractions 0..1: sacrebleu's / 100.
    """

    key: ClassVar[str] = "chrf"
    names: ClassVar[tuple[str, ...]] = ("chrf",)

    @property
    def label(self) -> str:
        return "chrF"

    def formula(self, reference: str) -> str:
        return f"max F{BETA}[char 1–{ORDER}](p, {reference})"

    @classmethod
    def signature(cls, chosen: Sequence[Self]) -> str:
        return f"nc{ORDER}.nw0.b{BETA}.max"

    @classmethod
    def prepare(
        cls, chosen: Sequence[Self], references: RowReferences
    ) -> tuple[kernel.Vocabulary, kernel.Block]:
        """Index the characters, numbered for these rows alone."""
        vocabulary = kernel.Vocabulary()
        texts = [[_cut(text) for text in row] for row in references.texts]
        return vocabulary, kernel.index(texts, vocabulary, ORDER)

    @classmethod
    def score(
        cls,
        chosen: Sequence[Self],
        prepared: tuple[kernel.Vocabulary, kernel.Block],
        predictions: RowPredictions,
        aggregation: ReferenceAggregation,
    ) -> Floats:
        vocabulary, block = prepared
        characters = vocabulary.look_up([_cut(text) for text in predictions.texts])
        precision = np.zeros(block.present.shape)
        recall, orders = precision.copy(), precision.copy()
        for found in kernel.overlaps(block, characters, range(1, ORDER + 1)):
            ours = np.broadcast_to(found.candidate[:, None], precision.shape)
            both = (ours > 0) & (found.reference > 0)
            precision += np.divide(found.shared, ours, out=np.zeros_like(recall), where=both)
            recall += np.divide(
                found.shared, found.reference, out=np.zeros_like(recall), where=both
            )
            orders += both
        precision /= np.maximum(orders, 1)
        recall /= np.maximum(orders, 1)
        above = (1 + BETA**2) * precision * recall
        below = BETA**2 * precision + recall
        values = np.divide(above, below, out=np.zeros_like(recall), where=below > 0)
        best = block.aggregated(values, "max")[:, None]
        return 100 * best / 100  # bit for bit what sacrebleu's percent is as a fraction

    @classmethod
    def recompute(
        cls, chosen: Sequence[Self], aggregation: ReferenceAggregation
    ) -> Callable[[PlainRow], Sequence[float]]:
        try:
            from sacrebleu.metrics.chrf import CHRF  # needed by nothing else
        except ImportError as error:
            raise PackageMissing("verify of chrf needs: pip install sacrebleu") from error
        theirs = CHRF(char_order=ORDER, word_order=0, beta=BETA)

        def row(given: PlainRow) -> list[float]:
            prediction, *references = map(nfc, given.texts)
            return [float(theirs.sentence_score(prediction, references).score) / 100]

        return row


def _cut(text: str) -> str:
    """Its characters; one string is a sequence of them."""
    return "".join(nfc(text).split())
