"""Summarization autoeval of Google's Agent Assist: accuracy, adherence, completeness.

Records are those of the vendor's metric page, aggregation that of its API definition. A score of
None is "N/A" (해당 사항 없음) and stays out of every mean.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scoring.judges.records import Item


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


def accuracy(decomposition: Sequence[Item]) -> float:
    """Share of points that are accurate; no section is N/A here.

    No points at all: 0 [own], as for a summary that states nothing.

    >>> accuracy([{"is_accurate": True}, {"is_accurate": False}])
    0.5
    """
    return _share(decomposition, "is_accurate") or 0.0


def adherence(rubrics: Sequence[Item], *, custom: bool = True) -> float | None:
    """Share of instructions followed; None for a prebuilt section or without a rubric.

    >>> adherence([{"is_addressed": False}], custom=False) is None
    True
    """
    return _share(rubrics, "is_addressed") if custom else None


def completeness(questions: Sequence[Item], *, categorical: bool = False) -> Completeness:
    """Per question the share of its contents covered, then the mean over non-empty questions.

    The formula is not published; `micro` pools all contents. None for a categorical section.
    """
    if categorical:
        return Completeness(None, None, (None,) * len(questions))
    shares = tuple(_share(each["content_list"], "is_covered") for each in questions)
    pooled = [content for each in questions for content in each["content_list"]]
    return Completeness(mean(shares), _share(pooled, "is_covered"), shares)


def _share(items: Sequence[Item], verdict: str) -> float | None:
    """Of the items, how many have the verdict; None without any."""
    verdicts: list[bool] = [item[verdict] for item in items]
    return sum(verdicts) / len(verdicts) if verdicts else None


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
