"""ROUGE in plain Python: the definition, to be read and to be tested against.

Candidate = the prediction's tokens, reference = one gold's tokens. Equal bit for bit to the
`rouge-score` package given the same tokens. The pipeline uses `kernel`, which must agree with this.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

Measure = Literal["f1", "precision", "recall"]
ReferenceAggregation = Literal["max", "mean"]


class Overlap(NamedTuple):
    """How much two texts share, in counts; the three measures follow from them."""

    overlap: int
    candidate_count: int
    reference_count: int

    @property
    def precision(self) -> float:
        """Shared part of the candidate; 0 where there is nothing to share."""
        return self.overlap / max(self.candidate_count, 1)

    @property
    def recall(self) -> float:
        """Shared part of the reference; 0 where there is nothing to share."""
        return self.overlap / max(self.reference_count, 1)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in the order of operations of rouge-score."""
        precision, recall = self.precision, self.recall
        if precision + recall > 0:
            return 2 * precision * recall / (precision + recall)
        return 0.0

    def measure(self, name: Measure) -> float:
        """Precision, recall or F1 by name."""
        if name == "f1":
            return self.f1
        return self.precision if name == "precision" else self.recall


def ngrams(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """All runs of n tokens, in order.

    >>> ngrams(["the", "cat", "was"], 2)
    [('the', 'cat'), ('cat', 'was')]
    """
    return [tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1)]


def rouge(family: str, candidate: Sequence[str], reference: Sequence[str]) -> Overlap:
    """`rouge1`, `rouge2`, `rouge3`: shared n-grams; each counts at most as often as in both.

    `rougeL`: length of the longest common subsequence (order kept, gaps allowed).

    >>> bed, cat = "under the bed there was the cat".split(), "the cat was under the bed".split()
    >>> rouge("rouge2", bed, cat)
    Overlap(overlap=3, candidate_count=6, reference_count=5)
    >>> rouge("rougeL", bed, cat)
    Overlap(overlap=3, candidate_count=7, reference_count=6)
    """
    if family == "rougeL":
        common = common_subsequence(candidate, reference)
        return Overlap(len(common), len(candidate), len(reference))
    n = int(family.removeprefix("rouge"))
    ours, theirs = Counter(ngrams(candidate, n)), Counter(ngrams(reference, n))
    return Overlap((ours & theirs).total(), ours.total(), theirs.total())


def aggregated(values: Sequence[float], how: ReferenceAggregation) -> float:
    """One value for a row: the best or the exactly rounded mean over its references."""
    return max(values) if how == "max" else math.fsum(values) / len(values)


def common_subsequence(candidate: Sequence[str], reference: Sequence[str]) -> list[tuple[int, int]]:
    """One longest common subsequence, as pairs of positions (candidate, reference)."""
    rows, columns = len(candidate), len(reference)
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            if candidate[row] == reference[column]:
                best[row][column] = best[row + 1][column + 1] + 1
            else:
                best[row][column] = max(best[row + 1][column], best[row][column + 1])
    pairs = []
    row = column = 0
    while row < rows and column < columns:
        if candidate[row] == reference[column]:
            pairs.append((row, column))
            row, column = row + 1, column + 1
        elif best[row + 1][column] >= best[row][column + 1]:
            row += 1
        else:
            column += 1
    return pairs
