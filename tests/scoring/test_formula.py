"""What the page says is what the code does: formula, example and token marks."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import pipeline
from scoring.explain import worked_example
from scoring.formula import describe
from scoring.messages import Language
from scoring.profile import PRESETS, Profile
from scoring.references import ReferenceRow, References

# A row written by hand for the sample contest; the numbers were worked out with rouge-score.
PREDICTION = (
    "포트에서 물이 새서 찾아온 손님에게 점원은 카드 내역으로 확인한 뒤 "
    "문자로 알려 주겠다고 했습니다."
)
GOLDS = (
    "손님은 물이 새는 전기포트를 교환하러 왔고, "
    "점원은 금요일에 재고가 들어오면 문자로 알려 주기로 합니다.",
    "지난주에 산 전기포트에서 물이 새자 손님이 교환을 요청합니다. "
    "재고가 없어 금요일에 다시 방문하기로 합니다.",
    "손님은 영수증이 없지만 카드 내역으로 구매를 확인받고, 같은 전기포트로 바꾸기로 합니다.",
)

profiles = st.builds(
    Profile,
    tokenizer=st.just("chars"),
    gold_aggregation=st.sampled_from(["max", "mean"]),
    metric_aggregation=st.sampled_from(["sum", "mean"]),
    scale=st.sampled_from([1, 100]),
    metrics=st.lists(
        st.sampled_from(["rouge1", "rouge2.recall", "rouge3", "rougeL", "rougeL.precision"]),
        min_size=1,
        unique=True,
    ).map(tuple),
)
texts = st.text("가나다 ", max_size=8)


def test_the_page_in_korean() -> None:
    text = describe(Profile(), language="ko")
    assert text.explanation == (
        "예측한 요약을 사람이 쓴 정답 3개와 형태소 단위로 비교해 ROUGE-1, ROUGE-2, ROUGE-L의 F1을 "
        "구합니다. 지표마다 가장 높은 정답의 값을 골라 셋을 더하므로, 한 행의 만점은 3.0000입니다."
    )
    assert text.formula == (
        "행 점수 = max(i=1..3) F1[ROUGE-1](p, gᵢ) + max(i=1..3) F1[ROUGE-2](p, gᵢ)"
        " + max(i=1..3) F1[ROUGE-L](p, gᵢ)"
    )
    assert dict(text.settings)["배율"] == "1 (만점 3.0000)"
    assert dict(text.settings)["정답 선택"] == "지표마다 최고 max"


def test_the_stages_profile_in_english() -> None:
    text = describe(PRESETS["stages"], language="en", ngolds=(1, 3))
    assert text.formula.startswith("row score = 100 × (mean(i=1..n) F1[ROUGE-1](p, gᵢ) + ")
    assert text.formula.endswith(") / 3")
    assert "each metric is averaged over the references" in text.explanation.lower()
    assert "100.0000" in text.explanation
    assert "nobody can reach it" in text.explanation


@given(profiles, st.sampled_from([(1, 1), (2, 2), (3, 3), (5, 5), (1, 3)]))
def test_the_formula_has_a_term_per_metric(profile: Profile, ngolds: tuple[int, int]) -> None:
    for language in ("ko", "en"):
        text = describe(profile, ngolds=ngolds, language=language)
        labels = re.findall(r"\[(ROUGE-.)\]", text.formula)
        assert labels == [metric.label for metric in profile.counting]
        assert ("max" in text.formula) == (profile.gold_aggregation == "max" and ngolds != (1, 1))


def test_every_pair_of_profiles_reads_differently() -> None:
    several = [*PRESETS.values(), Profile(metrics=("rouge1.recall",)), Profile(tokenizer="chars")]
    for language in ("ko", "en"):
        for part in ("formula", "explanation"):
            said = {getattr(describe(profile, language=language), part) for profile in several}
            assert len(said) >= len(several) - 1  # the formula does not name the tokenizer


@pytest.mark.parametrize("ngolds", [(0, 3), (3, 1)])
def test_impossible_numbers_of_golds(ngolds: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="ngolds"):
        describe(Profile(), ngolds=ngolds)


def test_a_worked_example() -> None:
    row = worked_example(Profile(), PREDICTION, GOLDS)
    shown = [[f"{score.value:.4f}" for score in gold.scores] for gold in row.golds]
    assert shown == [
        ["0.4407", "0.2456", "0.3390"],
        ["0.3103", "0.1786", "0.3103"],
        ["0.4151", "0.1176", "0.3396"],
    ]
    assert [one.winner for one in row.chosen] == [1, 1, 3]
    assert row.arithmetic == "0.4407 + 0.2456 + 0.3396 = 1.0259"


def test_a_worked_example_under_the_mean() -> None:
    row = worked_example(PRESETS["stages"], PREDICTION, GOLDS, "en")
    assert [one.winner for one in row.chosen] == [None] * 3
    assert not any(score.won for gold in row.golds for score in gold.scores)
    assert row.arithmetic == "(0.3887 + 0.1806 + 0.3297) / 3 × 100 = 29.9656"


def test_no_gold_wins_a_metric_in_which_nothing_is_shared() -> None:
    row = worked_example(Profile(tokenizer="whitespace"), "b a", ["a b", "a c"])
    assert [[score.value for score in gold.scores] for gold in row.golds] == [
        [1.0, 0.0, 0.5],
        [0.5, 0.0, 0.5],
    ]
    assert [[score.won for score in gold.scores] for gold in row.golds] == [
        [True, False, True],
        [False, False, False],
    ]
    assert [one.winner for one in row.chosen] == [1, None, 1]
    assert [one.value for one in row.chosen] == [1.0, 0.0, 0.5]


@given(profiles, texts, st.lists(texts.filter(str.strip), min_size=1, max_size=3))
def test_the_worked_value_is_the_scored_value(
    profile: Profile, prediction: str, golds: list[str]
) -> None:
    row = worked_example(profile, prediction, golds)
    references = References.from_examples([ReferenceRow("a", tuple(golds))])
    report = pipeline.score({"a": prediction}, pipeline.prepare(references, profile))
    assert [one.value for one in row.chosen] == report.examples[0].tolist()
    assert row.row_value == report.splits["all"].total


def test_marks_of_a_row() -> None:
    row = worked_example(
        Profile(tokenizer="whitespace"), "the dog sat on the mat", ["the cat sat on a mat"]
    )
    ours, gold = row.golds[0].ours, row.golds[0].marks
    assert [mark.token for mark in ours if not mark.unigram] == ["dog", "the"]
    assert [mark.token for mark in gold if not mark.unigram] == ["cat", "a"]
    assert [mark.token for mark in ours if mark.bigram] == ["sat", "on"]
    assert [mark.token for mark in ours if mark.in_order] == ["the", "sat", "on", "mat"]
    assert row.golds[0].won == ("ROUGE-1", "ROUGE-2", "ROUGE-L")


@given(texts, texts.filter(str.strip), st.sampled_from(["ko", "en"]))
def test_marks_count_what_the_metrics_count(prediction: str, gold: str, language: Language) -> None:
    row = worked_example(Profile(tokenizer="chars"), prediction, [gold], language)
    shared = {score.metric: score.overlap for score in row.golds[0].scores}
    for marks in (row.golds[0].ours, row.golds[0].marks):
        assert sum(mark.unigram for mark in marks) == shared["rouge1"]
        assert sum(mark.in_order for mark in marks) == shared["rougeL"]
        assert any(mark.bigram for mark in marks) == (shared["rouge2"] > 0)
