"""An organizer has the questions, rubrics and contents of a judge column made."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.create_judge_config import check_settings
from leaderboard.actions.judge_editing import State, locked_config_for_editing, refuse_unless
from leaderboard.audit.log import record
from leaderboard.judging.drafting import ConfigSettings
from leaderboard.judging.items.carrying import carry
from leaderboard.judging.items.review import forget_failures
from leaderboard.judging.models import JudgeConfig


def begin_judge_review(*, config_id: UUID, user: User, at: datetime) -> JudgeConfig:
    """From now on a worker makes what is missing; the settings stand. Raises Refused.

    A copy takes over the items that are still right. Said again, it lets those dialogues be tried
    once more whose items could not be made.
    """
    with transaction.atomic():
        config = locked_config_for_editing(config_id, user)
        refuse_unless(config, [State.DRAFT, State.REVIEWING])
        check_settings(config.competition, ConfigSettings.of(config))
        again = 0
        if config.state == State.DRAFT:
            config.carried_items = carry(config=config)
        else:
            again = forget_failures(config=config)
        config.state = State.REVIEWING
        config.save(update_fields=["state", "carried_items"])
        record(
            kind="judge.reviewing",
            actor=user,
            at=at,
            competition=config.competition_id,
            subject=config.pk,
            after={"judge": str(config), "again": again, "carried": config.carried_items},
        )
    return config
