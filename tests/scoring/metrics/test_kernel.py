"""The fast kernel equals the plain definition and the rouge-score package, bit for bit."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from konlpy.corpus import kolaw
from rouge_score.rouge_scorer import RougeScorer

from scoring import tokenizers
from scoring.metrics import kernel
from scoring.metrics.definition import rouge
from scoring.metrics.kernel import Lookup, NumberedTokens, Vocabulary
from scoring.metrics.metric import RowPredictions
from scoring.metrics.rouge import Rouge
from scoring.profile import Profile

ALL = ("rouge1", "rouge2", "rouge3", "rougeL")
Rows = list[tuple[list[str], list[list[str]]]]


def by_kernel(rows: Rows, profile: Profile) -> np.ndarray:
    vocabulary = Vocabulary()
    block = kernel.index([golds for _, golds in rows], vocabulary, 3)
    return score(block, vocabulary.look_up([prediction for prediction, _ in rows]), profile)


def score(block: kernel.Block, tokens: NumberedTokens, profile: Profile) -> np.ndarray:
    chosen = [Rouge(name) for name in profile.metrics]
    return Rouge.score(chosen, block, RowPredictions((), tokens), profile.gold_aggregation)


def by_definition(rows: Rows, family: str, measure: str) -> list[float]:
    return [
        max(rouge(family, prediction, gold).measure(measure) for gold in golds)
        for prediction, golds in rows
    ]


texts = st.lists(st.sampled_from("가나다라"), max_size=12)
rows = st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=5)


@given(rows, st.sampled_from(["f1", "precision", "recall"]))
def test_equal_to_the_definition(rows: Rows, measure: str) -> None:
    profile = Profile(metrics=tuple(f"{family}.{measure}" for family in ALL))
    found = by_kernel(rows, profile)
    for column, family in enumerate(ALL):
        assert found[:, column].tolist() == by_definition(rows, family, measure)


class Given:
    def tokenize(self, tokens: list[str]) -> list[str]:
        return tokens


def korean_rows(count: int) -> Rows:
    """Predictions and golds mixed from the words of the Korean constitution."""
    words = kolaw.open("constitution.txt").read().split()
    cut = tokenizers.get("mecab-ko")
    dice = random.Random(7)

    def text(base: list[str]) -> list[str]:
        mixed = [word if dice.random() < 0.7 else dice.choice(words) for word in base]
        return list(cut(" ".join(mixed)))

    made: Rows = []
    for _ in range(count):
        start = dice.randrange(len(words) - 8)
        base = words[start : start + 8]
        made.append((text(base), [text(base) for _ in range(3)]))
    return made


@pytest.fixture(scope="module")
def korean() -> Rows:
    return korean_rows(300)


def test_equal_to_rouge_score_on_real_korean(korean: Rows) -> None:
    """900 pairs in two blocks here; the bench compares 6,000."""
    scorer = RougeScorer(list(ALL), tokenizer=Given())
    theirs = [
        [best[family].fmeasure for family in ALL]
        for best in (scorer.score_multi(golds, prediction) for prediction, golds in korean)
    ]
    assert np.abs(by_kernel(korean, Profile(metrics=ALL)) - np.array(theirs)).max() == 0.0


def test_a_token_of_a_later_block_is_no_token_of_this_one() -> None:
    vocabulary = Vocabulary()
    first = kernel.index([[["가", "나"]]], vocabulary, 2)
    kernel.index([[["다", "라"]]], vocabulary, 2)
    found = score(first, vocabulary.look_up([["다", "라", "가"]]), Profile())
    assert found[0, 0] == rouge("rouge1", "다라가", "가나").f1
    assert found[0, 1] == 0


@pytest.mark.parametrize("different", [253, 254, 255, 256, 300])
def test_characters_grow_where_a_row_has_many_different_tokens(different: int) -> None:
    """From the 256th on a character takes two bytes, in the golds, the prediction, or both."""
    gold = [f"t{number}" for number in range(different)]
    for prediction in (gold[:7], gold[::-1], [*gold[-9:], "elsewhere", *gold[:3]]):
        rows: Rows = [(prediction, [gold]), (["elsewhere"], [["elsewhere", "t1"]])]
        found = by_kernel(rows, Profile(metrics=("rougeL",)))
        assert found[:, 0].tolist() == by_definition(rows, "rougeL", "f1")


def test_token_numbers_step_around_the_surrogates() -> None:
    """Beyond 55,296 different tokens a naive character would be half a surrogate pair."""
    many = [f"t{number}" for number in range(60_000)]
    found = by_kernel([(many[50_000:], [many])], Profile(metrics=("rougeL.precision",)))
    assert found[0, 0] == 1.0


@given(st.sets(st.integers(0, 2**40)), st.lists(st.integers(-1, 2**40)))
def test_lookup_finds_what_is_there(keys: set[int], others: list[int]) -> None:
    ordered = sorted(keys)
    wanted = [*ordered, *others]
    found = Lookup.of(np.array(ordered, dtype=np.int64)).find(np.array(wanted, dtype=np.int64))
    expected = [ordered.index(key) if key in keys else -1 for key in wanted]
    assert found.tolist() == expected
