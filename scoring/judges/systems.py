"""Every system by its name: records in, one JSON-able object out.

    mastra, mastra-legacy, mastra-2026    {"score", "info": {"reason", "alignmentScore", …}}
    deepeval                              {"score", "reason", "success", "score_breakdown"}
    google-accuracy, -adherence, -completeness    {"score", …, the records of the page}
    native                                {"score", "status", "flags", every metric and its parts}

`score` is null for N/A. Where the records bring no reason, a sentence is made from the numbers.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from scoring.judges import deepeval, google, mastra, native, schemas
from scoring.judges.parsing import InvalidRecords, Malformed
from scoring.judges.records import Asked, Returned, RowResult, Status
from scoring.judges.rows import RowScores
from scoring.judges.schemas import ID, QUOTE, TEXT, TRUTH, WRITTEN, Body, lenient, listed, read
from scoring.messages import Language, _, say


def score(system: str, records: object, language: Language = "ko") -> dict[str, Any]:
    """What `python -m scoring judge` prints for these records.

    KeyError for an unknown system, `failures.Refusal` for records it cannot be scored from.

    >>> score("mastra", {"alignment": ["yes", "no"], "coverage": ["yes"]})["score"]
    0.5
    """
    try:
        return _SYSTEMS[system](records, language)
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
) -> Callable[[object, Language], dict[str, Any]]:
    def scored(records: object, language: Language) -> dict[str, Any]:
        fields = read(form, records)
        reason = fields.pop("reason")
        if fields["questions"] is None:
            fields["questions"] = len(fields["coverage"])
        found = compute(**fields)
        if reason is None:
            numbers = found.score, found.alignment_score, found.coverage_score
            reason = reason_of_parts(*numbers, language)
        return replace(found, reason=reason).to_dict()

    return scored


def _deepeval(records: object, language: Language) -> dict[str, Any]:
    fields = read(_DEEPEVAL, records)
    reason = fields.pop("reason")
    found = deepeval.summarization(**fields)
    if reason is None:
        reason = reason_of_parts(found.score, found.alignment, found.coverage, language)
    return replace(found, reason=reason).to_dict()


def _accuracy(records: object, _: Language) -> dict[str, Any]:
    points = read(_ACCURACY, records)["decomposition"]
    return {
        "score": google.accuracy(points),
        "accurate": sum(point["is_accurate"] for point in points),
        "points": len(points),
        "decomposition": points,
    }


def _adherence(records: object, _: Language) -> dict[str, Any]:
    """`"custom": false` beside the rubrics says that the section is prebuilt."""
    fields = read(_ADHERENCE, records)
    rubrics = fields["rubrics"]
    return {
        "score": google.adherence(rubrics, custom=fields["custom"]),
        "addressed": sum(rubric["is_addressed"] for rubric in rubrics),
        "questions": len(rubrics),
        "rubrics": rubrics,
    }


def _completeness(records: object, _: Language) -> dict[str, Any]:
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


class NativeRecords(NamedTuple):
    """The arguments of `native.score`."""

    summary: str
    dialogue: str
    asked: Asked
    returned: Returned


def native_records(records: object) -> NativeRecords:
    """`{summary, dialogue, asked, claims, decomposition, answers, completeness, adherence}`.

    Of `asked` and the lists, what is absent was not asked. What the file itself says (texts, ids
    asked) has to be right; what the judge said may be anything.
    """
    fields = read(_form(summary=TEXT, dialogue=TEXT, asked={"default": {}}), records)
    return NativeRecords(
        fields["summary"],
        fields["dialogue"],
        _asked(fields["asked"] or {}),
        native.returned(cast(Mapping[str, Any], records)),
    )


def _asked(given: Any) -> Asked:
    """`{questions: [ids], completeness: {rubric: [ids]}, adherence: [ids]}`, each optional.

    `categorical` ({rubric: [allowed values]}), `sections` ({rubric: section}), `absent` ([rubrics
    that ask for something not to be there]) and `texts` ({question or rubric/content: what it
    says}, to hold quotations against) may be added.
    """
    if isinstance(given, dict):
        given = {key: value for key, value in given.items() if value}
    fields = read(_ASKED, given, "asked")
    return Asked(**{**fields, "absent": frozenset(fields["absent"])})


def _native(records: object, language: Language) -> dict[str, Any]:
    scores = native.score(*native_records(records))
    return scores.to_dict() | {"reason": reason_of_row(scores, language)}


_SYSTEMS: Mapping[str, Callable[[object, Language], dict[str, Any]]] = MappingProxyType(
    {
        "mastra": _mastra(mastra.page, _MASTRA),
        "mastra-legacy": _mastra(mastra.legacy, _MASTRA),
        "mastra-2026": _mastra(mastra.rebuilt, _MASTRA_2026),
        "deepeval": _deepeval,
        "google-accuracy": _accuracy,
        "google-adherence": _adherence,
        "google-completeness": _completeness,
        "native": _native,
    }
)

NAMES = tuple(_SYSTEMS)


_BARRED = {
    "empty_summary": _("The summary is blank."),
    "too_long": _("The summary is over the length limit and was not judged."),
}


def reason_of_parts(score: float, alignment: float, coverage: float, language: Language) -> str:
    """Of min(alignment, coverage).

    >>> reason_of_parts(0.5, 0.5, 0.75, "en")
    'The score is 0.5: alignment 0.5, coverage 0.75, and the smaller decides.'
    """
    text = _(
        "The score is {score}: alignment {alignment}, coverage {coverage}, and the smaller decides."
    )
    parts = {"score": score, "alignment": alignment, "coverage": coverage}
    shown = {name: f"{part:.4f}".rstrip("0").rstrip(".") for name, part in parts.items()}
    return say(language, text, **shown)


def reason_of_row(scores: RowScores, language: Language) -> str:
    """Of a row under `native`: counts of claims and questions, or why there are none."""
    barred = _BARRED.get(next(iter(scores.flags), ""))
    if barred:
        return say(language, barred)
    claims = _part(
        scores.metrics["alignment"],
        language,
        _("Of {asked} claims, {counted} are supported by the dialogue ({unsure} unsure)."),
        _("The verdicts on its claims could not be read, which scores 0."),
    )
    questions = _part(
        scores.metrics["coverage"],
        language,
        _("Of {asked} questions, {counted} are answered."),
        _("The answers to the questions could not be read, which scores 0."),
    )
    return f"{claims} {questions}".strip()


def _part(result: RowResult, language: Language, counted: str, failed: str) -> str:
    if result.status is Status.CONTENT_FAILED:
        return say(language, failed)
    if result.status is not Status.SCORED:
        return ""
    return say(
        language, counted, asked=result.denominator, counted=result.numerator, unsure=result.unsure
    )
