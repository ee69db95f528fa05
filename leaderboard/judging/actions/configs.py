"""What organizers decide about a judge column before it is shown: draft, copy, edit, sections."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.core.exceptions import ValidationError

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import Deciding, deciding
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition
from leaderboard.judging.actions.refusals import JudgeRefused
from leaderboard.judging.drafting import (
    LONGEST_INSTRUCTION,
    LONGEST_VALUE,
    MOST_SECTIONS,
    MOST_VALUES,
    RUNNING,
    ConfigSettings,
    SectionSettings,
    change_config,
    clean,
    copy_config,
    create_config,
    section_problem,
    sections_of,
    set_sections,
    unsaved,
)
from leaderboard.judging.identity import is_current
from leaderboard.judging.models import JudgeConfig
from leaderboard.judging.queries import endpoint_names
from leaderboard.references.models import DialogueSet
from leaderboard.references.queries import covering_sets, live_version

State = JudgeConfig.State


@dataclass(frozen=True)
class DecidingOnConfig(Deciding):
    """An editor's decision about one judge column, in its transaction. Its row is locked."""

    config: JudgeConfig


@contextmanager
def deciding_on_config(
    config_id: UUID, user: User, at: datetime, states: Collection[str] = tuple(State)
) -> Iterator[DecidingOnConfig]:
    """The config's row is locked after its contest's. Raises Refused outside these states."""
    found = JudgeConfig.objects.select_related("competition").get(pk=config_id)
    with deciding(found.competition, user, at) as decision:
        config = lock_one(JudgeConfig.objects.filter(pk=config_id))
        config.competition = decision.competition
        if config.state not in states:
            label = State(config.state).label
            raise JudgeRefused("wrong_state", state=config.state, label=label)
        yield DecidingOnConfig(decision.competition, user, at, config)


def why_outdated(config: JudgeConfig) -> Refused | None:
    """Why nothing more is judged under a frozen config: this server would judge otherwise."""
    if not config.config_hash or is_current(config):
        return None
    return JudgeRefused("asked_otherwise")


def show_judge(competition: Competition, *, shown: bool) -> None:
    """Let boards ask the judging room for columns, or leave it alone. The row is locked."""
    competition.shows_other_columns = shown
    competition.save(update_fields=["shows_other_columns"])


def create_judge_config(
    *, competition: Competition, user: User, wanted: ConfigSettings, at: datetime
) -> JudgeConfig:
    """A draft with one section, the whole summary. Raises Refused and ValidationError."""
    with deciding(competition, user, at) as decision:
        locked = decision.competition
        refusal = why_no_judge(locked)
        if refusal is not None:
            raise refusal
        check_settings(locked, wanted)
        config = create_config(competition=locked, user=user, wanted=wanted, at=at)
        decision.record(
            "judge.created", config.pk, after={"judge": str(config), "model": config.model}
        )
    return config


def why_no_judge(competition: Competition) -> Refused | None:
    """Why this contest can have no judge column now, in the order in which to mend it."""
    if not endpoint_names():
        return JudgeRefused("no_endpoint")
    live = live_version(competition)
    if live is None:
        return JudgeRefused("no_live_golds")
    if not covering_sets(competition, live):
        return no_dialogues()
    return None


def no_dialogues() -> Refused:
    """For a contest without a set that has a dialogue for every id."""
    return JudgeRefused("no_dialogues")


def check_settings(competition: Competition, wanted: ConfigSettings) -> None:
    """Raises ValidationError for values no column can have, Refused for what is not there."""
    probe = unsaved(competition, wanted)
    clean(probe)
    if not probe.label.isprintable() or not probe.model.isprintable():
        raise ValidationError("control characters")
    if wanted.endpoint not in endpoint_names():
        raise JudgeRefused("unknown_endpoint")
    if wanted.dialogue_set_id not in _usable(competition):
        raise no_dialogues()


def _usable(competition: Competition) -> set[UUID]:
    sets: list[DialogueSet] = covering_sets(competition, live_version(competition))
    return {one.pk for one in sets}


def copy_judge_config(*, config_id: UUID, user: User, at: datetime) -> JudgeConfig:
    """A draft with the settings, limits, prices and sections of this config. Raises Refused.

    Its reviewed items follow when the review begins (`judging.carrying`): what the draft is then
    says which of them are still right.
    """
    with deciding_on_config(config_id, user, at) as decision:
        source = decision.config
        refusal = why_no_judge(source.competition)
        if refusal is not None:
            raise refusal
        wanted = _possible(source, ConfigSettings.of(source))
        copy = copy_config(source=source, user=user, wanted=wanted, at=at)
        decision.record(
            "judge.copied",
            copy.pk,
            before={"judge": str(source), "model": source.model},
            after={"judge": str(copy), "model": copy.model},
        )
    return copy


def _possible(source: JudgeConfig, wanted: ConfigSettings) -> ConfigSettings:
    """The same, but for a server or dialogues that are gone: the first there are instead."""
    if wanted.endpoint not in endpoint_names():
        wanted = replace(wanted, endpoint=next(iter(endpoint_names())))
    sets = covering_sets(source.competition, live_version(source.competition))
    if wanted.dialogue_set_id not in {one.pk for one in sets}:
        wanted = replace(wanted, dialogue_set_id=sets[0].pk)
    return wanted


def edit_judge_config(
    *, config_id: UUID, user: User, wanted: ConfigSettings, at: datetime
) -> JudgeConfig:
    """Save what differs. Raises Refused, and ValidationError for values that cannot be."""
    with deciding_on_config(config_id, user, at, set(State.values) - {State.RETIRED}) as decision:
        config = decision.config
        now = ConfigSettings.of(config)
        changed = now.differing(wanted)
        if not changed:
            return config
        if config.state != State.DRAFT and set(changed) - set(RUNNING):
            raise JudgeRefused("not_a_draft")
        if config.state == State.DRAFT:
            check_settings(config.competition, wanted)
        before = {name: _kept(getattr(now, name)) for name in changed}
        change_config(config=config, wanted=wanted, names=changed)
        clean(config)
        decision.record(
            "judge.edited",
            config.pk,
            before=before,
            after={name: _kept(getattr(wanted, name)) for name in changed},
        )
    return config


def _kept(value: object) -> object:
    return str(value) if isinstance(value, UUID) else value


LIMITS = {
    "sections": MOST_SECTIONS,
    "instruction": LONGEST_INSTRUCTION,
    "values": MOST_VALUES,
    "value": LONGEST_VALUE,
}


def set_judge_sections(
    *, config_id: UUID, user: User, sections: Sequence[SectionSettings], at: datetime
) -> None:
    """Replace the sections of a draft. Raises Refused."""
    with deciding_on_config(config_id, user, at, [State.DRAFT]) as decision:
        config = decision.config
        code = section_problem(sections)
        if code:
            raise JudgeRefused(code, **LIMITS)
        before = sections_of(config)
        if before == list(sections):
            return
        set_sections(config=config, sections=sections)
        decision.record(
            "judge.sections_set",
            config.pk,
            before={"sections": [one.name for one in before]},
            after={"sections": [one.name for one in sections]},
        )
