"""SummarizationMetric of Mastra: as its page says, as its code did, as rebuilt in 2026.

Source: the page of `@mastra/evals`, its last code (`legacy`, 0.14.4), issue 20286 (1.10.2).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring.judges.parsing import MissingAnswer
from scoring.messages import _

DEFAULT_MAX_QUESTIONS = 10
_EPSILON = 2.0**-52

# What JavaScript's trim() takes away. Python's strip() takes other control characters and keeps
# the byte-order mark.
_JAVASCRIPT_BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


@dataclass(frozen=True)
class MastraScore:
    """A result as the page shows it: `score`, and `info` with both parts and a reason."""

    score: float
    alignment_score: float
    coverage_score: float
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The object that `metric.measure()` resolves to."""
        return {
            "score": self.score,
            "info": {
                "reason": self.reason,
                "alignmentScore": self.alignment_score,
                "coverageScore": self.coverage_score,
            },
        }


def counts_as_yes(label: str | bool) -> bool:
    """Whether a label supports: lower-cased and trimmed it is `yes`. `unsure` counts as `no`.

    >>> counts_as_yes(" YES "), counts_as_yes("Yes."), counts_as_yes("unsure")
    (True, False, False)
    """
    if isinstance(label, bool):
        return label
    return label.lower().strip(_JAVASCRIPT_BLANKS) == "yes"


def page(
    alignment: Sequence[str | bool],
    coverage: Sequence[str | bool],
    questions: int,
    scale: float = 1,
) -> MastraScore:
    """`min(supported_claims / total_claims, answerable_questions / total_questions) * scale`.

    Both parts stay within 0..1, only the score is scaled, as the page says; all three are rounded
    to two decimals as the code rounds. A question without an answer is not answerable [own].

    >>> page(["yes", "no"], ["yes", "yes", "yes", "no"], 4).to_dict()["score"]
    0.5
    """
    aligned, covered = _share(alignment, len(alignment)), _share(coverage[:questions], questions)
    return MastraScore(round2(min(aligned, covered) * scale), round2(aligned), round2(covered))


def legacy(
    alignment: Sequence[str], coverage: Sequence[str], questions: int, scale: float = 1
) -> MastraScore:
    """What the code of the removed metric returned: `scale` multiplies both parts too.

    Kept defects: verdicts the judge left out shrink the denominator of alignment; fewer answers
    than questions end in a TypeError (`MissingAnswer`). Further answers are never looked at.

    >>> legacy(["yes", "yes", "no"], ["yes", "yes", "yes", "no"], 4, scale=10)
    MastraScore(score=6.67, alignment_score=6.67, coverage_score=7.5, reason='')
    """
    if len(coverage) < questions:
        raise MissingAnswer(
            _(
                "{questions} questions but {answers} answers: the original code ends here in a "
                "TypeError."
            ),
            questions=questions,
            answers=len(coverage),
        )
    aligned, covered = _share(alignment, len(alignment)), _share(coverage[:questions], questions)
    scaled = round2(aligned * scale), round2(covered * scale)
    return MastraScore(min(scaled), *scaled)


def rebuilt(
    alignment: Sequence[str | bool],
    coverage: Sequence[str | bool],
    questions: int,
    scale: float = 1,
    max_questions: int = DEFAULT_MAX_QUESTIONS,
) -> MastraScore:
    """The scorer of 2026: booleans, at most `max_questions` questions, parts unscaled.

    Further coverage verdicts are cut, missing ones count as unanswered; without a claim or without
    a question the score is 0. ValueError for `max_questions` below 1, as its constructor throws.
    Kept defect: alignment is the share of the items returned, there is no list of claims to hold
    them against.

    >>> rebuilt([True], [True], questions=4).score
    0.25
    """
    if max_questions < 1:
        raise ValueError("max_questions must be at least 1")
    return page(alignment, coverage, min(questions, max_questions), scale)


def _share(labels: Sequence[str | bool], of: int) -> float:
    return min(sum(map(counts_as_yes, labels)) / of, 1.0) if of else 0.0


def round2(value: float) -> float:
    """Two decimals, halves up: `Math.round((x + Number.EPSILON) * 100) / 100` of Mastra.

    >>> round2(1 / 8), round(1 / 8, 2)
    (0.13, 0.12)
    >>> round2(0.285), round(0.285, 2)
    (0.29, 0.28)
    """
    return math.floor((value + _EPSILON) * 100 + 0.5) / 100
