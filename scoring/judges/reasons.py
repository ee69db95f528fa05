"""A sentence about a result, made from its numbers: no call is spent on it.

It quotes neither the summary nor the dialogue nor the judge, so it may be shown anywhere the
numbers may.
"""

from scoring.judges.records import RowResult, Status
from scoring.judges.rows import RowScores
from scoring.messages import Language, _, say

_BARRED = {
    "empty_summary": _("The summary is blank."),
    "too_long": _("The summary is over the length limit and was not judged."),
}


def of_parts(score: float, alignment: float, coverage: float, language: Language) -> str:
    """Of min(alignment, coverage).

    >>> of_parts(0.5, 0.5, 0.75, "en")
    'The score is 0.5: alignment 0.5, coverage 0.75, and the smaller decides.'
    """
    text = _(
        "The score is {score}: alignment {alignment}, coverage {coverage}, and the smaller decides."
    )
    parts = {"score": score, "alignment": alignment, "coverage": coverage}
    shown = {name: f"{part:.4f}".rstrip("0").rstrip(".") for name, part in parts.items()}
    return say(language, text, **shown)


def of_row(scores: RowScores, language: Language) -> str:
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
        language,
        counted,
        asked=result.denominator,
        counted=result.numerator,
        unsure=result.unsure,
    )
