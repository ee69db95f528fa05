"""An organizer has a submission judged again."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.judge_editing import (
    State,
    locked_config_for_editing,
    refuse_unless,
    why_outdated,
)
from leaderboard.audit.log import record
from leaderboard.competitions.locking import lock_one
from leaderboard.judging import switching
from leaderboard.judging.models import Judging


def rejudge(
    *, judging_id: UUID, user: User, everything: bool = False, reason: str = "", at: datetime
) -> int:
    """Forget the rows without a readable answer, or all, and let them be judged; how many.

    Answers that were stored are counted again and not asked again: another opinion needs another
    config. Raises Refused.
    """
    with transaction.atomic():
        config_id = Judging.objects.values_list("config", flat=True).get(pk=judging_id)
        config = locked_config_for_editing(config_id, user)
        refuse_unless(config, [State.FROZEN, State.ACTIVE])
        refusal = why_outdated(config)
        if refusal is not None:
            raise refusal
        judging = lock_one(Judging.objects.filter(pk=judging_id))
        statuses = None if everything else switching.UNANSWERED
        forgotten = switching.judge_again(judging=judging, statuses=statuses)
        record(
            kind="judge.rejudged",
            actor=user,
            at=at,
            competition=config.competition_id,
            subject=judging.submission_id,
            after={"judge": str(config), "rows": forgotten},
            reason=reason.strip()[:300],
        )
    return forgotten
