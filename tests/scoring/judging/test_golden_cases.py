"""The golden cases: fixed answers of a judge, and the number each system makes of them.

Expected numbers come from the systems' published pages (1, 17, 18, 20), from their code run with
scripted answers (2-16), from the API's comments (19, 21, 22), and from this house's rules (23-28).
A: alignment verdicts, C: coverage answers on the summary, O: answers on the source.
"""

import math
from typing import Any

import pytest

from scoring.judges import google, native, parsing, rows, systems
from scoring.judges.parsing import (
    MissingAnswer,
    NoThreshold,
    TooManyAnswers,
    UnequalAnswers,
    UnknownLabel,
)
from scoring.judges.records import RowResult, Status
from scoring.statistics import pairs
from tests.scoring.judging import answers
from tests.scoring.judging.answers import ELSEWHERE
from tests.scoring.judging.pages import CATEGORICAL, COMPLETENESS, DECOMPOSITION, NONCATEGORICAL

LABELS = answers.LABELS


def labels(written: str) -> list[str]:
    return [LABELS[letter] for letter in written]


def mastra(system: str, a: str, c: str, **options: Any) -> tuple[float, float, float]:
    """score, alignmentScore, coverageScore."""
    records = {"alignment": labels(a), "coverage": labels(c), **options}
    result = systems.score(system, records)
    return result["score"], result["info"]["alignmentScore"], result["info"]["coverageScore"]


def deepeval(a: list[Any], o: str, c: str, **options: Any) -> dict[str, Any]:
    return systems.score(
        "deepeval",
        {"alignment": a, "source_answers": labels(o), "summary_answers": labels(c), **options},
    )


def parts(result: dict[str, Any]) -> tuple[float, float, float]:
    breakdown = result["score_breakdown"]
    return result["score"], breakdown["Alignment"], breakdown["Coverage"]


def own(*args: Any, **changed: Any) -> dict[str, Any]:
    return systems.score("native", answers.native(*args, **changed))


def test_case_01_the_page_of_mastra() -> None:
    assert mastra("mastra", "YN", "YYYN") == (0.5, 0.5, 0.75)
    assert mastra("mastra-legacy", "YN", "YYYN") == (0.5, 0.5, 0.75)
    judged = deepeval(labels("YN"), "YYYY", "YYYN")
    assert judged["score_breakdown"] == {"Alignment": 0.5, "Coverage": 0.75}
    assert judged["score"] == 0.5
    assert parts(own("YN", "YYYN")) == (0.5, 0.5, 0.75)


@pytest.mark.parametrize("system", ["mastra", "mastra-legacy"])
def test_case_02_unsure_counts_as_no_and_case_is_folded(system: str) -> None:
    records = {"alignment": labels("YUN"), "coverage": ["yes", " YES "]}
    result = systems.score(system, records)
    assert result["score"] == 0.33
    assert result["info"]["alignmentScore"] == 0.33
    assert result["info"]["coverageScore"] == 1


def test_case_03_legacy_scales_the_parts_too() -> None:
    assert mastra("mastra-legacy", "YYN", "YYYN", scale=10) == (6.67, 6.67, 7.5)
    # The page: sub-scores 0..1, min * scale.
    assert mastra("mastra", "YYN", "YYYN", scale=10) == (6.67, 0.67, 0.75)


def test_case_04_the_rebuild_does_not() -> None:
    assert mastra("mastra-2026", "YYN", "YYYN", scale=10) == (6.67, 0.67, 0.75)


@pytest.mark.parametrize("system", ["mastra", "mastra-legacy"])
def test_case_05_halves_are_rounded_up(system: str) -> None:
    assert mastra(system, "YNNNNNNN", "Y") == (0.13, 0.13, 1.0)
    assert round(1 / 8, 2) == 0.12


def test_case_06_no_claims() -> None:
    assert mastra("mastra", "", "YYYN") == (0, 0, 0.75)
    assert mastra("mastra-legacy", "", "YYYN") == (0, 0, 0.75)
    assert parts(deepeval([], "YYYY", "YYYN")) == (0, 0, 0.75)
    judged = own("", "YYYN")
    assert parts(judged) == (0, 0, 0.75)
    assert judged["flags"] == ["no_claims"]
    assert judged["status"] == "scored"


def test_case_07_no_questions() -> None:
    assert mastra("mastra", "Y", "") == (0, 1, 0)
    assert mastra("mastra-legacy", "Y", "") == (0, 1, 0)
    assert parts(deepeval(["yes"], "", "")) == (0, 1, 0)
    judged = own("Y", "")
    assert parts(judged) == (None, 1, None)
    assert judged["status"] == "not_applicable"
    assert judged["metrics"]["coverage"]["status"] == "not_applicable"


def test_case_08_an_answer_is_missing() -> None:
    records = {"alignment": ["yes"], "coverage": ["yes"], "questions": 2}
    with pytest.raises(TypeError) as crashed:
        systems.score("mastra-legacy", records)
    assert isinstance(crashed.value, MissingAnswer)
    judged = own("Y", "YY", answers=answers.answers("Y"))
    assert parts(judged) == (0, 1, 0)
    assert judged["status"] == "content_failed"
    assert judged["flags"] == ["judge_unreadable", "missing_id"]


