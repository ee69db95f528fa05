"""Every system by its name: records in, one JSON-able object out.

    mastra, mastra-legacy, mastra-2026    {"score", "info": {"reason", "alignmentScore", …}}
    deepeval                              {"score", "reason", "success", "score_breakdown"}
    google-accuracy, -adherence, -completeness    {"score", …, the records of the page}
    native                                {"score", "status", "flags", every metric and its parts}

`score` is null for N/A. Where the records bring no reason, a sentence is made from the numbers.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any, cast

from scoring.judges import deepeval, google, mastra, native, reading, reading_native, reasons
from scoring.judges.reading import count, each, field, mapping, number, one_of, text, truth
from scoring.judges.reasons import Language


def score(system: str, records: object, language: Language = "ko") -> dict[str, Any]:
    """What `python -m scoring judge` prints for these records.

    KeyError for an unknown system, `failures.Refusal` for records it cannot be scored from.

    >>> score("mastra", {"alignment": ["yes", "no"], "coverage": ["yes"]})["score"]
    0.5
    """
    return _SYSTEMS[system](records, language)


def _mastra(
    compute: Callable[..., mastra.MastraScore],
) -> Callable[[object, Language], dict[str, Any]]:
    def scored(records: object, language: Language) -> dict[str, Any]:
        fields = mapping(records, "")
        coverage = each(field(fields, "coverage"), "coverage", text)
        result = compute(
            each(field(fields, "alignment"), "alignment", text),
            coverage,
            count(fields.get("questions", len(coverage)), "questions"),
            number(fields.get("scale", 1), "scale", lowest=0),
        )
        return _explained(result, fields, language).to_dict()

    return scored


def _mastra_2026(records: object, language: Language) -> dict[str, Any]:
    fields = mapping(records, "")
    coverage = each(field(fields, "coverage"), "coverage", _is_supported)
    most = count(fields.get("max_questions", mastra.DEFAULT_MAX_QUESTIONS), "max_questions", 1)
    result = mastra.rebuilt(
        each(field(fields, "alignment"), "alignment", _is_supported),
        coverage,
        count(fields.get("questions", len(coverage)), "questions"),
        number(fields.get("scale", 1), "scale", lowest=0),
        most,
    )
    return _explained(result, fields, language).to_dict()


def _is_supported(value: object, place: str) -> bool:
    return value if isinstance(value, bool) else mastra.counts_as_yes(text(value, place))


def _explained(
    result: mastra.MastraScore, fields: Mapping[str, Any], language: Language
) -> mastra.MastraScore:
    numbers = result.score, result.alignment_score, result.coverage_score
    return replace(result, reason=_reason(fields, language, *numbers))


def _deepeval(records: object, language: Language) -> dict[str, Any]:
    fields = mapping(records, "")
    threshold = fields.get("threshold", 0.5)
    over = one_of(fields.get("coverage_over", "source_yes"), "coverage_over", ("source_yes", "all"))
    version = one_of(fields.get("version", "4.3"), "version", ("3.7", "4.3"))
    questions = fields.get("questions")
    result = deepeval.summarization(
        reading.items(field(fields, "alignment"), "alignment"),
        each(field(fields, "source_answers"), "source_answers", text),
        each(field(fields, "summary_answers"), "summary_answers", text),
        questions=None if questions is None else count(questions, "questions"),
        threshold=None if threshold is None else number(threshold, "threshold"),
        strict_mode=truth(fields.get("strict_mode", False), "strict_mode"),
        coverage_over=cast(deepeval.CoverageOver, over),
        version=cast(deepeval.Version, version),
    )
    numbers = result.score, result.alignment, result.coverage
    return replace(result, reason=_reason(fields, language, *numbers)).to_dict()


def _accuracy(records: object, _: Language) -> dict[str, Any]:
    points = reading.accuracy(records)
    return {
        "score": google.accuracy(points),
        "accurate": sum(point.is_accurate for point in points),
        "points": len(points),
        "decomposition": [asdict(point) for point in points],
    }


def _adherence(records: object, _: Language) -> dict[str, Any]:
    """`"custom": false` beside the rubrics says that the section is prebuilt."""
    rubrics = reading.adherence(records)
    custom = truth(mapping(records, "").get("custom", True), "custom")
    return {
        "score": google.adherence(rubrics, custom=custom),
        "addressed": sum(rubric.is_addressed for rubric in rubrics),
        "questions": len(rubrics),
        "rubrics": [asdict(rubric) for rubric in rubrics],
    }


def _completeness(records: object, _: Language) -> dict[str, Any]:
    """The list of the page, or `{"completeness": list, "categorical": true}`."""
    categorical = False
    if isinstance(records, dict):
        categorical = truth(records.get("categorical", False), "categorical")
        records = field(records, "completeness")
    questions = reading.completeness(records)
    result = google.completeness(questions, categorical=categorical)
    return {
        "score": result.score,
        "micro": result.micro,
        "per_question": list(result.per_question),
        "excluded": result.excluded,
        "completeness": [asdict(question) for question in questions],
    }


def _native(records: object, language: Language) -> dict[str, Any]:
    scores = native.score(*reading_native.native(records))
    return scores.to_dict() | {"reason": reasons.of_row(scores, language)}


def _reason(
    fields: Mapping[str, Any], language: Language, score: float, alignment: float, coverage: float
) -> str:
    given = fields.get("reason")
    if given is not None:
        return text(given, "reason")
    return reasons.of_parts(score, alignment, coverage, language)


_SYSTEMS: Mapping[str, Callable[[object, Language], dict[str, Any]]] = MappingProxyType(
    {
        "mastra": _mastra(mastra.page),
        "mastra-legacy": _mastra(mastra.legacy),
        "mastra-2026": _mastra_2026,
        "deepeval": _deepeval,
        "google-accuracy": _accuracy,
        "google-adherence": _adherence,
        "google-completeness": _completeness,
        "native": _native,
    }
)

NAMES = tuple(_SYSTEMS)
