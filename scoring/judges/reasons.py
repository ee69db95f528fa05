"""A sentence about a result, made from its numbers: no call is spent on it.

It quotes neither the summary nor the dialogue nor the judge, so it may be shown anywhere the
numbers may.
"""

from typing import Literal

from scoring.judges.records import Status
from scoring.judges.row_scores import RowScores

Language = Literal["ko", "en"]


def of_parts(score: float, alignment: float, coverage: float, language: Language) -> str:
    """Of min(alignment, coverage).

    >>> of_parts(0.5, 0.5, 0.75, "en")
    'The score is 0.5: alignment 0.5, coverage 0.75, and the smaller decides.'
    """
    shown = [f"{value:.4f}".rstrip("0").rstrip(".") for value in (score, alignment, coverage)]
    if language == "en":
        return "The score is {}: alignment {}, coverage {}, and the smaller decides.".format(*shown)
    return "점수는 {}입니다. 정합성 {}, 포괄성 {} 중 작은 쪽이 점수를 정합니다.".format(*shown)


def of_row(scores: RowScores, language: Language) -> str:
    """Of a row under `native`: counts of claims and questions, or why there are none."""
    barred = _BARRED.get(next(iter(scores.flags), ""))
    if barred:
        return barred[language]
    alignment, coverage = scores.metrics["alignment"], scores.metrics["coverage"]
    parts = [_part(alignment.status, _CLAIMS[language], _FAILED_CLAIMS[language])]
    parts.append(_part(coverage.status, _QUESTIONS[language], _FAILED_QUESTIONS[language]))
    return " ".join(parts).format(
        claims=alignment.denominator,
        supported=alignment.numerator,
        unsure=alignment.unsure,
        questions=coverage.denominator,
        answered=coverage.numerator,
    ).strip()  # fmt: skip


def _part(status: Status, counted: str, failed: str) -> str:
    if status is Status.SCORED:
        return counted
    return failed if status is Status.CONTENT_FAILED else ""


_BARRED: dict[str, dict[Language, str]] = {
    "empty_summary": {"ko": "요약이 비어 있습니다.", "en": "The summary is blank."},
    "too_long": {
        "ko": "요약이 길이 한도를 넘어 평가하지 않았습니다.",
        "en": "The summary is over the length limit and was not judged.",
    },
}
_CLAIMS: dict[Language, str] = {
    "ko": "주장 {claims}개 중 {supported}개가 대화로 뒷받침됩니다(판단 보류 {unsure}개).",
    "en": "Of {claims} claims, {supported} are supported by the dialogue ({unsure} unsure).",
}
_QUESTIONS: dict[Language, str] = {
    "ko": "질문 {questions}개 중 {answered}개에 답합니다.",
    "en": "Of {questions} questions, {answered} are answered.",
}
_FAILED_CLAIMS: dict[Language, str] = {
    "ko": "주장에 대한 판정을 읽을 수 없어 0점입니다.",
    "en": "The verdicts on its claims could not be read, which scores 0.",
}
_FAILED_QUESTIONS: dict[Language, str] = {
    "ko": "질문에 대한 답을 읽을 수 없어 0점입니다.",
    "en": "The answers to the questions could not be read, which scores 0.",
}
