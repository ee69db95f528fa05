"""`native` beyond the golden cases: evidence, length, sections, what stops a metric."""

import unicodedata
from dataclasses import replace
from typing import Any

import pytest

from scoring.judges import evidence, joining, native, rows, systems
from scoring.judges import native as conciseness
from scoring.judges.evidence import LengthLimit, gate, stands_in
from scoring.judges.parsing import Malformed
from scoring.judges.records import Asked, Question, RowResult, Rubric, SourceContent, Status
from tests.scoring.judging import answers


def own(*args: Any, **changed: Any) -> dict[str, Any]:
    return systems.score("native", answers.native(*args, **changed))


TEXT = "#Person1#: 이번 주 토요일 세 시에 도서관 앞에서 만나자.\n#Person2#: 좋아, 그때 보자!"


@pytest.mark.parametrize(
    "span",
    [
        "토요일 세 시에 도서관 앞에서 만나자.",
        "“토요일 세 시에 도서관 앞에서 만나자”",
        "#Person2#: 좋아, 그때 보자!",
        # 21 of 22 characters: one syllable differs.
        "이번 주 토요일 네 시에 도서관 앞에서 만나자. #Person2#",
        unicodedata.normalize("NFD", "토요일 세 시에 도서관"),
    ],
)
def test_a_span_that_is_there(span: str) -> None:
    assert stands_in(span, TEXT)


@pytest.mark.parametrize(
    "span",
    [
        None,
        "",
        "!?",
        "일요일 네 시에 학교 앞에서 만나자",
        # Its characters stand in the text in this order, but not in one stretch.
        "이번 도서관 만나자 좋아 보자",
        # Longer than the text, with all of the text in it.
        TEXT + "그리고 둘은 저녁을 먹고 집에 돌아가서 오래 이야기를 나눈다",
    ],
)
def test_a_span_that_is_not_there(span: str | None) -> None:
    assert not stands_in(span, TEXT)


def test_nine_tenths_of_the_characters() -> None:
    text = "가나다라마바사아자차"
    assert stands_in("가나다라마바사아자하", text)
    assert not stands_in("가나다라마바사아호하", text)


def test_a_hostile_span_costs_little() -> None:
    """A long span is looked up, not compared."""
    long = "가나" * 200_000
    assert not stands_in(long, "가" * 20_000)
    assert not stands_in("가" * (evidence.LONGEST_NEAR_MATCH + 1), "가나" * 10_000)


def test_the_length_gate() -> None:
    assert gate("가" * 1_000, "") is None
    assert gate("가" * 1_001, "나" * 1_251) == "too_long"
    assert gate("가" * 1_001, "나" * 1_252) is None
    assert gate(unicodedata.normalize("NFD", "각") * 1_000, "") is None
    assert gate("가" * 11, "", LengthLimit(10, 0.5)) == "too_long"
    assert gate("가" * 11, "나" * 22, LengthLimit(10, 0.5)) is None


def test_a_no_needs_no_words() -> None:
    assert own("NU", "N", {"r1": "F"}, "F")["flags"] == []


def test_evidence_of_claims_is_looked_for_in_the_dialogue_only() -> None:
    said = answers.verdicts("Y")
    said[0]["evidence"] = answers.IN_SUMMARY
    assert own("Y", "Y", decomposition=said)["alignment"] == 0
    asked = answers.answers("Y")
    asked[0]["related_content_from_summary"] = answers.IN_DIALOGUE
    assert own("Y", "Y", answers=asked)["coverage"] == 0


def change(records: dict[str, Any], key: str, **fields: Any) -> dict[str, Any]:
    records[key][0] |= fields
    return records


@pytest.mark.parametrize(
    ("metric", "key", "fields"),
    [
        ("alignment", "decomposition", {"id": "c9"}),
        ("alignment", "decomposition", {"id": None}),
        ("alignment", "decomposition", {"verdict": True}),
        ("alignment", "claims", {"id": "c2"}),
        ("coverage", "answers", {"id": "q2"}),
        ("coverage", "answers", {"answered": "True"}),
        ("completeness", "completeness", {"id": "r9"}),
        ("completeness", "completeness", {"content_list": None}),
        ("adherence", "adherence", {"id": "a9"}),
    ],
)
def test_a_malformed_answer_fails_its_metric_and_no_other(
    metric: str, key: str, fields: dict[str, Any]
) -> None:
    records = change(answers.native("YY", "YY", {"r1": "TT"}, "TT"), key, **fields)
    judged = systems.score("native", records)
    assert judged["metrics"][metric]["status"] == "content_failed"
    assert judged[metric] == 0
    assert "judge_unreadable" in judged["metrics"][metric]["flags"]
    for other in {"alignment", "coverage", "completeness", "adherence"} - {metric}:
        assert judged[other] == 1


def test_an_item_that_is_no_object() -> None:
    assert own("Y", "Y", decomposition=["text"])["alignment"] == 0


def test_what_was_not_asked_is_not_applicable() -> None:
    judged = own("Y")
    assert [judged[name] for name in ("alignment", "coverage", "score")] == [1, None, None]
    assert judged["completeness"] is None
    assert judged["adherence"] is None
    assert judged["conciseness"] is None


def test_what_was_asked_and_never_answered_is_zero() -> None:
    records = answers.native("Y", "Y", {"r1": "T"}, "T")
    for key in ("answers", "completeness", "adherence", "decomposition"):
        del records[key]
    judged = systems.score("native", records)
    assert {each["status"] for each in judged["metrics"].values()} == {"content_failed"}
    assert not any(judged[name] for name in judged["metrics"])


