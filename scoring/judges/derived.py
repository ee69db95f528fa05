"""Values computed from earlier ones: what later calls see, by the name calls use for it, and the
records that each system is scored from."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scoring.judges import deepeval, mastra
from scoring.judges.call_graph import Pipeline
from scoring.judges.records import Item, RowResult

Values = Mapping[str, Any]

# Where the lists of `native` stand among the values of a walked row.
NATIVE_LISTS: Mapping[str, str] = {
    "claims": "P1.claims",
    "decomposition": "P2.decomposition",
    "answers": "P3.answers",
    "completeness": "P3.completeness",
    "adherence": "P4.rubrics",
}
# Those whose items have a verdict: its field, and the metric that counts them.
VERDICTS: Mapping[str, tuple[str, str]] = {
    "P2.decomposition": ("verdict", "alignment"),
    "P3.answers": ("answered", "coverage"),
    "P3.completeness": ("is_covered", "completeness"),
    "P4.rubrics": ("is_addressed", "adherence"),
}
Change = Callable[[str, Item], Item]


def changed(listed: Sequence[Item], change: Change) -> list[Item]:
    """A list of answers with each item put through `change`, given the id it is counted by."""
    return [
        {
            **item,
            "content_list": [
                change(f"{item['id']}/{each['id']}", each) for each in item["content_list"]
            ],
        }
        if "content_list" in item
        else change(item["id"], item)
        for item in listed
    ]


def proved(values: Values, metrics: Mapping[str, RowResult]) -> dict[str, Any]:
    """The values with every yes turned into no that cites nothing from its text."""

    def held(name: str) -> Change:
        field, metric = VERDICTS[name]
        counted = metrics[metric].items

        def change(item_id: str, item: Item) -> Item:
            said = item[field]
            if counted.get(item_id) or not (said is True or str(said).strip().casefold() == "yes"):
                return item
            return {**item, field: False if said is True else "no"}

        return change

    return {**values, **{name: changed(values[name], held(name)) for name in VERDICTS}}


def records(pipeline: Pipeline, values: Values) -> dict[str, Any]:
    """Records of every system the pipeline feeds, in the form of the command line."""
    return {system: _RECORDS[pipeline.family, system](values) for system in pipeline.systems}


def _all(name: str, field: str) -> Callable[[Values], list[Any]]:
    return lambda values: [item[field] for item in values[name]]


_labels = _all("P2.decomposition", "verdict")


def _answered(values: Values) -> list[str]:
    return ["yes" if item["answered"] else "no" for item in values["P3.answers"]]


def _without(items: Sequence[Mapping[str, Any]], *left_out: str) -> list[dict[str, Any]]:
    return [{key: item[key] for key in item if key not in left_out} for item in items]


def _shared_mastra(values: Values) -> dict[str, Any]:
    return {
        "alignment": _labels(values),
        "coverage": _answered(values),
        "questions": len(values["questions"]),
        "scale": values["scale"],
    }


def _shared_deepeval(values: Values) -> dict[str, Any]:
    """Frozen questions are those that the source answers yes."""
    return {
        "alignment": _labels(values),
        "source_answers": ["yes"] * len(values["P3.answers"]),
        "summary_answers": _answered(values),
        "threshold": values["threshold"],
        "strict_mode": values["strict_mode"],
    }


def _shared_accuracy(values: Values) -> dict[str, Any]:
    verdicts = values["P2.decomposition"]
    return {
        "decomposition": [
            {key: item[key] for key in ("point", "accuracy")}
            | {"is_accurate": item["verdict"] == "yes"}
            for item in verdicts
        ]
    }


def _shared_completeness(values: Values) -> list[dict[str, Any]]:
    return [
        {"question": item["question"], "content_list": _without(item["content_list"], "id")}
        for item in values["P3.completeness"]
    ]


def _mastra(values: Values) -> dict[str, Any]:
    return {
        "alignment": _all("alignment.verdicts", "verdict")(values),
        "coverage": list(values["answers.answers"]),
        "questions": len(values["questions.questions"]),
        "scale": values["scale"],
    }


def _mastra_2026(values: Values) -> dict[str, Any]:
    return {
        "alignment": _all("judge.alignment", "supported")(values),
        "coverage": _all("cover.coverage", "answered")(values),
        "questions": len(values["judge.questions"]),
        "max_questions": values["max_questions"],
        "scale": values["scale"],
    }


def _assessment(values: Values) -> list[str]:
    return list(values["assessment_questions"] or values["questions.questions"])


def _deepeval(values: Values) -> dict[str, Any]:
    return {
        "alignment": _all("alignment.verdicts", "verdict")(values),
        "source_answers": list(values["source_answers.answers"]),
        "summary_answers": list(values["summary_answers.answers"]),
        "questions": len(_assessment(values)),
        "threshold": values["threshold"],
        "strict_mode": values["strict_mode"],
    }


_RECORDS: Mapping[tuple[str, str], Callable[[Values], Any]] = {
    ("shared", "mastra"): _shared_mastra,
    ("shared", "deepeval"): _shared_deepeval,
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


def _counts(values: Values) -> dict[str, int]:
    verdicts, answers = values["P2.decomposition"], values["P3.answers"]
    return {
        "claims": len(verdicts),
        "supported": sum(item["verdict"] == "yes" for item in verdicts),
        "questions": len(answers),
        "answered": sum(item["answered"] for item in answers),
    }


def _scores(
    name: str,
    compute: Callable[..., mastra.MastraScore],
    arguments: Callable[[Values], dict[str, Any]],
) -> dict[str, Callable[[Values], Any]]:
    """The three numbers of a system of Mastra, as values of their own."""
    return {
        f"{name}.score": lambda values: compute(**arguments(values)).score,
        f"{name}.alignment_score": lambda values: compute(**arguments(values)).alignment_score,
        f"{name}.coverage_score": lambda values: compute(**arguments(values)).coverage_score,
    }


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


DERIVED: Mapping[str, Callable[[Values], Any]] = {
    # artefacts: the questions without the evidence that suggested them
    "S1.asked": lambda values: _without(values["S1.questions"], "evidence"),
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
    **_scores("page", mastra.page, _mastra),
    **_scores("legacy", mastra.legacy, _mastra),
    **_scores("rebuilt", mastra.rebuilt, _mastra_2026),
    "judge.first_questions": lambda values: values["judge.questions"][: values["max_questions"]],
    "truths.joined": lambda values: "\n\n".join(values["truths.truths"]),
    "assessment": _assessment,
    "deepeval.printed": lambda values: f"{deepeval.summarization(**_deepeval(values)).score:.2f}",
    "contradictions": _reasons("no"),
    "redundancies": _reasons("idk"),
    "open_questions": _open_questions,
    "questions.free": lambda values: (
        [] if values["kind"] == "categorical" else values["questions.questions"]
    ),
}
