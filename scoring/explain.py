"""One row, worked through by hand: tokens, counts, measures, what matched, which gold won.

Uses the plain definition, so what is shown is the definition itself. Marks are for golds that are
released: never make them for hidden golds on behalf of a participant.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.formula import joined_terms
from scoring.messages import Language
from scoring.metrics.definition import aggregated, common_subsequence, ngrams
from scoring.metrics.metric import Counting
from scoring.pipeline import prepare, score
from scoring.profile import Profile
from scoring.ranking import as_printed
from scoring.references import ReferenceRow, References


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
class TokenMark:
    """One token and what it shares with the other text.

    unigram: counted by ROUGE-1. bigram: part of a pair counted by ROUGE-2. in_order: part of the
    longest common subsequence. Without any of them it is missing (reference) or extra (prediction).
    joined: the pair that ROUGE-2 counted is this token and the next.
    """

    token: str
    unigram: bool
    bigram: bool
    in_order: bool
    joined: bool


@dataclass(frozen=True)
class WorkedReference:
    """One reference, and the prediction's scores against it in the order of the metrics.

    ours, marks: the tokens of the prediction and its own, marked against each other.
    """

    number: int
    text: str
    tokens: tuple[str, ...]
    scores: tuple[MetricScore, ...]
    ours: tuple[TokenMark, ...]
    marks: tuple[TokenMark, ...]

    @property
    def won(self) -> tuple[str, ...]:
        """Labels of the metrics that take this reference."""
        return tuple(score.label for score in self.scores if score.won)


@dataclass(frozen=True)
class ChosenValue:
    """What a metric counts in this row; `winner`: the gold's number, None under `mean` or at 0."""

    metric: str
    label: str
    value: float
    winner: int | None


@dataclass(frozen=True)
class WorkedExample:
    """A row worked through. `row_value` carries the profile's scale, like a total.

    beside: label and value of what stands beside the total.
    """

    prediction: str
    prediction_tokens: tuple[str, ...]
    golds: tuple[WorkedReference, ...]
    chosen: tuple[ChosenValue, ...]
    row_value: float
    arithmetic: str
    beside: tuple[tuple[str, float], ...]


def worked_example(
    profile: Profile,
    prediction: str,
    references: Sequence[str],
    language: Language = "ko",
) -> WorkedExample:
    """Work one row through under a profile.

    >>> cat = worked_example(Profile(tokenizer="whitespace"), "under the bed there was the cat",
    ...                      ["the cat was under the bed"], "en")
    >>> cat.arithmetic
    '0.9231 + 0.5455 + 0.4615 = 1.9301'
    >>> [mark.token for mark in cat.golds[0].ours if not mark.unigram]
    ['there']
    """
    if not references:
        raise ValueError("a row needs at least one gold")
    tokenizer = profile.analyzer()
    tokens = tokenizer(prediction)
    gold_tokens = [tokenizer(text) for text in references]
    columns = [_column(metric, profile, tokens, gold_tokens) for metric in profile.counting]
    golds: list[WorkedReference] = []
    for text, cut, scores in zip(references, gold_tokens, zip(*columns, strict=True), strict=True):
        pairs = common_subsequence(tokens, cut)
        ours = _marks(tokens, cut, {left for left, _ in pairs})
        marks = _marks(cut, tokens, {right for _, right in pairs})
        golds.append(WorkedReference(len(golds) + 1, text, cut, scores, ours, marks))
    chosen = tuple(_choose(column, profile) for column in columns)
    value = profile.total(tuple(one.value for one in chosen))
    return WorkedExample(
        prediction=prediction,
        prediction_tokens=tokens,
        golds=tuple(golds),
        chosen=chosen,
        row_value=value,
        arithmetic=_arithmetic(chosen, value, profile),
        beside=_beside(profile, prediction, references, language),
    )


def _beside(
    profile: Profile, prediction: str, references: Sequence[str], language: Language
) -> tuple[tuple[str, float], ...]:
    """As the pipeline scores them."""
    if not profile.beside:
        return ()
    row = References.from_examples([ReferenceRow("row", tuple(references))])
    values = score({"row": prediction}, prepare(row, profile)).examples[0].tolist()
    labels = (one.heading(language) for one in profile.beside)
    return tuple(zip(labels, values[len(profile.counting) :], strict=True))


def _column(
    metric: Counting, profile: Profile, tokens: Sequence[str], golds: Sequence[Sequence[str]]
) -> list[MetricScore]:
    """One metric against every gold."""
    found = [metric.worked(tokens, gold) for gold in golds]
    values = [overlap.measure(metric.measure) for overlap in found]
    # The first gold with the highest value; none where no gold has anything.
    best = values.index(max(values)) if any(values) else None
    best = best if profile.gold_aggregation == "max" else None
    return [
        MetricScore(
            metric.name,
            metric.label,
            *overlap,
            *(overlap.precision, overlap.recall, overlap.f1),
            value=value,
            won=place == best,
        )
        for place, (overlap, value) in enumerate(zip(found, values, strict=True))
    ]


def _choose(column: Sequence[MetricScore], profile: Profile) -> ChosenValue:
    values = [score.value for score in column]
    winner = next((place for place, score in enumerate(column, start=1) if score.won), None)
    value = aggregated(values, profile.gold_aggregation)
    return ChosenValue(column[0].metric, column[0].label, value, winner)


def _arithmetic(chosen: Sequence[ChosenValue], value: float, profile: Profile) -> str:
    terms = joined_terms(profile, [as_printed(one.value) for one in chosen])
    scale = "" if profile.scale == 1 else f" × {profile.scale}"
    return f"{terms}{scale} = {as_printed(value)}"


def _marks(
    tokens: Sequence[str], other: Sequence[str], in_order: set[int]
) -> tuple[TokenMark, ...]:
    unigrams, bigrams = _shared(tokens, other, 1), _shared(tokens, other, 2)
    return tuple(
        TokenMark(
            token,
            unigram=place in unigrams,
            bigram=place in bigrams or place - 1 in bigrams,
            in_order=place in in_order,
            joined=place in bigrams,
        )
        for place, token in enumerate(tokens)
    )


def _shared(tokens: Sequence[str], other: Sequence[str], n: int) -> set[int]:
    """Starts of the n-grams that count, from the left, as often as the other text has them."""
    left = Counter(ngrams(other, n))
    starts = set()
    for start, gram in enumerate(ngrams(tokens, n)):
        if left[gram] > 0:
            left[gram] -= 1
            starts.add(start)
    return starts
