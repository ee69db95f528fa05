"""What is asked, what comes back, and what becomes of it.

`Question`, `Rubric` and `SourceContent` are made once per dialogue or contest, reviewed and frozen,
so every submission meets the same ones. What comes back are items in the forms of `schemas`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

Kind = Literal["free", "categorical"]
Item = Mapping[str, Any]

# How a rubric begins that asks for something not to be there, in an item that people can read.
ABSENT = ("없음:", "absent:")
# What the first call may return for one summary; a longer list is asked for again.
MAX_CLAIMS = 30
MAX_CLAIM_CHARACTERS = 200


class Status(StrEnum):
    """What became of one row under one metric.

    `scored` and `content_failed` have a score (the latter 0) and count in the mean; the others
    have none. `not_applicable`, `source_blocked` and `not_sampled` hold for every submission.
    """

    SCORED = "scored"
    NOT_APPLICABLE = "not_applicable"
    PENDING = "pending"
    INFRA_ERROR = "infra_error"
    CONTENT_FAILED = "content_failed"
    SOURCE_BLOCKED = "source_blocked"
    SKIPPED_BUDGET = "skipped_budget"
    NOT_SAMPLED = "not_sampled"


@dataclass(frozen=True)
class Question:
    """A closed question about one dialogue that the dialogue answers with yes."""

    id: str
    question: str
    source_answer: bool = True


@dataclass(frozen=True)
class Rubric:
    """A checklist question from the instruction of one section of the summary.

    One that begins as `ABSENT` asks that something is not in the summary.
    """

    id: str
    section: str
    instruction: str
    question: str
    kind: Kind = "free"
    allowed_values: tuple[str, ...] = ()


def is_about_absence(question: str) -> bool:
    """Whether a rubric asks that something is not in the summary, so nothing can be quoted for it.

    >>> is_about_absence("없음: 전화번호"), is_about_absence("전화번호가 없는가?")
    (True, False)
    """
    return question.strip().casefold().startswith(ABSENT)


@dataclass(frozen=True)
class SourceContent:
    """A point of one dialogue that a complete summary carries under a rubric."""

    id: str
    rubric_id: str
    transcript_content: str


@dataclass(frozen=True)
class Asked:
    """The ids that were asked about one summary: the denominators, whatever comes back.

    completeness: content ids by rubric id. categorical: allowed values by rubric id, checked here
    without a judge. sections: section by rubric id; rubrics that are not named share one section.
    absent: rubrics of adherence that ask for something not to be there. texts: what was asked, by
    question id and `rubric/content` id, to hold quotations against.
    """

    questions: tuple[str, ...] = ()
    completeness: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    adherence: tuple[str, ...] = ()
    categorical: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict, compare=False)

    @classmethod
    def of(
        cls,
        questions: Sequence[Question] = (),
        rubrics: Sequence[Rubric] = (),
        contents: Sequence[SourceContent] = (),
    ) -> "Asked":
        """From the frozen artefacts of one dialogue.

        A free rubric is asked for completeness, and for adherence where its section has an
        instruction. A categorical one is checked here and has no completeness.
        """
        free = [rubric for rubric in rubrics if rubric.kind == "free"]
        return cls(
            questions=tuple(question.id for question in questions if question.source_answer),
            completeness={
                rubric.id: tuple(each.id for each in contents if each.rubric_id == rubric.id)
                for rubric in free
            },
            adherence=tuple(rubric.id for rubric in free if rubric.instruction.strip()),
            categorical={
                rubric.id: rubric.allowed_values
                for rubric in rubrics
                if rubric.kind == "categorical"
            },
            sections={rubric.id: rubric.section for rubric in rubrics},
            absent=frozenset(rubric.id for rubric in free if is_about_absence(rubric.question)),
            texts={
                **{each.id: each.question for each in questions},
                **{f"{each.rubric_id}/{each.id}": each.transcript_content for each in contents},
            },
        )


@dataclass(frozen=True)
class Returned:
    """What the judge returned for one summary; None where nothing was asked.

    stopped: metrics whose answer never came in a usable form, with why: `content_failed` (malformed
    after every re-ask), `infra_error`, `pending`, `skipped_budget`, `source_blocked`.
    """

    claims: Sequence[Item] | None = None
    decomposition: Sequence[Item] | None = None
    answers: Sequence[Item] | None = None
    completeness: Sequence[Item] | None = None
    adherence: Sequence[Item] | None = None
    stopped: Mapping[str, Status] = field(default_factory=dict)


@dataclass(frozen=True)
class RowResult:
    """One row under one metric.

    score: 0..1, None unless `scored` or `content_failed`. numerator of denominator: items that
    count of items asked, pooled. unsure: of claims, how many the judge could not settle. items:
    what each asked id counted for in the end, after the evidence check. flags: for organizers.
    """

    metric: str
    status: Status
    score: float | None
    numerator: int = 0
    denominator: int = 0
    unsure: int = 0
    flags: tuple[str, ...] = ()
    items: Mapping[str, bool] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON keeps it."""
        parts = {name: part for name, part in vars(self).items() if name != "metric"}
        as_json = {
            "status": self.status.value,
            "flags": list(self.flags),
            "items": dict(self.items),
        }
        return parts | as_json
