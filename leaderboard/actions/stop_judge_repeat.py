"""An organizer stops a repeat before its end."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.judge_editing import locked_config_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.judging.trust import repeating


def stop_judge_repeat(*, config_id: UUID, user: User, at: datetime) -> None:
    """Nothing more is asked; what was answered is kept but not counted. Raises Refused."""
    with transaction.atomic():
        config = locked_config_for_editing(config_id, user)
        if not repeating.stop(config=config, at=at):
            raise Refused(
                "not_repeating",
                ko="재고 있는 되풀이가 없습니다.",
                en="No repeat is under way.",
                next_ko="화면을 새로 열어 지금 상태를 확인해 주세요.",
                next_en="Open the page again to see its state.",
            )
        record(
            kind="judge.repeat_stopped",
            actor=user,
            at=at,
            competition=config.competition_id,
            subject=config.pk,
            after={"judge": str(config)},
        )