def test_case_09_the_rebuild_counts_a_missing_answer_as_unanswered() -> None:
    assert mastra("mastra-2026", "Y", "Y", questions=4) == (0.25, 1, 0.25)


def test_case_10_the_rebuild_cuts_further_answers() -> None:
    assert mastra("mastra-2026", "Y", "YNN", questions=1) == (1, 1, 1)
    assert mastra("mastra-2026", "Y", "Y" * 10 + "N" * 4, questions=14) == (1, 1, 1)
    assert mastra("mastra-2026", "Y", "Y" * 10, questions=14, max_questions=20)[0] == 0.71


def test_case_11_questions_the_source_denies_leave_the_denominator() -> None:
    score, alignment, coverage = parts(deepeval(labels("YN"), "YNYY", "YYNN"))
    assert (alignment, coverage) == (0.5, 1 / 3)
    assert score == pytest.approx(0.3333, abs=1e-4)
    over_all = deepeval(labels("YN"), "YNYY", "YYNN", coverage_over="all")
    assert parts(over_all) == (0.25, 0.5, 0.25)


def test_case_12_the_source_denies_all() -> None:
    assert parts(deepeval(["yes"], "NNNN", "YYYY")) == (0, 1, 0)


def test_case_13_a_verdict_is_missing() -> None:
    assert parts(deepeval(["yes"], "YYYY", "YYYN")) == (0.75, 1.0, 0.75)
    judged = own("YN", "YYYN", decomposition=answers.verdicts("Y"))
    assert parts(judged) == (0, 0, 0.75)
    assert judged["metrics"]["alignment"]["status"] == "content_failed"


def test_case_14_both_lists_of_answers_are_short() -> None:
    assert parts(deepeval(labels("YN"), "YY", "YY", questions=4)) == (0.5, 0.5, 1.0)
    with pytest.raises(ValueError, match="ValueError") as crashed:
        deepeval(["yes"], "YYYY", "YY", questions=4)
    assert isinstance(crashed.value, UnequalAnswers)
    with pytest.raises(IndexError) as beyond:
        deepeval(["yes"], "YYYYY", "YYYYY", questions=4)
    assert isinstance(beyond.value, TooManyAnswers)
    judged = own("YN", "YYYY", answers=answers.answers("YY"))
    assert parts(judged) == (0, 0.5, 0)
    assert judged["metrics"]["coverage"]["status"] == "content_failed"


def test_case_15_strict_mode_and_threshold() -> None:
    strict = deepeval(labels("YN"), "YYYY", "YYYN", strict_mode=True)
    assert parts(strict) == (0, 0, 0)
    assert strict["success"] is False
    perfect = deepeval(["yes"], "YY", "YY", strict_mode=True)
    assert parts(perfect) == (1.0, 1.0, 1.0)
    assert perfect["success"] is True
    assert deepeval(labels("YN"), "YYYY", "YYYN", threshold=0.5)["success"] is True
    assert deepeval(labels("YN"), "YYYY", "YYYN", threshold=0.51)["success"] is False
    assert deepeval(labels("YN"), "YYYY", "YYYN", threshold=None)["success"] is None
    with pytest.raises(NoThreshold):
        deepeval(["yes"], "Y", "Y", threshold=None, version="3.7")


def test_case_16_unknown_labels() -> None:
    with pytest.raises(UnknownLabel):
        deepeval(["unsure", "yes"], "Y", "Y", version="3.7")
    assert parts(deepeval(["unsure", "yes"], "Y", "Y")) == (1.0, 1.0, 1.0)
    # Measured beside the golden case: 4.3 goes by the first word.
    assert parts(deepeval(["No, it is off", "Yes."], "Y", "Y")) == (0.5, 0.5, 1.0)
    judged = own(["unsure", "yes"], "Y")
    assert parts(judged) == (0.5, 0.5, 1)
    assert judged["unsure"] == 1
    for alias in ("idk", "borderline", " Unsure "):
        assert own([alias, "yes"], "Y")["alignment"] == 0.5
    malformed = own(["maybe", "yes"], "Y")
    assert (malformed["alignment"], malformed["score"]) == (0, 0)
    assert malformed["metrics"]["alignment"]["status"] == "content_failed"


def test_case_17_accuracy_of_the_page_of_google() -> None:
    judged = systems.score("google-accuracy", {"decomposition": DECOMPOSITION})
    assert judged["score"] == 0.5
    assert judged["decomposition"] == DECOMPOSITION


def test_case_18_adherence_of_the_page_of_google() -> None:
    assert systems.score("google-adherence", {"rubrics": CATEGORICAL})["score"] == 0.0
    assert systems.score("google-adherence", {"rubrics": NONCATEGORICAL})["score"] == 1.0


def test_case_19_a_prebuilt_section_has_no_adherence() -> None:
    records = {"rubrics": NONCATEGORICAL, "custom": False}
    assert systems.score("google-adherence", records)["score"] is None
    assert google.mean([None, 1.0, 0.5]) == 0.75


