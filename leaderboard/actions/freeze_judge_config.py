"""An organizer fixes what every submission will be asked, for good."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.create_judge_config import check_settings
from leaderboard.actions.judge_editing import State, locked_config_for_editing, refuse_unless
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.judging import identity, switching
from leaderboard.judging.drafting import ConfigSettings
from leaderboard.judging.items import review
from leaderboard.judging.models import JudgeConfig
from leaderboard.judging.plan import ids_to_build


def freeze_judge_config(
    *, config_id: UUID, user: User, accept_failed: bool = False, at: datetime
) -> JudgeConfig:
    """Give the reviewed items and the settings their hashes. Raises Refused.

    `accept_failed`: dialogues without items stay so, N/A for every submission.
    """
    with transaction.atomic():
        config = locked_config_for_editing(config_id, user)
        refuse_unless(config, [State.REVIEWING])
        check_settings(config.competition, ConfigSettings.of(config))
        refusal = why_not_frozen(config, accept_failed=accept_failed)
        if refusal is not None:
            raise refusal
        review.strike_orphans(config=config)
        config.artefact_hash = identity.artefact_hash(config)
        hashed = identity.config_hash(config)
        switching.freeze(config=config, config_hash=hashed, at=at)
        record(
            kind="judge.frozen",
            actor=user,
            at=at,
            competition=config.competition_id,
            subject=config.pk,
            after={
                "judge": str(config),
                "artefact_hash": config.artefact_hash,
                "config_hash": hashed,
            },
        )
    return config


def why_not_frozen(config: JudgeConfig, *, accept_failed: bool = False) -> Refused | None:
    """What of the review is still to do."""
    missing = len(review.unbuilt(config, ids_to_build(config)))
    counted = review.counts(config)
    if missing:
        return Refused(
            "not_built",
            ko=f"항목을 아직 만들지 않은 대화가 {missing:,}개 있습니다.",
            en=f"{missing:,} dialogues have no items yet.",
            next_ko="심사 작업자가 다 만들 때까지 기다려 주세요.",
            next_en="Wait until the judge worker has made them.",
        )
    if counted.failed and not accept_failed:
        return Refused(
            "some_failed",
            ko=f"항목을 만들지 못한 대화가 {counted.failed:,}개 있습니다.",
            en=f"The items of {counted.failed:,} dialogues could not be made.",
            next_ko="다시 만들거나, 이 대화들은 해당 없음으로 둔다고 확인해 주세요.",
            next_en="Have them made again, or confirm that these dialogues count as N/A.",
        )
    if counted.open:
        return Refused(
            "not_reviewed",
            ko=f"검토하지 않은 항목이 {counted.open:,}개 있습니다.",
            en=f"{counted.open:,} items have not been reviewed.",
            next_ko="대화마다 저장하거나, 남은 것을 한꺼번에 승인해 주세요.",
            next_en="Save each dialogue, or approve the rest at once.",
        )
    return None
