"""One row, worked through by hand: tokens, counts, measures, which gold won, the row's value.

Uses the plain `rouge`, so what is shown is the definition itself.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scoring import tokenizers
from scoring.mathml import f1_of_counts
from scoring.profile import Measure, Metric, Profile
from scoring.ranking import printed, printed_text
from scoring.rouge import rouge


@dataclass(frozen=True)
class MetricScore:
    """One metric against one gold, with the counts it comes from."""

    metric: str
    label: str
    overlap: int
    candidate_count: int
    reference_count: int
    precision: float
    recall: float
    f1: float
    value: float
    won: bool


@dataclass(frozen=True)
class ExampleGold:
    """One gold, its tokens, and the prediction's scores against it in the order of the metrics."""

    number: int
    text: str
    tokens: tuple[str, ...]
    scores: tuple[MetricScore, ...]


@dataclass(frozen=True)
class ChosenValue:
    """What a metric counts in this row; `winner`: the gold's number, None under `mean` or at 0."""

    metric: str
    label: str
    value: float
    winner: int | None


@dataclass(frozen=True)
class WorkedExample:
    """A row worked through. `row_value` carries the profile's scale, like a total."""

    prediction: str
    prediction_tokens: tuple[str, ...]
    golds: tuple[ExampleGold, ...]
    chosen: tuple[ChosenValue, ...]
    row_value: float
    arithmetic: str
    note: str
    note_mathml: str


def worked_example(
    profile: Profile,
    prediction: str,
    references: Sequence[str],
    language: Literal["ko", "en"] = "ko",
) -> WorkedExample:
    """Work one row through under a profile.

    >>> cat = worked_example(Profile(tokenizer="whitespace"), "under the bed there was the cat",
    ...                      ["the cat was under the bed"], "en")
    >>> cat.arithmetic
    '0.9231 + 0.5455 + 0.4615 = 1.9301'
    """
    if not references:
        raise ValueError("a row needs at least one gold")
    tokenizer = tokenizers.get(profile.tokenizer)
    tokens = tokenizer(prediction)
    gold_tokens = [tokenizer(text) for text in references]
    columns = [_column(metric, profile, tokens, gold_tokens) for metric in profile.parsed_metrics]
    golds = tuple(
        ExampleGold(number, text, cut, scores)
        for number, (text, cut, scores) in enumerate(
            zip(references, gold_tokens, zip(*columns, strict=True), strict=True), start=1
        )
    )
    chosen = tuple(_choose(column, profile) for column in columns)
    value = profile.total(tuple(one.value for one in chosen))
    note, note_mathml = _note(golds, chosen, profile, language)
    return WorkedExample(
        prediction=prediction,
        prediction_tokens=tokens,
        golds=golds,
        chosen=chosen,
        row_value=value,
        arithmetic=_arithmetic(chosen, value, profile),
        note=note,
        note_mathml=note_mathml,
    )


def _column(
    metric: Metric, profile: Profile, tokens: Sequence[str], golds: Sequence[Sequence[str]]
) -> list[MetricScore]:
    """One metric against every gold."""
    found = [rouge(metric.family, tokens, gold) for gold in golds]
    values = [overlap.measure(metric.measure) for overlap in found]
    best = _best(values) if profile.gold_aggregation == "max" else None
    return [
        MetricScore(
            metric=metric.name,
            label=metric.label,
            overlap=overlap.overlap,
            candidate_count=overlap.candidate_count,
            reference_count=overlap.reference_count,
            precision=overlap.precision,
            recall=overlap.recall,
            f1=overlap.f1,
            value=value,
            won=place == best,
        )
        for place, (overlap, value) in enumerate(zip(found, values, strict=True))
    ]


def _best(values: Sequence[float]) -> int | None:
    """The place of the first gold with the highest value; None where no gold has anything."""
    return values.index(max(values)) if any(values) else None


def _choose(column: Sequence[MetricScore], profile: Profile) -> ChosenValue:
    values = [score.value for score in column]
    metric, label = column[0].metric, column[0].label
    if profile.gold_aggregation == "max":
        best = _best(values)
        return ChosenValue(metric, label, max(values), None if best is None else best + 1)
    return ChosenValue(metric, label, math.fsum(values) / len(values), None)


def _number(value: float) -> str:
    return printed_text(printed(value))


def _arithmetic(chosen: Sequence[ChosenValue], value: float, profile: Profile) -> str:
    terms = " + ".join(_number(one.value) for one in chosen)
    averaged = profile.metric_aggregation == "mean" and len(chosen) > 1
    if len(chosen) > 1 and (averaged or profile.scale != 1):
        terms = f"({terms})"
    if averaged:
        terms += f" / {len(chosen)}"
    if profile.scale != 1:
        terms += f" × {profile.scale}"
    return f"{terms} = {_number(value)}"


def _note(
    golds: Sequence[ExampleGold],
    chosen: Sequence[ChosenValue],
    profile: Profile,
    language: Literal["ko", "en"],
) -> tuple[str, str]:
    """One value followed from its counts: the first metric's, against the gold that won it."""
    gold = golds[(chosen[0].winner or 1) - 1]
    score = gold.scores[0]
    value, formula = _number(score.value), ""
    measure: Measure = profile.parsed_metrics[0].measure
    if measure == "f1":
        formula = f1_of_counts(score.overlap, score.candidate_count, score.reference_count, value)
    ours, theirs, shared = score.candidate_count, score.reference_count, score.overlap
    if language == "ko":
        text = (
            f"정답 {gold.number}의 {score.label}: 우리 요약 {ours}개, 정답 {theirs}개, "
            f"겹침 {shared}개이므로 {value}입니다."
        )
    else:
        text = (
            f"{score.label} against gold {gold.number}: {ours} in the prediction, {theirs} in the "
            f"gold, {shared} shared, which gives {value}."
        )
    return text, formula