def test_a_rubric_without_contents_may_be_left_out() -> None:
    records = answers.native("Y", "Y", {"r1": "TF", "r2": ""})
    del records["completeness"][1]
    assert systems.score("native", records)["completeness"] == 0.5


def test_sections_are_averaged_before_the_row() -> None:
    records = answers.native("Y", "Y", {"r1": "T", "r2": "F", "r3": "T"}, "TFT")
    records["asked"]["sections"] = {
        "r1": "a",
        "r2": "a",
        "r3": "b",
        "a1": "a",
        "a2": "a",
        "a3": "b",
    }
    judged = systems.score("native", records)
    # a: mean of 1 and 0, b: 1.
    assert judged["completeness"] == judged["adherence"] == 0.75


def test_a_categorical_section_needs_no_judge() -> None:
    asked = {"questions": ["q1"], "categorical": {"k1": ["맑음", "흐림"]}}
    for summary, value in ((" 맑음\n", 1), ("오늘은 맑음", 0)):
        judged = own("Y", "Y", asked=asked, summary=summary)
        assert judged["adherence"] == value
    mixed = own("Y", "Y", None, "T", asked={**asked, "adherence": ["a1"]})
    assert mixed["adherence"] == 0.5


def test_conciseness_is_the_share_of_claims_that_carry_something() -> None:
    records = answers.native("YY", "Y", {"r1": "T"})
    records["claims"][0]["point"] = "두 사람은 도서관 앞에서 만난다."
    records["claims"][1]["point"] = "날씨가 매우 덥다."
    assert systems.score("native", records)["conciseness"] == 0.5
    uncovered = answers.native("YY", "Y", {"r1": "F"})
    assert systems.score("native", uncovered)["conciseness"] == 0
    assert own("", "Y", {"r1": "T"})["conciseness"] == 0


def test_a_speaker_alone_makes_no_claim_carry_a_span() -> None:
    claims = [{"id": "c1", "point": "#Person1#은 웃는다."}]
    assert not conciseness.carrying(claims, ["#Person1#은 두통이 심해", "", "#Person1#"])


*GIVEN, RETURNED = systems.native_records(answers.native("YN", "YY", {"r1": "T"}, "T"))


@pytest.mark.parametrize(
    ("stopped", "status", "score"),
    [
        ({}, "scored", 0.5),
        ({"alignment": Status.INFRA_ERROR}, "infra_error", None),
        ({"coverage": Status.PENDING}, "pending", None),
        ({"alignment": Status.CONTENT_FAILED}, "content_failed", 0),
        ({"alignment": Status.CONTENT_FAILED, "coverage": Status.INFRA_ERROR}, "infra_error", None),
        ({"alignment": Status.SKIPPED_BUDGET}, "skipped_budget", None),
        ({"coverage": Status.SOURCE_BLOCKED}, "source_blocked", None),
    ],
)
def test_a_metric_that_stopped(
    stopped: dict[str, Status], status: str, score: float | None
) -> None:
    scored = native.score(*GIVEN, replace(RETURNED, stopped=stopped))
    assert scored.metrics["summarization"].status.value == status
    assert scored.score == score
    assert scored.metrics["adherence"].score == 1


def test_asked_comes_from_the_frozen_artefacts() -> None:
    asked = Asked.of(
        [Question("q1", "?")],
        [
            Rubric("r1", "요약", "결정을 적는다", "?"),
            Rubric("r2", "요약", "", "?"),
            Rubric("k1", "날씨", "맑음 또는 흐림", "?", "categorical", ("맑음", "흐림")),
        ],
        [SourceContent("s1", "r1", "내용"), SourceContent("s2", "r1", "내용")],
    )
    assert asked == Asked(
        ("q1",),
        {"r1": ("s1", "s2"), "r2": ()},
        ("r1",),
        {"k1": ("맑음", "흐림")},
        {"r1": "요약", "r2": "요약", "k1": "날씨"},
    )


def test_too_many_or_too_long_claims_are_asked_for_again() -> None:
    joining.limits([{"id": f"c{n}", "point": "가" * 200} for n in range(30)])
    with pytest.raises(Malformed, match="too_many_claims"):
        joining.limits([{"id": f"c{n}", "point": ""} for n in range(31)])
    with pytest.raises(Malformed, match="claim_too_long"):
        joining.limits([{"id": "c1", "point": "가" * 201}])


def result(status: Status, score: float | None) -> RowResult:
    return RowResult("alignment", status, score)


def test_rows_nothing_can_come_of_are_not_expected() -> None:
    column = rows.column(
        [
            result(Status.SCORED, 1.0),
            result(Status.NOT_APPLICABLE, None),
            result(Status.SOURCE_BLOCKED, None),
            result(Status.NOT_SAMPLED, None),
        ]
    )
    assert (column.mean, column.rows, column.expected) == (1.0, 1, 1)
    assert column.low is None
    waiting = rows.column(
        [result(status, None) for status in (Status.PENDING, Status.SKIPPED_BUDGET)]
    )
    assert (waiting.mean, waiting.rows, waiting.expected) == (None, 0, 2)
    assert rows.column([]).mean is None


def test_a_sample_of_a_finite_contest() -> None:
    """Standard deviation 0.25: 100 rows give 0.025, of 500 rows 0.0224."""
    results = [result(Status.SCORED, 0.5 + 0.25 * (-1) ** n) for n in range(100)]
    assert rows.column(results).error == pytest.approx(0.025, abs=2e-4)
    of_500 = rows.column(results, population=500)
    assert of_500.error == pytest.approx(0.0224, abs=2e-4)
    everybody = rows.column(results, population=100)
    assert (everybody.error, everybody.low, everybody.high) == (0, 0.5, 0.5)
