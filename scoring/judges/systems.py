"""Every system by its name: records in, one JSON-able object out.

    mastra, mastra-legacy, mastra-2026    {"score", "info": {"reason", "alignmentScore", …}}
    deepeval                              {"score", "reason", "success", "score_breakdown"}
    google-accuracy, -adherence, -completeness    {"score", …, the records of the page}
    native                                {"score", "status", "flags", every metric and its parts}

`score` is null for N/A.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, cast

from scoring.judges import deepeval, google, mastra, native, schemas
from scoring.judges.parsing import InvalidRecords, Malformed
from scoring.judges.records import Asked, Returned
from scoring.judges.schemas import ID, QUOTE, TEXT, TRUTH, WRITTEN, Body, lenient, listed, read


def score(system: str, records: object) -> dict[str, Any]:
    """What `python -m scoring judge` prints for these records.

    KeyError for an unknown system, `failures.Refusal` for records it cannot be scored from.

    >>> score("mastra", {"alignment": ["yes", "no"], "coverage": ["yes"]})["score"]
    0.5
    """
    try:
        return _SYSTEMS[system](records)
    except Malformed as malformed:
        raise InvalidRecords.of(malformed) from malformed


def _form(**properties: Body) -> Body:
    return {"type": "object", "properties": properties}


def _by_name(body: Body) -> Body:
    return {"type": "object", "additionalProperties": body, "default": {}}


def _whole(lowest: int, default: int | None) -> Body:
    return {"type": "integer", "minimum": lowest, "default": default}


_TEXTS = listed(TEXT)
_REASON: Body = {**QUOTE, "default": None}
_MASTRA = _form(
    coverage=_TEXTS,
    alignment=_TEXTS,
    questions=_whole(0, None),
    scale={"type": "number", "minimum": 0, "default": 1},
    reason=_REASON,
)
_SUPPORTED: Body = {"type": ["string", "boolean"]}
_MASTRA_2026 = _form(
    **{
        **_MASTRA["properties"],
        "alignment": listed(_SUPPORTED),
        "coverage": listed(_SUPPORTED),
        "max_questions": _whole(1, mastra.DEFAULT_MAX_QUESTIONS),
    }
)
_DEEPEVAL = _form(
    alignment=listed({}),
    source_answers=_TEXTS,
    summary_answers=_TEXTS,
    questions={"type": ["integer", "null"], "minimum": 0, "default": None},
    threshold={"type": ["number", "null"], "default": 0.5},
    strict_mode={**TRUTH, "default": False},
    coverage_over={**schemas.one_of("source_yes", "all"), "default": "source_yes"},
    version={**schemas.one_of("3.7", "4.3"), "default": "4.3"},
    reason=_REASON,
)
_ACCURACY = _form(decomposition=listed(lenient(schemas.POINT, WRITTEN)))
_ADHERENCE = _form(
    rubrics=listed(lenient(schemas.RUBRIC, WRITTEN)), custom={**TRUTH, "default": True}
)
_COMPLETENESS = listed(lenient(schemas.QUESTION_CONTENTS, WRITTEN))
_IDS: Body = {"type": "array", "items": ID, "uniqueItems": True, "default": ()}
_ASKED = _form(
    questions=_IDS,
    completeness=_by_name(_IDS),
    adherence=_IDS,
    categorical=_by_name(_TEXTS),
    sections=_by_name(TEXT),
    absent=_IDS,
    texts=_by_name(TEXT),
)


def _mastra(
    compute: Callable[..., mastra.MastraScore], form: Body
) -> Callable[[object], dict[str, Any]]:
    def scored(records: object) -> dict[str, Any]:
        fields = read(form, records)
        reason = fields.pop("reason")
        if fields["questions"] is None:
            fields["questions"] = len(fields["coverage"])
        return replace(compute(**fields), reason=reason or "").to_dict()

    return scored


def _deepeval(records: object) -> dict[str, Any]:
    fields = read(_DEEPEVAL, records)
    reason = fields.pop("reason")
    return replace(deepeval.summarization(**fields), reason=reason or "").to_dict()


def _accuracy(records: object) -> dict[str, Any]:
    points = read(_ACCURACY, records)["decomposition"]
    return {
        "score": google.accuracy(points),
        "accurate": sum(point["is_accurate"] for point in points),
        "points": len(points),
        "decomposition": points,
    }


def _adherence(records: object) -> dict[str, Any]:
    """`"custom": false` beside the rubrics says that the section is prebuilt."""
    fields = read(_ADHERENCE, records)
    rubrics = fields["rubrics"]
    return {
        "score": google.adherence(rubrics, custom=fields["custom"]),
        "addressed": sum(rubric["is_addressed"] for rubric in rubrics),
        "questions": len(rubrics),
        "rubrics": rubrics,
    }


def _completeness(records: object) -> dict[str, Any]:
    """The list of the page, or `{"completeness": list, "categorical": true}`."""
    fields = {"completeness": records}
    if isinstance(records, dict):
        form = _form(categorical={**TRUTH, "default": False}, completeness={})
        fields = read(form, records)
    questions = read(_COMPLETENESS, fields["completeness"])
    found = google.completeness(questions, categorical=fields.get("categorical") is True)
    return {
        "score": found.score,
        "micro": found.micro,
        "per_question": list(found.per_question),
        "excluded": found.excluded,
        "completeness": questions,
    }


def native_records(records: object) -> tuple[str, str, Asked, Returned]:
    """The file of `native`: its texts and ids have to be right, what the judge said need not."""
    fields = read(_form(summary=TEXT, dialogue=TEXT, asked={"default": {}}), records)
    return (
        fields["summary"],
        fields["dialogue"],
        _asked(fields["asked"] or {}),
        native.returned(cast(Mapping[str, Any], records)),
    )


def _asked(given: Any) -> Asked:
    """Ids by `questions`, `completeness`, `adherence` …, each optional; see `records.Asked`."""
    if isinstance(given, dict):
        given = {key: value for key, value in given.items() if value}
    fields = read(_ASKED, given, "asked")
    return Asked(**{**fields, "absent": frozenset(fields["absent"])})


_SYSTEMS: Mapping[str, Callable[[object], dict[str, Any]]] = MappingProxyType(
    {
        "mastra": _mastra(mastra.page, _MASTRA),
        "mastra-legacy": _mastra(mastra.legacy, _MASTRA),
        "mastra-2026": _mastra(mastra.rebuilt, _MASTRA_2026),
        "deepeval": _deepeval,
        "google-accuracy": _accuracy,
        "google-adherence": _adherence,
        "google-completeness": _completeness,
        "native": lambda records: native.score(*native_records(records)).to_dict(),
    }
)

NAMES = tuple(_SYSTEMS)
