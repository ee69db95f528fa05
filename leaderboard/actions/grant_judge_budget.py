"""An organizer lets a judge column cost more."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.judge_editing import State, locked_config_for_editing, refuse_unless
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.judging import switching
from leaderboard.judging.drafting import CAPS
from leaderboard.judging.models import JudgeConfig

MOST_CALLS = 2_000_000_000
MOST_MICROS = 1_000_000_000_000_000


def grant_judge_budget(
    *, config_id: UUID, user: User, more: Mapping[str, int], reason: str = "", at: datetime
) -> JudgeConfig:
    """Raise limits by these amounts; what waited for budget goes on. Raises Refused.

    Names are those of `drafting.CAPS`; money is in millionths.
    """
    raised = {name: amount for name, amount in more.items() if amount}
    with transaction.atomic():
        config = locked_config_for_editing(config_id, user)
        refuse_unless(config, set(State.values) - {State.RETIRED})
        if not raised or set(raised) - set(CAPS) or min(raised.values()) < 0:
            raise Refused(
                "nothing_granted",
                ko="더 줄 만큼을 1보다 큰 수로 적어 주세요.",
                en="Say how much more, as a number of at least one.",
                status=422,
            )
        before = {name: getattr(config, name) for name in raised}
        for name, amount in raised.items():
            _refuse_wrong_amount(name, before[name], amount)
        switching.raise_caps(config=config, more=raised)
        record(
            kind="judge.granted",
            actor=user,
            at=at,
            competition=config.competition_id,
            subject=config.pk,
            before=before,
            after={name: getattr(config, name) for name in raised},
            reason=reason.strip()[:300],
        )
    return config


def _refuse_wrong_amount(name: str, before: int, amount: int) -> None:
    if name.startswith("micros") and before == 0:
        raise Refused(
            "no_limit",
            ko="이 돈에는 한도가 없어 더 줄 것이 없습니다.",
            en="This money has no limit, so there is nothing to raise.",
            status=422,
        )
    if before + amount > (MOST_MICROS if name.startswith("micros") else MOST_CALLS):
        raise Refused("too_much", ko="너무 큰 수입니다.", en="The number is too large.", status=422)
