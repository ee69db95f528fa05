"""The same job done with what others would install."""

import io
from collections.abc import Callable, Sequence
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


def _best(scorer: Any, prediction: Any, golds: Sequence[Any]) -> list[float]:
    best = scorer.score_multi(golds, prediction)
    return [best[family].fmeasure for family in FAMILIES]
