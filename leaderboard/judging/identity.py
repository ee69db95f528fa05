"""What a call and a column are, as hashes: equal hash, equal question.

Prompt, schema, model, address, sampling and frozen items count; key, limits and prices do not.
"""

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, cast

from django.conf import settings
from django.db.models import Max, QuerySet

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.judging.models import Artefact, JudgeConfig, Section
from scoring.judges import prompts
from scoring.judges.call_graph import Call
from scoring.judges.pipelines import PIPELINES
from scoring.judges.prompts import Language, Prompt
from scoring.judges.schemas import SCHEMAS, Schema

# Raise when the form of a key, of a request or of a stored answer changes.
STORE_VERSION = 1
# Raise when equal answers would be counted another way. 2: what a quotation has to hold.
COUNTING_VERSION = 2


def endpoint_identity(name: str) -> str:
    """What stands for a server in hashes: the identity that the operator gave, or its address."""
    endpoint = settings.JUDGE_ENDPOINTS.get(name)
    if endpoint is None:
        return f"missing:{name}"
    return endpoint.get("identity") or endpoint["base_url"].rstrip("/")


def call_key(
    config: JudgeConfig,
    *,
    prompt: Prompt,
    schema: Schema,
    material: Mapping[str, Any],
    sample_index: int = 0,
    max_tokens: int | None = None,
    scope: str = "",
) -> str:
    """The key of a call's answer in the store. `scope`: empty for answers that everybody shares."""
    limit = {} if max_tokens is None else {"max_tokens": max_tokens}
    return _sha256(
        {
            "store_version": STORE_VERSION,
            **_server(config, config.sampling | limit),
            "prompt": [prompt.id, prompt.language, prompt.sha256],
            "schema": schema.sha256,
            "inputs": json.dumps(material, ensure_ascii=False, allow_nan=False),
            "sample_index": sample_index,
            "scope": scope,
        }
    )


def artefact_hash(config: JudgeConfig) -> str:
    """Of the sections and of everything that will be asked, whatever its order in the table."""
    sections = [
        [section.position, section.name, section.kind, section.instruction, section.allowed_values]
        for section in config.sections.all()
    ]
    items = asked(config).values_list(
        "kind", "item_id", "example_id", "section__name", "rubric_id", "text"
    )
    return _sha256({"sections": sections, "items": sorted(map(list, items), key=repr)})


def asked(config: JudgeConfig) -> QuerySet[Artefact]:
    """The items that submissions meet: kept, and not a question the dialogue leaves open."""
    return config.artefacts.filter(is_kept=True).exclude(source_answer=False)


def config_hash(config: JudgeConfig) -> str:
    """Of everything that decides a column's numbers. Set `artefact_hash` first."""
    pipeline = PIPELINES[config.pipeline]
    language = cast(Language, config.language)
    return _sha256(
        {
            "store_version": STORE_VERSION,
            "counting_version": COUNTING_VERSION,
            **_server(config, config.sampling),
            "pipeline": config.pipeline,
            "calls": [_call(call, language) for call in pipeline.calls],
            "dialogues": config.dialogue_set.sha256,
            "artefacts": config.artefact_hash,
            "length": [config.longest_summary, _number(config.longest_share)],
            "sample": [config.sample_rows, config.sample_seed if config.sample_rows else 0],
        }
    )


def is_current(config: JudgeConfig) -> bool:
    """Whether this process would ask and count as the config was frozen to."""
    return config_hash(config) == config.config_hash


def _call(call: Call, language: Language) -> list[Any]:
    prompt = prompts.load(call.prompt, language)
    return [
        call.id,
        [prompt.id, language, prompt.sha256],
        SCHEMAS[call.schema].sha256,
        list(call.inputs.items()),
        list(call.after),
    ]


def _server(config: JudgeConfig, sampling: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "server": endpoint_identity(config.endpoint),
        "model": config.model,
        "structured": config.structured,
        "sampling": {key: _number(sampling[key]) for key in sampling if sampling[key] is not None},
    }


def _number(value: Any) -> Any:
    """Numbers as text with one spelling: 0, 0.0 and 0e0 are the same temperature.

    >>> _number(0.0), _number(1), _number("high")
    ('0', '1', 'high')
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return format(Decimal(str(value)).normalize() + 0, "f")
    return value


def _sha256(value: Mapping[str, Any]) -> str:
    text = json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    return hashlib.sha256(text.encode()).hexdigest()


# What may change while a column is shown: none of it makes an answer another one.
RUNNING = (
    *("policy", "systems", "price_input", "price_output", "currency", "submissions_per_team_day"),
    *("calls_per_submission", "calls_per_team_day", "calls_in_all"),
    *("micros_per_submission", "micros_per_team_day", "micros_in_all"),
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
)


def settings_of(config: JudgeConfig, **changed: Any) -> JudgeConfig:
    return JudgeConfig(**{**{name: getattr(config, name) for name in NAMES}, **changed})


# A summary that is scored as one piece of writing without an instruction.
WHOLE = Section(name="요약", kind=Section.Kind.PREBUILT)


def create_config(
    *, competition: Competition, user: User, wanted: JudgeConfig, at: datetime
) -> JudgeConfig:
    """A draft with the next number and one section. The competition's row is locked."""
    of_contest = JudgeConfig.objects.filter(competition=competition)
    last = of_contest.aggregate(last=Max("number"))
    seeds = of_contest.exclude(sample_seed=0).values_list("sample_seed", flat=True)
    config = settings_of(
        wanted,
        competition=competition,
        number=(last["last"] or 0) + 1,
        created_by=user,
        created_at=at,
        # Secret, and the same for every config of a contest: their samples can be compared.
        sample_seed=seeds.first() or 1 + secrets.randbits(62),
    )
    config.save(force_insert=True)
    set_sections(config=config, sections=[WHOLE])
    return config


def clean(config: JudgeConfig) -> None:
    checked = set(NAMES) - {"dialogue_set_id", "sampling"}
    config.clean_fields(exclude={field.name for field in config._meta.fields} - checked)


def set_sections(*, config: JudgeConfig, sections: Iterable[Section]) -> None:
    """Replace the sections of a draft; it has no items yet."""
    config.sections.all().delete()
    Section.objects.bulk_create(
        (
            Section(config=config, position=position, **as_written(section))
            for position, section in enumerate(sections)
        ),
        batch_size=500,
    )


def as_written(section: Section) -> dict[str, Any]:
    """What an organizer said of it, wherever it stands."""
    names = ("name", "kind", "instruction", "allowed_values")
    return {name: getattr(section, name) for name in names}
