"""What organizers decide about a judge column before it is shown: draft, copy, edit, sections."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import Deciding, deciding
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition
from leaderboard.judging import identity
from leaderboard.judging.models import Build, JudgeConfig, Judging, Repeat, Section
from leaderboard.judging.queries import endpoint_names
from leaderboard.references.queries import covering_sets, live_version
from leaderboard.refusals import Invalid, Refused

State = JudgeConfig.State
IN_USE = set(State.values) - {State.RETIRED}

no_dialogues = partial(
    Refused,
    "no_dialogues",
    _("No set has the dialogues of all ids, which a judge must read."),
    _("Upload the dialogues of all live references, or take them from a data file."),
)


@dataclass(frozen=True)
class DecidingOnConfig(Deciding):
    """An editor's decision about one judge column, in its transaction. Its row is locked."""

    config: JudgeConfig

    def log(
        self,
        kind: str,
        subject: UUID | None = None,
        *,
        before: Mapping[str, Any] | None = None,
        reason: str = "",
        **after: Any,
    ) -> None:
        """Add it to the log with the column's name, about the column or a submission under it."""
        self.record(
            kind,
            subject or self.config.pk,
            before=before,
            after={"judge": str(self.config), **after},
            reason=reason.strip()[:300],
        )


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
            raise Refused(
                "wrong_state",
                # xgettext:no-python-brace-format  its Korean calls the state as the page does
                _("This is not possible for a judge config that is {state}."),
                _("Open the page again to see its state."),
                state=config.state,
                label=label,
            )
        yield DecidingOnConfig(decision.competition, user, at, config)


def refuse(refusal: Refused | None) -> None:
    if refusal is not None:
        raise refusal


def why_outdated(config: JudgeConfig) -> Refused | None:
    """Why nothing more is judged under a frozen config: this server would judge otherwise."""
    if not config.config_hash or identity.is_current(config):
        return None
    return Refused(
        "asked_otherwise",
        _(
            "This server now judges with other prompts, rules or addresses. The values of this "
            "config stay, but it judges nothing more."
        ),
        _("Continue in a new config with the same items."),
    )


def create_judge_config(
    *, competition: Competition, user: User, wanted: JudgeConfig, at: datetime
) -> JudgeConfig:
    """A draft with one section, the whole summary. Raises Refused and ValidationError."""
    with deciding(competition, user, at) as decision:
        locked = decision.competition
        refuse(why_no_judge(locked))
        check_settings(locked, wanted)
        config = identity.create_config(competition=locked, user=user, wanted=wanted, at=at)
        decision.record(
            "judge.created", config.pk, after={"judge": str(config), "model": config.model}
        )
    return config


def why_no_judge(competition: Competition) -> Refused | None:
    """Why this contest can have no judge column now, in the order in which to settle it."""
    if not endpoint_names():
        return Refused(
            "no_endpoint",
            _("No judge model is connected to this server."),
            _("Ask the server operator to set JUDGE_BASE_URL and JUDGE_API_KEY."),
        )
    live = live_version(competition)
    if live is None:
        return Refused(
            "no_live_golds",
            _("No references are live yet, so it is not known which dialogues to judge."),
            _("Upload references and make them live first."),
        )
    if not covering_sets(competition, live):
        return no_dialogues()
    return None


def check_settings(competition: Competition, wanted: JudgeConfig) -> None:
    """Raises ValidationError for values no column can have, Refused for what is not there."""
    identity.clean(wanted)
    if not wanted.label.isprintable() or not wanted.model.isprintable():
        raise ValidationError("control characters")
    if wanted.endpoint not in endpoint_names():
        raise Invalid("unknown_endpoint", _("The server operator does not allow this server."))
    sets = covering_sets(competition, live_version(competition))
    if wanted.dialogue_set_id not in {one.pk for one in sets}:
        raise no_dialogues()


def copy_judge_config(*, config_id: UUID, user: User, at: datetime) -> JudgeConfig:
    """A draft with this config's settings and sections, and a server and dialogues that are there.

    Its reviewed items follow when the review begins (`judging.building`). Raises Refused.
    """
    with deciding_on_config(config_id, user, at) as decision:
        source, contest = decision.config, decision.competition
        refuse(why_no_judge(contest))
        wanted = identity.settings_of(source)
        if wanted.endpoint not in endpoint_names():
            wanted.endpoint = endpoint_names()[0]
        sets = covering_sets(contest, live_version(contest))
        if wanted.dialogue_set_id not in {one.pk for one in sets}:
            wanted.dialogue_set_id = sets[0].pk
        copy = identity.create_config(competition=contest, user=user, wanted=wanted, at=at)
        identity.set_sections(config=copy, sections=source.sections.all())
        # A draft has no items; a copy of one takes those of the config that it was copied from.
        copy.copied_from = (source.state == State.DRAFT and source.copied_from) or source
        copy.save(update_fields=["copied_from"])
        decision.record(
            "judge.copied",
            copy.pk,
            before={"judge": str(source), "model": source.model},
            after={"judge": str(copy), "model": copy.model},
        )
    return copy


