"""Real Korean for the benchmarks: sentences of KoNLPy's corpora, cut and mixed by a fixed seed."""

import csv
import io
import random
from dataclasses import dataclass
from functools import cache

from konlpy.corpus import kobill, kolaw

from scoring.references import ReferenceRow, References

SEED = 20260101
GOLDS = 3
# About 40 morphemes, the length of a summary in the contest.
WORDS = 19


@dataclass(frozen=True)
class Material:
    """A contest's golds and one file of predictions."""

    references: References
    predictions: dict[str, str]
    file: bytes


@cache
def words() -> tuple[str, ...]:
    """All blank-separated words of both corpora, in order."""
    found: list[str] = []
    for corpus in (kolaw, kobill):
        for name in sorted(corpus.fileids()):
            with corpus.open(name) as text:
                found += text.read().split()
    return tuple(found)


def make(rows: int, golds: int = GOLDS, length: int = WORDS) -> Material:
    """Rows of golds that share about two thirds of their words, and a prediction likewise.

    length: of each text, in words.
    """
    dice = random.Random(SEED)
    examples = []
    predictions = {}
    for number in range(rows):
        start = dice.randrange(len(words()) - length)
        base = words()[start : start + length]
        texts = [_mixed(base, dice) for _ in range(golds + 1)]
        predictions[f"test_{number}"] = texts.pop()
        split = ("public", "private")[number % 2]
        examples.append(ReferenceRow(f"test_{number}", tuple(texts), split))
    return Material(References.from_examples(examples), predictions, _csv(predictions))


def _mixed(base: tuple[str, ...], dice: random.Random) -> str:
    kept = [
        word if dice.random() < 0.67 else words()[dice.randrange(len(words()))] for word in base
    ]
    cut = dice.randrange(len(kept))
    return " ".join(kept[cut:] + kept[:cut] if dice.random() < 0.3 else kept)


def _csv(predictions: dict[str, str]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("fname", "summary"))
    writer.writerows(predictions.items())
    return out.getvalue().encode()
