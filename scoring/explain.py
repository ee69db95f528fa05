"""One row, token by token: what matched, what is missing, what is too much, which gold won.

For golds that are released. Never call it for hidden golds on behalf of a participant.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scoring.example import WorkedExample, worked_example
from scoring.profile import Profile
from scoring.rouge import common_subsequence, ngrams


@dataclass(frozen=True)
class TokenMark:
    """One token and what it shares with the other text.

    unigram: counted by ROUGE-1. bigram: part of a pair counted by ROUGE-2. in_order: part of the
    longest common subsequence. A token with none of them is missing (gold) or extra (prediction).
    joined: the pair that ROUGE-2 counted is this token and the next.
    """

    token: str
    unigram: bool
    bigram: bool
    in_order: bool
    joined: bool


@dataclass(frozen=True)
class GoldMarks:
    """The prediction's tokens marked against one gold, and the gold's against the prediction."""

    number: int
    prediction: tuple[TokenMark, ...]
    gold: tuple[TokenMark, ...]
    won: tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """A worked row with its marks, one entry per gold."""

    example: WorkedExample
    golds: tuple[GoldMarks, ...]


def explain(
    profile: Profile,
    prediction: str,
    references: Sequence[str],
    language: Literal["ko", "en"] = "ko",
) -> Explanation:
    """Explain one row under a profile.

    >>> row = explain(Profile(tokenizer="whitespace"), "the dog sat", ["the cat sat"], "en")
    >>> [mark.token for mark in row.golds[0].gold if not mark.unigram]
    ['cat']
    """
    worked = worked_example(profile, prediction, references, language)
    ours = worked.prediction_tokens
    golds = []
    for gold in worked.golds:
        pairs = common_subsequence(ours, gold.tokens)
        golds.append(
            GoldMarks(
                number=gold.number,
                prediction=_marks(ours, gold.tokens, {left for left, _ in pairs}),
                gold=_marks(gold.tokens, ours, {right for _, right in pairs}),
                won=tuple(score.label for score in gold.scores if score.won),
            )
        )
    return Explanation(worked, tuple(golds))


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
