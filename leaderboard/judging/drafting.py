"""What a judge column is to be: its settings and sections, checked and written."""

import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

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


# All that an organizer chooses for a column.
NAMES = (
    *("label", "pipeline", "dialogue_set_id", "language", "endpoint", "model", "sampling"),
    *("structured", "questions_per_dialogue", "longest_summary", "longest_share", "sample_rows"),
    *RUNNING,
    *CAPS,
)


def settings_of(config: JudgeConfig, **changed: Any) -> JudgeConfig:
    """An unsaved config with the same settings, but for those that are `changed`."""
    return JudgeConfig(**{**{name: getattr(config, name) for name in NAMES}, **changed})


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


def create_config(
    *, competition: Competition, user: User, wanted: JudgeConfig, at: datetime
) -> JudgeConfig:
    """A draft with the next number and one section. The competition's row is locked."""
    last = JudgeConfig.objects.filter(competition=competition).aggregate(last=Max("number"))
    config = settings_of(
        wanted,
        competition=competition,
        number=(last["last"] or 0) + 1,
        created_by=user,
        created_at=at,
        sample_seed=_sample_seed(competition),
    )
    config.save(force_insert=True)
    set_sections(config=config, sections=[WHOLE])
    return config


def _sample_seed(competition: Competition) -> int:
    """Secret, and the same for every config of a contest: their samples can be compared."""
    known = JudgeConfig.objects.filter(competition=competition).exclude(sample_seed=0)
    return known.values_list("sample_seed", flat=True).first() or 1 + secrets.randbits(62)


def clean(config: JudgeConfig) -> None:
    """Raises ValidationError for a setting that no config can have."""
    checked = set(NAMES) - {"dialogue_set_id", "sampling"}
    config.clean_fields(exclude={field.name for field in config._meta.fields} - checked)


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
