"""An organizer changes a judge column: all of a draft, afterwards what changes no answer."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.create_judge_config import check_settings
from leaderboard.actions.judge_editing import State, locked_config_for_editing, refuse_unless
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.judging.drafting import RUNNING, ConfigSettings, change_config, clean
from leaderboard.judging.models import JudgeConfig


def edit_judge_config(
    *, config_id: UUID, user: User, wanted: ConfigSettings, at: datetime
) -> JudgeConfig:
    """Save what differs. Raises Refused, and ValidationError for values that cannot be."""
    with transaction.atomic():
        config = locked_config_for_editing(config_id, user)
        refuse_unless(config, set(State.values) - {State.RETIRED})
        now = ConfigSettings.of(config)
        changed = now.differing(wanted)
        if not changed:
            return config
        if config.state != State.DRAFT and set(changed) - set(RUNNING):
            raise Refused(
                "not_a_draft",
                ko="초안이 아닌 심사 설정은 가격, 통화, 무엇을 심사하는지만 바꿀 수 있습니다.",
                en="Of a judge config past its draft only prices, currency and policy can change.",
                next_ko="다르게 심사하려면 새 설정을 만들어 주세요. 한도는 더 줄 수 있습니다.",
                next_en="To judge in another way make a new config. Limits can be raised.",
            )
        if config.state == State.DRAFT:
            check_settings(config.competition, wanted)
        before = {name: _kept(getattr(now, name)) for name in changed}
        change_config(config=config, wanted=wanted, names=changed)
        clean(config)
        record(
            kind="judge.edited",
            actor=user,
            at=at,
            competition=config.competition_id,
            subject=config.pk,
            before=before,
            after={name: _kept(getattr(wanted, name)) for name in changed},
        )
    return config


def _kept(value: object) -> object:
    return str(value) if isinstance(value, UUID) else value
