"""Pipelines: the published call graphs, isolation, and walking with scripted answers."""

from collections.abc import Mapping
from typing import Any

import pytest

from scoring.judges import derived, walking
from scoring.judges.call_graph import Call, Pipeline
from scoring.judges.derived import DERIVED
from scoring.judges.pipelines import PIPELINES
from scoring.judges.records import Question, Rubric, SourceContent

GIVEN = set(walking.given())
QUESTIONS = (Question("q1", "보고서를 내는가?"), Question("q2", "자료를 보내는가?"))
RUBRICS = (
    Rubric("r1", "요약", "결정을 적는다", "결정을 적었는가?"),
    Rubric("r2", "요약", "날짜를 적는다", "날짜를 적었는가?"),
)
CONTENTS = (SourceContent("s1", "r1", "보고서를 내기로 했다."),)


def calls() -> list[Any]:
    return [
        pytest.param(pipeline, call, id=f"{name}-{call.id}")
        for name, pipeline in PIPELINES.items()
        for call in pipeline.calls
    ]


def walk(
    pipeline: Pipeline, answers: Mapping[str, Any], **given: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values at the end, and the material of each call that was made."""
    values = walking.given(**given)
    made: dict[str, Any] = {}
    for call in pipeline.calls:
        if walking.is_skipped(call, values):
            answer = call.skipped
        else:
            made[call.id] = walking.material(call, values)
            answer = answers[call.id]
        values = walking.with_answer(values, call, answer)
    return values, made


@pytest.mark.parametrize(("pipeline", "call"), calls())
def test_inputs_are_there_when_they_are_needed(pipeline: Pipeline, call: Call) -> None:
    before = {each.id for each in pipeline.calls[: pipeline.calls.index(call)]}
    assert before.issuperset(call.after)
    waited, queue = set(), list(call.after)
    while queue:
        each = queue.pop()
        waited.add(each)
        queue += next(other.after for other in pipeline.calls if other.id == each)
    for name in (*call.inputs.values(), *call.skip_if, *call.skip_if_empty):
        assert name in GIVEN or name in DERIVED or name.split(".")[0] in waited


# Columns: what each call sees beside ids, questions and rubrics (the isolation of hostile text).
@pytest.mark.parametrize(
    ("call_id", "sees"),
    [
        ("P1", {"summary"}),
        ("P2", {"dialogue", "claims"}),
        ("P3", {"summary", "questions", "rubrics"}),
        ("P4", {"summary", "dialogue", "rubrics"}),
        ("P5", {"counts", "unsupported", "unanswered", "uncovered"}),
    ],
)
def test_isolation(call_id: str, sees: set[str]) -> None:
    [call] = [each for each in PIPELINES["shared"].calls if each.id == call_id]
    assert set(call.inputs) == sees


def test_no_call_about_a_summary_sees_a_reference() -> None:
    for name, pipeline in PIPELINES.items():
        for call in pipeline.calls:
            if name == "artefacts":
                assert "summary" not in call.inputs.values()
            else:
                assert "references" not in call.inputs.values()


SHARED_ANSWERS = {
    "P1": {"claims": [{"id": "x", "point": "보고서를 낸다."}, {"id": "x", "point": "비가 온다."}]},
    "P2": {
        "decomposition": [
            {"id": "c1", "point": "보고서를 낸다.", "evidence": "보고서 낼게", "accuracy": "맞다",
             "verdict": "yes"},
            {"id": "c2", "point": "비가 온다.", "evidence": None, "accuracy": "없다",
             "verdict": "unsure"},
        ]
    },
    "P3": {
        "answers": [
            {"id": "q1", "question": "보고서를 내는가?", "related_content_from_summary": "보고서를",
             "reasoning": "말한다", "answered": True},
            {"id": "q2", "question": "자료를 보내는가?", "related_content_from_summary": None,
             "reasoning": "없다", "answered": False},
        ],
        "completeness": [
            {"id": "r1", "question": "결정을 적었는가?", "content_list": [
                {"id": "s1", "transcript_content": "보고서를 내기로 했다.",
                 "related_content_from_summary": "보고서를", "is_covered": True}]},
        ],
    },
    "P4": {
        "rubrics": [
            {"id": "r1", "question": "결정을 적었는가?", "related_content_from_summary": "보고서를",
             "reasoning": "적었다", "is_addressed": True},
            {"id": "r2", "question": "날짜를 적었는가?", "related_content_from_summary": None,
             "reasoning": "없다", "is_addressed": False},
        ]
    },
}  # fmt: skip
SUMMARY, DIALOGUE = "보고서를 낸다. 비가 온다.", "#Person1#: 보고서 낼게"


def test_shared_makes_three_calls_and_four_with_adherence() -> None:
    texts = {"summary": SUMMARY, "dialogue": DIALOGUE}
    shared = PIPELINES["shared"]
    _, three = walk(shared, SHARED_ANSWERS, questions=QUESTIONS, **texts)
    assert list(three) == ["P1", "P2", "P3"]
    _, four = walk(
        shared, SHARED_ANSWERS, questions=QUESTIONS, rubrics=RUBRICS, contents=CONTENTS, **texts
    )
    assert list(four) == ["P1", "P2", "P3", "P4"]
    assert four["P2"]["claims"] == [
        {"id": "c1", "point": "보고서를 낸다."},
        {"id": "c2", "point": "비가 온다."},
    ]
    assert four["P3"] == {
        "summary": SUMMARY,
        "questions": [
            {"id": "q1", "question": "보고서를 내는가?"},
            {"id": "q2", "question": "자료를 보내는가?"},
        ],
        "rubrics": [
            {
                "id": "r1",
                "question": "결정을 적었는가?",
                "contents": [{"id": "s1", "transcript_content": "보고서를 내기로 했다."}],
            }
        ],
    }
    assert [each["id"] for each in four["P4"]["rubrics"]] == ["r1", "r2"]


def test_shared_feeds_every_column() -> None:
    shared = PIPELINES["shared"]
    values, _ = walk(
        shared, SHARED_ANSWERS, summary=SUMMARY, dialogue=DIALOGUE, questions=QUESTIONS,
        rubrics=RUBRICS, contents=CONTENTS,
    )  # fmt: skip
    fed = derived.records(shared, values)
    assert list(fed) == list(shared.systems)
    assert fed["mastra"] == {
        "alignment": ["yes", "unsure"], "coverage": ["yes", "no"], "questions": 2, "scale": 1,
    }  # fmt: skip
    assert fed["deepeval"]["source_answers"] == ["yes", "yes"]
    assert fed["google-accuracy"]["decomposition"][0] == {
        "point": "보고서를 낸다.", "accuracy": "맞다", "is_accurate": True,
    }  # fmt: skip
    assert [each["is_addressed"] for each in fed["google-adherence"]["rubrics"]] == [True, False]
    assert fed["google-completeness"][0]["content_list"][0]["is_covered"] is True


def test_no_claims_and_no_questions_need_one_call() -> None:
    _, made = walk(PIPELINES["shared"], {"P1": {"claims": []}}, summary="음…", dialogue=DIALOGUE)
    assert list(made) == ["P1"]


def test_the_reason_is_asked_only_on_request() -> None:
    _, made = walk(
        PIPELINES["shared"], {**SHARED_ANSWERS, "P5": {"reason": "까닭"}}, summary=SUMMARY,
        dialogue=DIALOGUE, questions=QUESTIONS, reason=True,
    )  # fmt: skip
    assert made["P5"] == {
        "counts": {"claims": 2, "supported": 1, "questions": 2, "answered": 1},
        "unsupported": ["비가 온다."],
        "unanswered": ["자료를 보내는가?"],
        "uncovered": [],
    }


def test_calls_that_need_not_wait() -> None:
    def ready(name: str, *over: str) -> list[str]:
        return [call.id for call in PIPELINES[name].ready(frozenset(over))]

    assert ready("shared") == ["P1", "P3", "P4"]
    assert ready("shared", "P1", "P3", "P4") == ["P2"]
    assert ready("faithful:deepeval") == ["truths", "claims"]
    assert ready("faithful:deepeval", "truths", "claims") == ["questions", "alignment"]
    for name in ("faithful:mastra", "faithful:mastra-2026"):
        over: list[str] = []
        while next_calls := ready(name, *over):
            assert len(next_calls) == 1
            over += next_calls


MASTRA_ANSWERS = {
    "claims": {"claims": ["가", "나", "다"]},
    "alignment": {"verdicts": [
        {"claim": "가", "reason": "", "verdict": "yes"},
        {"claim": "나", "reason": "", "verdict": "Yes"},
        {"claim": "다", "reason": "", "verdict": "unsure"}]},
    "questions": {"questions": ["1?", "2?", "3?", "4?"]},
    "answers": {"answers": ["yes", "yes", "yes", "no"]},
    "reason": {"reason": "까닭"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "parts"), [("mastra", (0.67, 0.75)), ("mastra-legacy", (6.67, 7.5))]
)
def test_mastra_makes_five_calls_in_a_row(name: str, parts: tuple[float, float]) -> None:
    pipeline = PIPELINES[f"faithful:{name}"]
    values, made = walk(pipeline, MASTRA_ANSWERS, summary=SUMMARY, dialogue=DIALOGUE, scale=10)
    assert list(made) == ["claims", "alignment", "questions", "answers", "reason"]
    assert set(made["answers"]) == {"original", "summary", "questions"}
    assert made["reason"]["score"] == 6.67
    assert (made["reason"]["alignment_score"], made["reason"]["coverage_score"]) == parts
    assert derived.records(pipeline, values)[name] == {
        "alignment": ["yes", "Yes", "unsure"], "coverage": ["yes", "yes", "yes", "no"],
        "questions": 4, "scale": 10,
    }  # fmt: skip


def test_mastra_2026_hides_the_source_from_the_answers() -> None:
    pipeline = PIPELINES["faithful:mastra-2026"]
    answers = {
        "judge": {"alignment": [{"claim": "가", "reason": "", "supported": True}],
                  "questions": [f"{n}?" for n in range(14)]},
        "cover": {"coverage": [{"question": f"{n}?", "reason": "", "answered": n < 5}
                               for n in range(10)]},
        "reason": {"reason": "까닭"},
    }  # fmt: skip
    values, made = walk(pipeline, answers, summary=SUMMARY, dialogue=DIALOGUE)
    assert set(made["cover"]) == {"summary", "questions"}
    assert len(made["cover"]["questions"]) == 10
    assert made["reason"]["score"] == 0.5
    assert derived.records(pipeline, values)["mastra-2026"]["questions"] == 14


DEEPEVAL_ANSWERS = {
    "truths": {"truths": ["사실 1", "사실 2"]},
    "claims": {"claims": ["가", "나"]},
    "questions": {"questions": ["1?", "2?"]},
    "source_answers": {"answers": ["yes", "yes"]},
    "summary_answers": {"answers": ["yes", "no"]},
    "alignment": {"verdicts": [{"reason": None, "verdict": "yes"},
                               {"reason": "다르다", "verdict": "no"}]},
    "reason": {"reason": "까닭"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "given", "left_out"),
    [
        ({}, {"reason": True}, set()),
        ({}, {"reason": False}, {"reason"}),
        ({}, {"reason": True, "assessment_questions": ["1?", "2?"]}, {"questions"}),
        ({"claims": {"claims": []}}, {"reason": True}, {"alignment"}),
    ],
)
def test_deepeval_makes_seven_calls_or_fewer(
    answers: dict[str, Any], given: dict[str, Any], left_out: set[str]
) -> None:
    pipeline = PIPELINES["faithful:deepeval"]
    values, made = walk(
        pipeline, {**DEEPEVAL_ANSWERS, **answers}, summary=SUMMARY, dialogue=DIALOGUE, **given
    )
    assert set(made) == set(DEEPEVAL_ANSWERS) - left_out
    assert made["source_answers"]["questions"] == ["1?", "2?"]
    fed = derived.records(pipeline, values)["deepeval"]
    assert (fed["source_answers"], fed["questions"]) == (["yes", "yes"], 2)
    if "alignment" in made:
        assert made["alignment"] == {"truths": "사실 1\n\n사실 2", "claims": ["가", "나"]}
    if "reason" in made and "alignment" in made:
        assert made["reason"] == {
            "score": "0.50", "contradictions": ["다르다"], "redundancies": [], "questions": ["2?"],
        }  # fmt: skip


GOOGLE_ANSWERS = {
    "questions": {"questions": ["결정을 적었는가?"]},
    "accuracy": {"decomposition": [{"point": "가", "accuracy": "", "is_accurate": True}]},
    "adherence": {"rubrics": [{"question": "1", "reasoning": "", "is_addressed": True}]},
    "completeness": {"completeness": [{"question": "1", "content_list": []}]},
}


@pytest.mark.parametrize(
    ("given", "made_calls"),
    [
        ({"instruction": "결정을 적는다"}, ["questions", "accuracy", "adherence", "completeness"]),
        ({"instruction": "맑음 또는 흐림", "kind": "categorical"},
         ["questions", "accuracy", "adherence"]),
        ({}, ["accuracy"]),
    ],
)  # fmt: skip
def test_google_asks_what_the_section_allows(given: dict[str, Any], made_calls: list[str]) -> None:
    pipeline = PIPELINES["faithful:google"]
    values, made = walk(pipeline, GOOGLE_ANSWERS, summary=SUMMARY, dialogue=DIALOGUE, **given)
    assert list(made) == made_calls
    fed = derived.records(pipeline, values)
    assert fed["google-accuracy"] == GOOGLE_ANSWERS["accuracy"]
    assert bool(fed["google-adherence"]["rubrics"]) == ("adherence" in made_calls)
    assert bool(fed["google-completeness"]) == ("completeness" in made_calls)


def test_artefacts_are_numbered_by_us_and_answered_without_the_hint() -> None:
    answers = {
        "S0": {"rubrics": [{"id": "", "question": "결정을 적었는가?"}]},
        "S1": {"questions": [{"id": "9", "evidence": "낼게", "question": "보고서를 내는가?"}]},
        "S2": {"answers": []},
        "S3": {"completeness": []},
    }
    values, made = walk(
        PIPELINES["artefacts"], answers, dialogue=DIALOGUE, rubrics=RUBRICS,
        section="요약", instruction="결정을 적는다", references=["사람이 쓴 요약"],
    )  # fmt: skip
    assert values["S0.rubrics"][0]["id"] == "r1"
    assert made["S2"]["questions"] == [{"id": "q1", "question": "보고서를 내는가?"}]
    assert made["S3"]["references"] == ["사람이 쓴 요약"]
