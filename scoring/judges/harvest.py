"""From the answers of a walked pipeline to the records each system is scored from."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scoring.judges.call_graph import Pipeline
from scoring.judges.derived import DERIVED, Values
from scoring.judges.records import Asked

# Where the lists of `native` stand among the values of a walked row.
NATIVE_LISTS: Mapping[str, str] = {
    "claims": "P1.claims",
    "decomposition": "P2.decomposition",
    "answers": "P3.answers",
    "completeness": "P3.completeness",
    "adherence": "P4.rubrics",
}


def records(pipeline: Pipeline, values: Values) -> dict[str, Any]:
    """Records of every system the pipeline feeds, in the form of the command line."""
    return {system: _RECORDS[pipeline.family, system](values) for system in pipeline.systems}


def _native(values: Values) -> dict[str, Any]:
    asked: Asked = values["asked"]
    return {
        "summary": values["summary"],
        "dialogue": values["dialogue"],
        "asked": {
            "questions": list(asked.questions),
            "completeness": {rubric: list(ids) for rubric, ids in asked.completeness.items()},
            "adherence": list(asked.adherence),
            "categorical": {rubric: list(those) for rubric, those in asked.categorical.items()},
            "sections": dict(asked.sections),
            "absent": sorted(asked.absent),
            "texts": dict(asked.texts),
        },
        **{field: values[name] for field, name in NATIVE_LISTS.items()},
    }


def _labels(values: Values) -> list[str]:
    return [item["verdict"] for item in values["P2.decomposition"]]


def _answered(values: Values) -> list[str]:
    return ["yes" if item["answered"] else "no" for item in values["P3.answers"]]


def _without(items: Sequence[Mapping[str, Any]], *left_out: str) -> list[dict[str, Any]]:
    return [{key: item[key] for key in item if key not in left_out} for item in items]


def _shared_accuracy(values: Values) -> dict[str, Any]:
    return {
        "decomposition": [
            {
                "point": item["point"],
                "accuracy": item["accuracy"],
                "is_accurate": item["verdict"] == "yes",
            }
            for item in values["P2.decomposition"]
        ]
    }


def _shared_completeness(values: Values) -> list[dict[str, Any]]:
    return [
        {"question": item["question"], "content_list": _without(item["content_list"], "id")}
        for item in values["P3.completeness"]
    ]


def _mastra(values: Values) -> dict[str, Any]:
    return {
        "alignment": [item["verdict"] for item in values["alignment.verdicts"]],
        "coverage": list(values["answers.answers"]),
        "questions": len(values["questions.questions"]),
        "scale": values["scale"],
    }


def _mastra_2026(values: Values) -> dict[str, Any]:
    return {
        "alignment": [item["supported"] for item in values["judge.alignment"]],
        "coverage": [item["answered"] for item in values["cover.coverage"]],
        "questions": len(values["judge.questions"]),
        "max_questions": values["max_questions"],
        "scale": values["scale"],
    }


def _deepeval(values: Values) -> dict[str, Any]:
    return {
        "alignment": [item["verdict"] for item in values["alignment.verdicts"]],
        "source_answers": list(values["source_answers.answers"]),
        "summary_answers": list(values["summary_answers.answers"]),
        "questions": len(DERIVED["assessment"](values)),
        "threshold": values["threshold"],
        "strict_mode": values["strict_mode"],
    }


_RECORDS: Mapping[tuple[str, str], Callable[[Values], Any]] = {
    ("shared", "native"): _native,
    ("shared", "mastra"): lambda values: {
        "alignment": _labels(values),
        "coverage": _answered(values),
        "questions": len(values["questions"]),
        "scale": values["scale"],
    },
    # Frozen questions are those that the source answers yes.
    ("shared", "deepeval"): lambda values: {
        "alignment": _labels(values),
        "source_answers": ["yes"] * len(values["P3.answers"]),
        "summary_answers": _answered(values),
        "threshold": values["threshold"],
        "strict_mode": values["strict_mode"],
    },
    ("shared", "google-accuracy"): _shared_accuracy,
    ("shared", "google-adherence"): lambda values: {
        "rubrics": _without(values["P4.rubrics"], "id", "related_content_from_summary")
    },
    ("shared", "google-completeness"): _shared_completeness,
    ("faithful", "mastra"): _mastra,
    ("faithful", "mastra-legacy"): _mastra,
    ("faithful", "mastra-2026"): _mastra_2026,
    ("faithful", "deepeval"): _deepeval,
    ("faithful", "google-accuracy"): lambda values: {
        "decomposition": values["accuracy.decomposition"]
    },
    ("faithful", "google-adherence"): lambda values: {"rubrics": values["adherence.rubrics"]},
    ("faithful", "google-completeness"): lambda values: values["completeness.completeness"],
}
