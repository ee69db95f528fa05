"""An organizer makes a judge column out of another one: the same items, read only once."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.create_judge_config import why_no_judge
from leaderboard.actions.judge_editing import locked_config_for_editing
from leaderboard.audit.log import record
from leaderboard.judging.drafting import ConfigSettings, copy_config
from leaderboard.judging.endpoints import endpoint_names
from leaderboard.judging.models import JudgeConfig
from leaderboard.references.coverage import covering_sets
from leaderboard.references.queries import live_version


def copy_judge_config(*, config_id: UUID, user: User, at: datetime) -> JudgeConfig:
    """A draft with the settings, limits, prices and sections of this config. Raises Refused.

    Its reviewed items follow when the review begins (`judging.carrying`): what the draft is then
    says which of them are still right.
    """
    with transaction.atomic():
        source = locked_config_for_editing(config_id, user)
        refusal = why_no_judge(source.competition)
        if refusal is not None:
            raise refusal
        wanted = _possible(source, ConfigSettings.of(source))
        copy = copy_config(source=source, user=user, wanted=wanted, at=at)
        record(
            kind="judge.copied",
            actor=user,
            at=at,
            competition=source.competition_id,
            subject=copy.pk,
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