def test_case_20_completeness_of_the_page_of_google() -> None:
    judged = systems.score("google-completeness", COMPLETENESS)
    assert judged["per_question"] == [1.0, 0.0, 0.0, None, None]
    assert judged["score"] == pytest.approx(1 / 3)
    assert judged["excluded"] == 2
    assert judged["micro"] == pytest.approx(3 / 5)


def test_case_21_completeness_that_does_not_apply() -> None:
    empty = [{"question": "a", "content_list": []}, {"question": "b", "content_list": []}]
    assert systems.score("google-completeness", empty)["score"] is None
    assert systems.score("google-completeness", [])["score"] is None
    categorical = {"completeness": COMPLETENESS, "categorical": True}
    assert systems.score("google-completeness", categorical)["score"] is None
    judged = own("Y", "Y", {"r1": "", "r2": ""})
    assert judged["completeness"] is None
    assert judged["metrics"]["completeness"]["status"] == "not_applicable"


def test_case_22_roll_up() -> None:
    assert google.mean([0.5, 1.0, None]) == 0.75
    assert google.roll_up([[0.5, 1.0, None], [0.25]]) == 0.5
    assert google.roll_up([[0.75], [None], [0.25]]) == 0.5
    assert google.roll_up([[None], []]) is None


@pytest.mark.parametrize("blank", ["  \n", "", "\u200b\u3000"])
def test_case_23_a_blank_summary(blank: str) -> None:
    asked = {"questions": ["q1"], "completeness": {"r1": ["s1"]}, "adherence": ["a1"]}
    for said in ({}, answers.native("Y", "Y", {"r1": "T"}, "T")):
        judged = systems.score("native", {**said, "summary": blank, "dialogue": "", "asked": asked})
        assert judged["flags"] == ["empty_summary"]
        for metric in judged["metrics"]:
            assert judged[metric] == 0
            assert judged["metrics"][metric]["status"] == "scored"
    nothing_asked = systems.score("native", {"summary": blank, "dialogue": "", "asked": {}})
    assert (nothing_asked["alignment"], nothing_asked["coverage"]) == (0, None)


@pytest.mark.parametrize("span", [ELSEWHERE, "", None, " \n", "..."])
def test_case_24_a_span_that_is_not_there(span: str | None) -> None:
    said = answers.contents({"r1": "TT"})
    said[0]["content_list"][1]["related_content_from_summary"] = span
    records = answers.native("Y", "Y", {"r1": "TT"})
    judged = systems.score("native", records | {"completeness": said})
    assert judged["completeness"] == 0.5
    assert judged["flags"] == ["evidence_missing"]
    assert judged["metrics"]["completeness"]["items"] == {"r1/s1": True, "r1/s2": False}


def test_case_25_a_column_with_a_row_missing() -> None:
    results = [
        RowResult("summarization", Status.SCORED, 1.0),
        RowResult("summarization", Status.SCORED, 0.5),
        RowResult("summarization", Status.SCORED, 0.0),
        RowResult("summarization", Status.INFRA_ERROR, None),
        RowResult("summarization", Status.CONTENT_FAILED, 0.0),
    ]
    column = rows.column(results)
    assert column.mean == 0.375
    assert (column.rows, column.expected) == (4, 5)
    assert column.deviation == pytest.approx(0.4787, abs=5e-5)
    assert column.error == pytest.approx(0.2394, abs=5e-5)


@pytest.mark.parametrize("between", ["", "\n", " and honestly: "])
def test_case_26_two_objects_in_one_reply(between: str) -> None:
    planted, honest = '{"answers": [{"answered": true}]}', '{"answers": [{"answered": false}]}'
    with pytest.raises(parsing.Malformed, match="not_one_json_value"):
        parsing.parse(planted + between + honest)


def test_case_28_two_submissions_are_paired() -> None:
    ours = {"a": 0.6, "b": 0.5, "c": 0.4, "d": 0.9, "only ours": 1.0, "failed": None}
    theirs = {"a": 0.5, "b": 0.4, "c": 0.5, "d": 0.6, "only theirs": 0.0, "failed": 0.5}
    difference = pairs.paired(ours, theirs)
    assert difference.rows == 4
    assert difference.mean == pytest.approx(0.1)
    # From the differences .1 .1 -.1 .3: sample s.d. sqrt(0.08 / 3), not from two means.
    assert difference.deviation == pytest.approx(math.sqrt(0.08 / 3))
    assert difference.error == pytest.approx(math.sqrt(0.08 / 3) / 2)
    # Of four signs one flip in eight keeps or turns all: no value is rejected at 5 %.
    assert (difference.low, difference.high) == (None, None)
    # By hand: the sum is .4; of the 16 flips of .1 .1 .1 .3 four pairs of opposites reach it.
    assert difference.p == pytest.approx(8 / 16, abs=0.02)
    assert not difference.distinguishable


def test_the_cases_use_the_same_rules_as_the_server() -> None:
    """The command line's records become the arguments the worker calls `native.score` with."""
    given = systems.native_records(answers.native("YN", "YYYN"))
    assert native.score(*given).score == 0.5
