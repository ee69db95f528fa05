"""Other ways to score the first files: equal to the plain loop, and to what a draw of both is."""

import math

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer

from scoring.insight import ways
from scoring.pipeline import prepare
from scoring.profile import PRESETS
from scoring.ranking import printed
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
    found = ways.by_references(list(TEXTS), TEXTS.__getitem__, prepared)
    assert len(found) == 3
    for slot, values in enumerate(found):
        for file, texts in zip(values, TEXTS.values(), strict=True):
            for row, example in zip(file, GOLDS.examples, strict=True):
                gold = example.references[min(slot, len(example.references) - 1)]
                assert row.tolist() == plain(texts[example.example_id], gold)


def test_another_analyzer_is_that_of_a_profile_with_it() -> None:
    prepared = prepare(GOLDS, PRESETS["max-sum"].with_tokenizer("whitespace"))
    values = ways.by_analyzer(["a"], TEXTS.__getitem__, prepared, "chars")
    [total] = ways.order_of(values, prepared, np.arange(ROWS))
    best = [
        [max(each) for each in zip(*(plain(" ".join(text.replace(" ", "")),
                                           " ".join(gold.replace(" ", "")))
                                     for gold in row.references), strict=True)]
        for row in GOLDS.examples
        for text in [TEXTS["a"][row.example_id]]
    ]  # fmt: skip
    means = [math.fsum(column) / ROWS for column in zip(*best, strict=True)]
    assert total == printed(math.fsum(means))


@pytest.mark.parametrize("preset", ["max-sum", "mean-sum"])
def test_noise_of_rows_and_references_is_about_that_of_drawing_both(preset: str) -> None:
    prepared = prepare(GOLDS, PRESETS[preset].with_tokenizer("whitespace"))
    alone = ways.by_references(list(TEXTS), TEXTS.__getitem__, prepared)
    found = ways.noise_of_both(alone, prepared, seed=7)
    assert found == ways.noise_of_both(alone, prepared, seed=7)
    stacked, dice = np.stack(alone), np.random.default_rng(1)  # references x files x rows x metrics
    drawn = []
    for _ in range(600):
        rows = dice.integers(ROWS, size=ROWS)
        slots = dice.integers(3, size=(3, ROWS))
        given = np.stack([stacked[slots[k], :, rows] for k in range(3)])
        best = given.max(axis=0) if preset == "max-sum" else given.mean(axis=0)
        drawn.append(best.sum(axis=2).mean(axis=0))
    moved = np.array(drawn) - np.mean(drawn, axis=0)
    expected = float(np.quantile(np.ptp(moved, axis=1), 0.95))
    assert found == pytest.approx(expected, rel=0.12)


def test_tau_is_that_of_counting_pairs() -> None:
    dice = np.random.default_rng(3)
    one, other = dice.integers(9, size=40).tolist(), dice.integers(9, size=40).tolist()
    same = apart = left = right = 0
    for a in range(40):
        for b in range(a):
            sign = (one[a] - one[b]) * (other[a] - other[b])
            same, apart = same + (sign > 0), apart + (sign < 0)
            left, right = left + (one[a] != one[b]), right + (other[a] != other[b])
    assert ways.tau(one, other) == pytest.approx((same - apart) / math.sqrt(left * right))
