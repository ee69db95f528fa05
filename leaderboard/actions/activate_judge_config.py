"""An organizer shows a judge column on the board."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.create_judge_config import no_dialogues, why_no_judge
from leaderboard.actions.judge_editing import (
    State,
    locked_config_for_editing,
    refuse_unless,
    show_judge,
)
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.judging import switching
from leaderboard.judging.endpoints import endpoint_names
from leaderboard.judging.models import JudgeConfig
from leaderboard.references.coverage import missing_dialogues
from leaderboard.references.queries import live_version


def activate_judge_config(*, config_id: UUID, user: User, at: datetime) -> JudgeConfig:
    """Show this column; the one shown before retires. Raises Refused."""
    with transaction.atomic():
        config = locked_config_for_editing(config_id, user)
        refuse_unless(config, [State.FROZEN, State.RETIRED])
        refusal = why_not_active(config)
        if refusal is not None:
            raise refusal
        former = switching.shown_config(config.competition_id)
        if former is not None:
            switching.retire(config=former, at=at)
        switching.activate(config=config)
        show_judge(config.competition, shown=True)
        record(
            kind="judge.activated",
            actor=user,
            at=at,
            competition=config.competition_id,
            subject=config.pk,
            before={"judge": str(former) if former else None},
            after={"judge": str(config)},
        )
    return config


def why_not_active(config: JudgeConfig) -> Refused | None:
    """Why this column cannot be shown now, whatever its state."""
    refusal = why_no_judge(config.competition)
    if refusal is not None:
        return refusal
    if config.endpoint not in endpoint_names():
        return Refused(
            "endpoint_gone",
            ko=f"심사 서버 ‘{config.endpoint}’ 설정이 없어졌습니다.",
            en=f"The judge server “{config.endpoint}” is no longer set up.",
            next_ko="서버 운영자에게 되살려 달라고 하거나 새 설정을 만들어 주세요.",
            next_en="Ask who runs the server to bring it back, or make a new config.",
        )
    live = live_version(config.competition)
    if live is None or missing_dialogues(config.dialogue_set, live):
        return no_dialogues()
    if not config.config_hash:
        return Refused(
            "not_frozen",
            ko="아직 고정하지 않은 설정입니다.",
            en="This config has not been frozen yet.",
            next_ko="항목을 모두 검토하고 고정해 주세요.",
            next_en="Review all items and freeze it first.",
        )
    return None
