"""Summarization autoeval of Google's Agent Assist: accuracy, adherence, completeness.

Source: the vendor's metric page for the records, the comments of its API definition for the
aggregation. Prompts, model and the exact formula of completeness are not published. A score of
None is "N/A" (해당 사항 없음): it is no 0 and stays out of every mean.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class RubricPoint:
    """A decomposed part of the summary. `accuracy` is the text of the grounds, as on the page."""

    point: str
    accuracy: str
    is_accurate: bool


@dataclass(frozen=True)
class RubricAnswer:
    """Whether the summary follows one instruction of the section's definition."""

    question: str
    reasoning: str
    is_addressed: bool


@dataclass(frozen=True)
class Content:
    """A point of the transcript and what the summary says about it."""

    transcript_content: str
    related_content_from_summary: str
    is_covered: bool


@dataclass(frozen=True)
class QuestionContents:
    """One question of the completeness rubric; an empty list bears no penalty."""

    question: str
    content_list: tuple[Content, ...]


@dataclass(frozen=True)
class Completeness:
    """`score` is the macro mean. per_question: None where the transcript has nothing relevant."""

    score: float | None
    micro: float | None
    per_question: tuple[float | None, ...]

    @property
    def excluded(self) -> int:
        """How many questions the transcript had nothing for."""
        return self.per_question.count(None)


def accuracy(decomposition: Sequence[RubricPoint]) -> float:
    """Share of points that are accurate; no section is N/A here.

    No points at all: 0 [own], as for a summary that states nothing.

    >>> accuracy([RubricPoint("a", "", True), RubricPoint("b", "", False)])
    0.5
    """
    return sum(point.is_accurate for point in decomposition) / max(len(decomposition), 1)


def adherence(rubrics: Sequence[RubricAnswer], *, custom: bool = True) -> float | None:
    """Share of instructions followed; None for a prebuilt section or without a rubric.

    >>> adherence([RubricAnswer("q", "", False)], custom=False) is None
    True
    """
    if not custom or not rubrics:
        return None
    return sum(rubric.is_addressed for rubric in rubrics) / len(rubrics)


def completeness(
    questions: Sequence[QuestionContents], *, categorical: bool = False
) -> Completeness:
    """Per question the share of its contents covered, then the mean over non-empty questions.

    The formula is not published. This (macro) reading agrees with "average over evaluation
    results"; `micro`, all contents pooled, is kept as an extra. None for a categorical section and
    where every list is empty.
    """
    if categorical:
        return Completeness(None, None, (None,) * len(questions))
    shares = tuple(_covered(each.content_list) for each in questions)
    pooled = [content for each in questions for content in each.content_list]
    return Completeness(mean(shares), _covered(pooled), shares)


def _covered(contents: Sequence[Content]) -> float | None:
    if not contents:
        return None
    return sum(content.is_covered for content in contents) / len(contents)


def mean(scores: Iterable[float | None]) -> float | None:
    """Plain mean of the scores there are, whatever their order; None if there is none."""
    there = [score for score in scores if score is not None]
    return math.fsum(there) / len(there) if there else None


def roll_up(conversations: Iterable[Iterable[float | None]]) -> float | None:
    """Section scores to conversation scores to the overall score of one metric, N/A left out.

    >>> roll_up([[0.5, 1.0, None], [0.25]])
    0.5
    """
    return mean(mean(sections) for sections in conversations)
