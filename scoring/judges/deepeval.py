"""SummarizationMetric of DeepEval: counting as its code counts, known defects included.

Source: deepeval run with scripted answers; `python -m benchmarks.judging.peers` compares case by
case. `3.7` equals 3.7.9 to 4.0.10, and 4.1.10 but for a null threshold, which that accepts; `4.3`
equals 4.2.9 and 4.3.1 for judges that answer in text (structured answers raise there on idk and
unsure). No part is rounded.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scoring.judges.parsing import NoThreshold, TooManyAnswers, UnequalAnswers, UnknownLabel
from scoring.messages import _

Version = Literal["3.7", "4.3"]
CoverageOver = Literal["source_yes", "all"]

_LABELS_3_7 = frozenset({"yes", "no", "idk"})
_LABELS_4_3 = frozenset({"yes", "no", "idk", "borderline"})
_FIRST_WORD = re.compile("[a-z]+")


@dataclass(frozen=True)
class DeepEvalScore:
    """A result as the metric object shows it after `measure()`."""

    score: float
    alignment: float
    coverage: float
    success: bool | None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """`score`, `reason`, `success` and `score_breakdown` under their names on the metric."""
        return {
            "score": self.score,
            "reason": self.reason,
            "success": self.success,
            "score_breakdown": {"Alignment": self.alignment, "Coverage": self.coverage},
        }


def summarization(
    alignment: Sequence[object],
    source_answers: Sequence[str],
    summary_answers: Sequence[str],
    *,
    questions: int | None = None,
    threshold: float | None = 0.5,
    strict_mode: bool = False,
    coverage_over: CoverageOver = "source_yes",
    version: Version = "4.3",
) -> DeepEvalScore:
    """`min(Alignment, Coverage)`; success where it reaches the threshold, None without one.

    Strict mode sets the threshold to 1 and turns each part below 1 into 0. Version 3.7 cannot do
    without a threshold.

    >>> summarization(["yes", "no"], ["yes"] * 4, ["yes"] * 3 + ["no"]).to_dict()["score_breakdown"]
    {'Alignment': 0.5, 'Coverage': 0.75}
    """
    # Coverage first, as there: where both cannot be counted, its error is the one that is seen.
    covered = coverage_share(source_answers, summary_answers, questions, coverage_over)
    aligned = alignment_share(alignment, version)
    if strict_mode:
        threshold = 1.0
        aligned, covered = float(aligned >= 1), float(covered >= 1)
    score = min(aligned, covered)
    if threshold is None and version == "3.7":
        raise NoThreshold(_("deepeval 3.7 ends in a TypeError when threshold is null."))
    return DeepEvalScore(score, aligned, covered, None if threshold is None else score >= threshold)


def alignment_share(labels: Sequence[object], version: Version = "4.3") -> float:
    """Share of `yes` among the verdicts returned; 0 without any. `idk` counts against.

    Kept defect: the denominator is what came back, not the claims, so a judge that drops verdicts
    raises the score. 3.7 knows exactly yes, no and idk and fails on anything else (`UnknownLabel`).
    4.3 goes by the first word in lower case ("Yes." and "No, it is off" pass), knows `borderline`
    too, and drops every other label from the list.

    >>> alignment_share(["unsure", "Yes, it says so"])
    1.0
    """
    if version == "3.7":
        known = [_label_3_7(label) for label in labels]
    else:
        known = [word for word in map(_first_word, labels) if word in _LABELS_4_3]
    return known.count("yes") / len(known) if known else 0.0


def _first_word(label: object) -> str:
    found = _FIRST_WORD.match(str(label).strip().lower())
    return found[0] if found else ""


def _label_3_7(label: object) -> str:
    if isinstance(label, str) and label in _LABELS_3_7:
        return label
    raise UnknownLabel(
        _("deepeval 3.7 fails on {label}, which is not yes, no or idk."), label=repr(label)
    )


def coverage_share(
    source_answers: Sequence[str],
    summary_answers: Sequence[str],
    questions: int | None = None,
    coverage_over: CoverageOver = "source_yes",
) -> float:
    """Of the questions that the source answers yes (or of `all`), those the summary answers too.

    Raises what deepeval raises. Kept defect: short lists are scored on what came back.
    """
    if len(source_answers) != len(summary_answers):
        raise UnequalAnswers(
            _(
                "{source} answers on the source but {summary} on the summary: deepeval ends in a "
                "ValueError."
            ),
            source=len(source_answers),
            summary=len(summary_answers),
        )
    if questions is not None and len(source_answers) > questions:
        raise TooManyAnswers(
            _("{questions} questions but {answers} answers: deepeval ends in an IndexError."),
            questions=questions,
            answers=len(source_answers),
        )
    pairs = [
        (is_yes(source), is_yes(summary))
        for source, summary in zip(source_answers, summary_answers, strict=True)
    ]
    both = sum(source and summary for source, summary in pairs)
    of = len(pairs) if coverage_over == "all" else sum(source for source, _ in pairs)
    return both / of if of else 0.0


def is_yes(answer: str) -> bool:
    """Trimmed and lower-cased it is `yes`; "Yes." is not."""
    return answer.strip().lower() == "yes"
