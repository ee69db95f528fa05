"""ROUGE by its definition: worked by hand, and against the rouge-score package."""

from fractions import Fraction

import pytest

from scoring.metrics.definition import Overlap, common_subsequence, rouge

GOLD = ["the", "cat", "was", "under", "the", "bed"]
PREDICTION = ["under", "the", "bed", "there", "was", "the", "cat"]


def exact_f1(overlap: Overlap) -> Fraction:
    """2PR/(P+R) = 2 x overlap / (both counts), without any rounding."""
    return Fraction(2 * overlap.overlap, overlap.candidate_count + overlap.reference_count)


@pytest.mark.parametrize(
    ("family", "overlap", "f1"),
    [  # the worked example of the contest's page
        ("rouge1", Overlap(6, 7, 6), Fraction(12, 13)),
        ("rouge2", Overlap(3, 6, 5), Fraction(6, 11)),
        ("rougeL", Overlap(3, 7, 6), Fraction(6, 13)),
    ],
)
def test_the_cat(family: str, overlap: Overlap, f1: Fraction) -> None:
    found = rouge(family, PREDICTION, GOLD)
    assert found == overlap
    assert exact_f1(found) == f1
    assert found.f1 == pytest.approx(float(f1), abs=2e-16)


# Counted by hand: prediction, gold, family, shared, of the prediction, of the gold.
BY_HAND = [
    ("나 는 밥 을 먹 었 다", "나 는 빵 을 먹 었 다", "rouge1", 6, 7, 7),
    ("나 는 밥 을 먹 었 다", "나 는 빵 을 먹 었 다", "rouge2", 4, 6, 6),
    ("나 는 밥 을 먹 었 다", "나 는 빵 을 먹 었 다", "rouge3", 2, 5, 5),
    ("나 는 밥 을 먹 었 다", "나 는 빵 을 먹 었 다", "rougeL", 6, 7, 7),
    ("을 을 을", "을 을 밥", "rouge1", 2, 3, 3),  # clipped
    ("을 을 을", "을 을 밥", "rouge2", 1, 2, 2),
    ("다 었 먹", "먹 었 다", "rouge1", 3, 3, 3),
    ("다 었 먹", "먹 었 다", "rougeL", 1, 3, 3),
    ("네", "네", "rouge1", 1, 1, 1),
    ("네", "네", "rouge2", 0, 0, 0),  # one token has no pair
    ("네", "네", "rougeL", 1, 1, 1),
    ("", "네", "rouge1", 0, 0, 1),
    ("", "네", "rougeL", 0, 0, 1),
    ("😀 ㅋㅋ", "😀 ㅎㅎ", "rouge1", 1, 2, 2),
    ("가 나 다 라 마", "나 라", "rougeL", 2, 5, 2),
]


@pytest.mark.parametrize(("prediction", "gold", "family", "shared", "ours", "theirs"), BY_HAND)
def test_by_hand(
    prediction: str, gold: str, family: str, shared: int, ours: int, theirs: int
) -> None:
    assert rouge(family, prediction.split(), gold.split()) == Overlap(shared, ours, theirs)


def test_nothing_over_nothing_is_zero() -> None:
    assert (Overlap(0, 0, 0).precision, Overlap(0, 0, 0).recall, Overlap(0, 0, 0).f1) == (0, 0, 0)


def test_the_common_subsequence_is_one() -> None:
    pairs = common_subsequence(PREDICTION, GOLD)
    assert [PREDICTION[left] for left, _ in pairs] == [GOLD[right] for _, right in pairs]
    assert pairs == sorted(pairs)
    assert len({right for _, right in pairs}) == len(pairs) == 3
