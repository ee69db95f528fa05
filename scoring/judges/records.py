"""What is asked, frozen once for every submission; what comes back; and what becomes of it."""

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
    """What became of one row under one metric; `scored` and `content_failed` count in means."""

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


@dataclass(frozen=True)
class Rubric:
    """A question from a section's instruction; one that begins as `ABSENT` asks for absence."""

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

    By rubric id: content ids (completeness), allowed values (categorical), sections.
    texts: what was asked, by question id and `rubric/content` id, to hold quotations against.
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
        """From the frozen artefacts of one dialogue; a categorical rubric has no completeness."""
        free = [rubric for rubric in rubrics if rubric.kind == "free"]
        return cls(
            questions=tuple(question.id for question in questions),
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
    """What the judge returned; None where nothing was asked. stopped: lost metrics, with why."""

    claims: Sequence[Item] | None = None
    decomposition: Sequence[Item] | None = None
    answers: Sequence[Item] | None = None
    completeness: Sequence[Item] | None = None
    adherence: Sequence[Item] | None = None
    stopped: Mapping[str, Status] = field(default_factory=dict)


@dataclass(frozen=True)
class RowResult:
    """One row under one metric; `items`: what each asked id counts for after the evidence check."""

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
