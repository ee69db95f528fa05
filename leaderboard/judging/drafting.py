"""What a judge column is to be: its settings and sections, checked and written."""

import re
import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.db.models import Max

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.judging.models import JudgeConfig, Section

# What may change while a column is shown: none of it makes an answer another one.
RUNNING = (
    "policy",
    "price_input",
    "price_output",
    "currency",
    "submissions_per_team_day",
)
# Raised by grants once a config has left its draft.
CAPS = (
    "calls_per_submission",
    "calls_per_team_day",
    "calls_in_all",
    "micros_per_submission",
    "micros_per_team_day",
    "micros_in_all",
)
MOST_SECTIONS = 10
MOST_VALUES = 50
LONGEST_INSTRUCTION = 2_000
LONGEST_VALUE = 100


@dataclass(frozen=True)
class ConfigSettings:
    """All that an organizer chooses for a column, as it is or as it is to be."""

    label: str
    pipeline: str
    dialogue_set_id: UUID
    language: str
    endpoint: str
    model: str
    sampling: dict[str, Any]
    structured: str
    questions_per_dialogue: int
    longest_summary: int
    longest_share: float
    sample_rows: int
    policy: str
    price_input: int
    price_output: int
    currency: str
    calls_per_submission: int
    calls_per_team_day: int
    calls_in_all: int
    micros_per_submission: int
    micros_per_team_day: int
    micros_in_all: int
    submissions_per_team_day: int

    @classmethod
    def of(cls, config: JudgeConfig) -> Self:
        return cls(**{name: getattr(config, name) for name in NAMES})

    def differing(self, other: "ConfigSettings") -> tuple[str, ...]:
        """Names of what the two do not share."""
        return tuple(name for name in NAMES if getattr(self, name) != getattr(other, name))


NAMES = tuple(field.name for field in fields(ConfigSettings))


@dataclass(frozen=True)
class SectionSettings:
    """What a summary, or a part of it, was asked to be. `allowed_values`: of categorical ones."""

    name: str
    kind: str
    instruction: str = ""
    allowed_values: tuple[str, ...] = ()


# A summary that is scored as one piece of writing without an instruction.
WHOLE = SectionSettings("요약", Section.Kind.PREBUILT)

_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+")


def section_problem(sections: Sequence[SectionSettings]) -> str:
    """A code for what is wrong with these sections, or an empty string."""
    names = [section.name for section in sections]
    if not 0 < len(sections) <= MOST_SECTIONS:
        return "number_of_sections"
    if len(set(names)) < len(names):
        return "same_name"
    for section in sections:
        if not 0 < len(section.name) <= 60 or not _NAME.fullmatch(section.name):
            return "section_name"
        if section.kind not in Section.Kind.values:
            return "section_kind"
        if len(section.instruction) > LONGEST_INSTRUCTION:
            return "long_instruction"
        if section.kind != Section.Kind.PREBUILT and not section.instruction:
            return "no_instruction"
        if not _fit(section):
            return "allowed_values"
    return ""


def _fit(section: SectionSettings) -> bool:
    """Categorical sections have two or more distinct short values, others none."""
    values = section.allowed_values
    if section.kind != Section.Kind.CATEGORICAL:
        return not values
    short = all(0 < len(value) <= LONGEST_VALUE and _NAME.fullmatch(value) for value in values)
    return short and 2 <= len(values) <= MOST_VALUES and len(set(values)) == len(values)


def unsaved(competition: Competition, wanted: ConfigSettings) -> JudgeConfig:
    """A config as it would be made of these settings: to be checked, or to be estimated."""
    return JudgeConfig(competition=competition, **{name: getattr(wanted, name) for name in NAMES})


def create_config(
    *, competition: Competition, user: User, wanted: ConfigSettings, at: datetime
) -> JudgeConfig:
    """A draft with the next number. The competition's row is locked."""
    last = JudgeConfig.objects.filter(competition=competition).aggregate(last=Max("number"))
    config = JudgeConfig.objects.create(
        competition=competition,
        number=(last["last"] or 0) + 1,
        created_by=user,
        created_at=at,
        sample_seed=_sample_seed(competition),
        **{name: getattr(wanted, name) for name in NAMES},
    )
    set_sections(config=config, sections=[WHOLE])
    return config


def copy_config(
    *, source: JudgeConfig, user: User, wanted: ConfigSettings, at: datetime
) -> JudgeConfig:
    """A draft with the sections of another config, whose items it may take over.

    A draft has none; a copy of one takes those of the config that it was itself copied from.
    """
    copy = create_config(competition=source.competition, user=user, wanted=wanted, at=at)
    set_sections(config=copy, sections=sections_of(source))
    is_draft = source.state == JudgeConfig.State.DRAFT
    copy.copied_from = (source.copied_from if is_draft else None) or source
    copy.save(update_fields=["copied_from"])
    return copy


def _sample_seed(competition: Competition) -> int:
    """Secret, and the same for every config of a contest: their samples can be compared."""
    known = JudgeConfig.objects.filter(competition=competition).exclude(sample_seed=0)
    return known.values_list("sample_seed", flat=True).first() or 1 + secrets.randbits(62)


def clean(config: JudgeConfig) -> None:
    """Raises ValidationError for a setting that no config can have."""
    checked = set(NAMES) - {"dialogue_set_id", "sampling"}
    config.clean_fields(exclude={field.name for field in config._meta.fields} - checked)


def change_config(*, config: JudgeConfig, wanted: ConfigSettings, names: Collection[str]) -> None:
    """Write these settings into a locked row."""
    for name in names:
        setattr(config, name, getattr(wanted, name))
    config.save(update_fields=list(names))


def set_sections(*, config: JudgeConfig, sections: Iterable[SectionSettings]) -> None:
    """Replace the sections of a draft; it has no items yet."""
    config.sections.all().delete()
    Section.objects.bulk_create(
        (
            Section(
                config=config,
                position=position,
                name=section.name,
                kind=section.kind,
                instruction=section.instruction,
                allowed_values=list(section.allowed_values),
            )
            for position, section in enumerate(sections)
        ),
        batch_size=500,
    )


def sections_of(config: JudgeConfig) -> list[SectionSettings]:
    """The sections as they can be set again."""
    return [
        SectionSettings(one.name, one.kind, one.instruction, tuple(one.allowed_values))
        for one in config.sections.all()
    ]
