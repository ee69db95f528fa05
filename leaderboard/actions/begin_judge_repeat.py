"""An organizer has a judge asked again what it answered, to see which verdicts turn."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from leaderboard.accounts.models import User
from leaderboard.actions.activate_judge_config import why_not_active
from leaderboard.actions.judge_editing import (
    locked_config_for_editing,
    refuse_unless,
    why_outdated,
)
from leaderboard.actions.refusals import Refused
from leaderboard.actions.request_judging import boards
from leaderboard.audit.log import record
from leaderboard.judging.asking.claim import REPEATABLE
from leaderboard.judging.models import JudgeConfig, Judging, Repeat
from leaderboard.judging.trust import repeating


def begin_judge_repeat(*, config_id: UUID, judging_id: UUID, user: User, at: datetime) -> Repeat:
    """Let a worker ask again about some rows of this judging. Raises Refused."""
    with transaction.atomic():
        config = locked_config_for_editing(config_id, user)
        refuse_unless(config, REPEATABLE)
        refusal = why_not_repeated(config)
        if refusal is not None:
            raise refusal
        judging = repeatable(config, at).filter(pk=judging_id).first()
        rows = repeating.rows_to_repeat(judging) if judging else []
        if judging is None or not rows:
            raise nothing_to_repeat()
        judging.config = config
        repeat = repeating.begin(judging=judging, rows=rows, user=user, at=at)
        record(
            kind="judge.repeat_begun",
            actor=user,
            at=at,
            competition=config.competition_id,
            subject=judging.submission_id,
            after={"judge": str(config), "rows": len(rows), "samples": repeat.samples},
        )
    return repeat


def repeatable(config: JudgeConfig, at: datetime) -> QuerySet[Judging]:
    """Complete judgings of the boards that may be judged now, newest first."""
    rows = Judging.objects.filter(
        config=config,
        state=Judging.State.COMPLETE,
        board__in=boards(config.competition, at),
        submission__exclusion=None,
        submission__cancellation=None,
    )
    return rows.select_related("submission__team").order_by("-requested_at", "pk")


def why_not_repeated(config: JudgeConfig) -> Refused | None:
    """Why this config's judge cannot be asked again now, whatever there is to ask."""
    if not config.is_shared:
        return Refused(
            "no_items",
            ko="발표된 시스템의 절차는 항목마다의 답을 남기지 않아 되풀이를 잴 수 없습니다.",
            en="The pipelines of published systems keep no verdict per item to compare.",
            next_ko="‘shared’ 절차의 설정에서 재 주세요.",
            next_en="Measure it under a config with the pipeline “shared”.",
        )
    refusal = why_not_active(config)
    if refusal is not None:
        return refusal
    refusal = why_outdated(config)
    if refusal is not None:
        return refusal
    if Repeat.objects.filter(config=config, state=Repeat.State.WAITING).exists():
        return Refused(
            "already_repeating",
            ko="이 설정의 되풀이를 이미 재고 있습니다.",
            en="A repeat of this config is under way already.",
            next_ko="끝날 때까지 기다리거나 그만두어 주세요.",
            next_en="Wait for its end or stop it.",
        )
    return None


def nothing_to_repeat() -> Refused:
    """Where no judging has a row that every call was answered for."""
    return Refused(
        "nothing_to_repeat",
        ko="다시 물을 수 있는, 심사가 끝난 제출이 없습니다.",
        en="There is no judged submission that could be asked about again.",
        next_ko="심사가 끝난 제출을 골라 주세요.",
        next_en="Choose a submission whose judging is complete.",
    )