def edit_judge_config(
    *, config_id: UUID, user: User, wanted: JudgeConfig, at: datetime
) -> JudgeConfig:
    """Save what differs; with other limits, what waited for budget goes on.

    Raises Refused, and ValidationError for values that cannot be.
    """
    with deciding_on_config(config_id, user, at, IN_USE) as decision:
        config = decision.config
        changed = [
            name for name in identity.NAMES if getattr(config, name) != getattr(wanted, name)
        ]
        if not changed:
            return config
        if config.state != State.DRAFT and set(changed) - set(identity.RUNNING):
            raise Refused(
                "not_a_draft",
                _(
                    "After the draft stage, only prices, limits and policy "
                    "of a judge config can change."
                ),
                _("To judge in another way, make a new config."),
            )
        if config.state == State.DRAFT:
            check_settings(config.competition, wanted)
        before = _kept(config, changed)
        for name in changed:
            setattr(config, name, getattr(wanted, name))
        identity.clean(config)
        config.save(update_fields=changed)
        if any(name.startswith(("calls_", "micros_")) for name in changed):
            go_on(config, ("budget",))
        decision.record("judge.edited", config.pk, before=before, after=_kept(config, changed))
    return config


def _kept(config: JudgeConfig, names: Collection[str]) -> dict[str, Any]:
    values = {name: getattr(config, name) for name in names}
    return {name: str(one) if isinstance(one, UUID) else one for name, one in values.items()}


def go_on(config: JudgeConfig, paused: Collection[str]) -> None:
    """What waits for one of these reasons is taken up at once."""
    for table in (Judging, Build, Repeat):
        waiting = table._default_manager.filter(config=config, paused__in=paused)
        lock(waiting)
        waiting.update(paused="", not_before=None)


_NAME = re.compile(r"[^\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+")


def _refuse_sections(sections: Sequence[Section]) -> None:
    names = [section.name for section in sections]
    most, longest = identity.MOST_SECTIONS, identity.LONGEST_INSTRUCTION
    if not 0 < len(sections) <= most:
        raise Invalid("number_of_sections", _("There are 1 to {most} sections."), most=most)
    if len(set(names)) < len(names):
        raise Invalid("same_name", _("Two sections have the same name."))
    for section in sections:
        if not 0 < len(section.name) <= 60 or not _NAME.fullmatch(section.name):
            said = _("The name of a section has 1 to 60 visible characters.")
            raise Invalid("section_name", said)
        if section.kind not in Section.Kind.values:
            raise Invalid("section_kind", _("A section is of an unknown kind."))
        if len(section.instruction) > longest:
            said = _("An instruction has at most {longest:,} characters.")
            raise Invalid("long_instruction", said, longest=longest)
        if section.kind != Section.Kind.PREBUILT and not section.instruction:
            said = _("A section needs an instruction, unless its kind is “No instruction”.")
            raise Invalid("no_instruction", said)
        if not _fit(section):
            said = _("Fixed values are 2 to {most} different ones of at most {longest} characters.")
            many = {"most": identity.MOST_VALUES, "longest": identity.LONGEST_VALUE}
            raise Invalid("allowed_values", said, **many)


def _fit(section: Section) -> bool:
    values = section.allowed_values
    if section.kind != Section.Kind.CATEGORICAL:
        return not values
    long = identity.LONGEST_VALUE
    short = all(0 < len(value) <= long and _NAME.fullmatch(value) for value in values)
    return short and 2 <= len(values) <= identity.MOST_VALUES and len(set(values)) == len(values)


def set_judge_sections(
    *, config_id: UUID, user: User, sections: Sequence[Section], at: datetime
) -> None:
    with deciding_on_config(config_id, user, at, [State.DRAFT]) as decision:
        config = decision.config
        _refuse_sections(sections)
        before = list(config.sections.all())
        if list(map(identity.as_written, before)) == list(map(identity.as_written, sections)):
            return
        identity.set_sections(config=config, sections=sections)
        decision.record(
            "judge.sections_set",
            config.pk,
            before={"sections": [one.name for one in before]},
            after={"sections": [one.name for one in sections]},
        )
