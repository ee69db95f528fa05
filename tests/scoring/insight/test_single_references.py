"""Files scored by each reference alone: equal to the plain loop."""

import math

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer

from scoring.insight.single_references import by_references, changes
from scoring.pipeline import prepare
from scoring.profile import PRESETS
from scoring.references import ReferenceRow, References

ROWS = 30
GOLDS = References.from_examples(
    [
        ReferenceRow(
            f"r{n}",
            (f"가 나 {n % 7} 라 {n % 3}", f"가 {n % 5} 다 {n}", f"마 {n % 7} 바")[: 2 + n % 2],
        )
        for n in range(ROWS)
    ]
)
TEXTS = {
    "a": {f"r{n}": f"가 나 {n % 7} 라" for n in range(ROWS)},
    "b": {f"r{n}": f"가 {n % 5} 다" for n in range(ROWS)},
    "c": {f"r{n}": "가 나" for n in range(ROWS)},
}
METRICS = ("rouge1", "rouge2", "rougeL")


class Given:
    def tokenize(self, text: str) -> list[str]:
        return text.split()


SCORER = RougeScorer(list(METRICS), tokenizer=Given())


def plain(text: str, gold: str) -> list[float]:
    found = SCORER.score(gold, text)
    return [found[metric].fmeasure for metric in METRICS]


def test_each_reference_alone_is_a_plain_loop() -> None:
    prepared = prepare(GOLDS, PRESETS["max-sum"].with_tokenizer("whitespace"))
    found = by_references([(texts, {}) for texts in TEXTS.values()], prepared)
    assert len(found) == 3
    for slot, values in enumerate(found):
        for file, texts in zip(values, TEXTS.values(), strict=True):
            for row, example in zip(file, GOLDS.examples, strict=True):
                gold = example.references[min(slot, len(example.references) - 1)]
                assert row.tolist() == plain(texts[example.example_id], gold)


def test_tau_is_that_of_counting_pairs() -> None:
    dice = np.random.default_rng(3)
    one, other = dice.integers(9, size=40).tolist(), dice.integers(9, size=40).tolist()
    same = apart = left = right = 0
    for a in range(40):
        for b in range(a):
            sign = (one[a] - one[b]) * (other[a] - other[b])
            same, apart = same + (sign > 0), apart + (sign < 0)
            left, right = left + (one[a] != one[b]), right + (other[a] != other[b])
    assert changes(one, other).tau == pytest.approx((same - apart) / math.sqrt(left * right))
