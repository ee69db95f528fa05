"""Values of a pipeline that are computed from earlier ones, by the name calls use for them."""

from collections.abc import Callable, Mapping
from typing import Any

from scoring.judges import deepeval, mastra

Values = Mapping[str, Any]


def _asked(values: Values) -> list[dict[str, str]]:
    return [{"id": each["id"], "question": each["question"]} for each in values["S1.questions"]]


def _counts(values: Values) -> dict[str, int]:
    verdicts, answers = values["P2.decomposition"], values["P3.answers"]
    return {
        "claims": len(verdicts),
        "supported": sum(item["verdict"] == "yes" for item in verdicts),
        "questions": len(answers),
        "answered": sum(item["answered"] for item in answers),
    }


def _mastra(score: Callable[..., mastra.MastraScore], field: str) -> Callable[[Values], float]:
    def computed(values: Values) -> float:
        result = score(
            [item["verdict"] for item in values["alignment.verdicts"]],
            values["answers.answers"],
            len(values["questions.questions"]),
            values["scale"],
        )
        return float(getattr(result, field))

    return computed


def _rebuilt(field: str) -> Callable[[Values], float]:
    def computed(values: Values) -> float:
        result = mastra.rebuilt(
            [item["supported"] for item in values["judge.alignment"]],
            [item["answered"] for item in values["cover.coverage"]],
            len(values["judge.questions"]),
            values["scale"],
            values["max_questions"],
        )
        return float(getattr(result, field))

    return computed


def _assessment(values: Values) -> list[str]:
    return list(values["assessment_questions"] or values["questions.questions"])


def _deepeval_printed(values: Values) -> str:
    result = deepeval.summarization(
        [item["verdict"] for item in values["alignment.verdicts"]],
        values["source_answers.answers"],
        values["summary_answers.answers"],
        questions=len(_assessment(values)),
        strict_mode=values["strict_mode"],
    )
    return f"{result.score:.2f}"


def _reasons(label: str) -> Callable[[Values], list[str | None]]:
    return lambda values: [
        item["reason"] for item in values["alignment.verdicts"] if item["verdict"] == label
    ]


def _open_questions(values: Values) -> list[str]:
    answers = zip(values["source_answers.answers"], values["summary_answers.answers"], strict=False)
    return [
        question
        for question, (source, summary) in zip(_assessment(values), answers, strict=False)
        if deepeval.is_yes(source) and not deepeval.is_yes(summary)
    ]


_FIELDS = ("score", "alignment_score", "coverage_score")

DERIVED: Mapping[str, Callable[[Values], Any]] = {
    # artefacts: the questions without the evidence that suggested them
    "S1.asked": _asked,
    # shared
    "counts": _counts,
    "unsupported": lambda values: [
        item["point"] for item in values["P2.decomposition"] if item["verdict"] != "yes"
    ],
    "unanswered": lambda values: [
        item["question"] for item in values["P3.answers"] if not item["answered"]
    ],
    "uncovered": lambda values: [
        content["transcript_content"]
        for item in values["P3.completeness"]
        for content in item["content_list"]
        if not content["is_covered"]
    ],
    # faithful
    **{f"page.{field}": _mastra(mastra.page, field) for field in _FIELDS},
    **{f"legacy.{field}": _mastra(mastra.legacy, field) for field in _FIELDS},
    **{f"rebuilt.{field}": _rebuilt(field) for field in _FIELDS},
    "judge.first_questions": lambda values: values["judge.questions"][: values["max_questions"]],
    "truths.joined": lambda values: "\n\n".join(values["truths.truths"]),
    "assessment": _assessment,
    "deepeval.printed": _deepeval_printed,
    "contradictions": _reasons("no"),
    "redundancies": _reasons("idk"),
    "open_questions": _open_questions,
    "questions.free": lambda values: (
        [] if values["kind"] == "categorical" else values["questions.questions"]
    ),
}
