"""An organizer takes a judge column off the board, or puts a draft of one away."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.judge_editing import (
    State,
    locked_config_for_editing,
    refuse_unless,
    show_judge,
)
from leaderboard.audit.log import record
from leaderboard.judging import switching
from leaderboard.judging.models import JudgeConfig


def retire_judge_config(
    *, config_id: UUID, user: User, reason: str = "", at: datetime
) -> JudgeConfig:
    """Nothing of it is shown, built or asked any more; what it says stays. Raises Refused."""
    with transaction.atomic():
        config = locked_config_for_editing(config_id, user)
        refuse_unless(config, set(State.values) - {State.RETIRED})
        shown = config.state == State.ACTIVE
        switching.retire(config=config, at=at)
        if shown:
            show_judge(config.competition, shown=False)
        record(
            kind="judge.retired",
            actor=user,
            at=at,
            competition=config.competition_id,
            subject=config.pk,
            after={"judge": str(config), "was_shown": shown},
            reason=reason.strip()[:300],
        )
    return config
