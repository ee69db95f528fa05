"""The same job done with what others would install."""

import io
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import mecab
import pandas as pd
from rouge_score.rouge_scorer import RougeScorer
from rouge_score_rs.rouge_scorer import RougeScorer as RustScorer

from benchmarks.material import Material

FAMILIES = ["rouge1", "rouge2", "rougeL"]


class _Given:
    """A tokenizer for texts that are tokens already."""

    def tokenize(self, tokens: Sequence[str]) -> Sequence[str]:
        return tokens


class _Morphs:
    """The tokenizer as everyone writes it."""

    def __init__(self) -> None:
        self._mecab = mecab.MeCab()

    def tokenize(self, text: str) -> list[str]:
        return self._mecab.morphs(text)


def mapped(texts: Sequence[Sequence[str]], words: dict[str, str]) -> list[str]:
    """Texts whose tokens are words of ASCII, which the peers' own fast tokenizer keeps apart.

    `words` takes in what is new.
    """
    for token in chain.from_iterable(texts):
        if token not in words:
            words[token] = f"w{len(words)}"
    return [" ".join([words[token] for token in tokens]) for tokens in texts]


class Batch:
    """The fastest road of the fastest peer: all pairs in one call, golds cut and mapped before.

    Bit-equal to one call a pair. It runs on as many threads as RAYON_NUM_THREADS says.
    """

    def __init__(self, golds: Sequence[Sequence[Sequence[str]]]) -> None:
        self._words: dict[str, str] = {}
        self._counts = list(map(len, golds))
        self._golds = [text for row in golds for text in mapped(row, self._words)]
        self._scorer = RustScorer(FAMILIES)

    def mapped(self, predictions: Sequence[Sequence[str]]) -> list[str]:
        """Predictions as the peer's words. New words stay with the file."""
        return mapped(predictions, dict(self._words))

    def score(self, predictions: Sequence[str]) -> list[list[float]]:
        """Rows x metrics of mapped predictions, the best F1 over the golds."""
        texts = [
            text
            for text, count in zip(predictions, self._counts, strict=True)
            for _ in range(count)
        ]
        scores = iter(self._scorer.score_batch(self._golds, texts))
        rows = [[next(scores) for _ in range(count)] for count in self._counts]
        return [[max(one[family].fmeasure for one in row) for family in FAMILIES] for row in rows]


def given_tokens(
    predictions: Sequence[Sequence[str]], golds: Sequence[Sequence[Sequence[str]]], rust: bool
) -> list[list[float]]:
    """Kernel only: rows x metrics, the best F1 over the golds."""
    scorer = (RustScorer if rust else RougeScorer)(FAMILIES, tokenizer=_Given())
    return [
        _best(scorer, prediction, row) for prediction, row in zip(predictions, golds, strict=True)
    ]


def whole_file(material: Material, rust: bool) -> Callable[[], list[list[float]]]:
    """Bytes of a file to values, cutting every text where it is needed."""
    scorer = (RustScorer if rust else RougeScorer)(FAMILIES, tokenizer=_Morphs())

    def run() -> list[list[float]]:
        frame = pd.read_csv(io.BytesIO(material.file))
        texts = dict(zip(frame["fname"], frame["summary"], strict=True))
        return [
            _best(scorer, texts[example.example_id], example.references)
            for example in material.references.examples
        ]

    return run


def whole_file_batch(material: Material) -> Callable[[], list[list[float]]]:
    """Bytes of a file to values by the batch road, golds cut before as ours are."""
    cut = mecab.MeCab().morphs
    ids = material.references.ids
    batch = Batch([list(map(cut, row.references)) for row in material.references.examples])

    def run() -> list[list[float]]:
        frame = pd.read_csv(io.BytesIO(material.file))
        texts = dict(zip(frame["fname"], frame["summary"], strict=True))
        return batch.score(batch.mapped([cut(texts[example_id]) for example_id in ids]))

    return run


def _best(scorer: Any, prediction: Any, golds: Sequence[Any]) -> list[float]:
    best = scorer.score_multi(golds, prediction)
    return [best[family].fmeasure for family in FAMILIES]
