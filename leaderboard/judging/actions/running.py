"""How a judge column comes into use and goes out of it: freeze, show, retire, pay, ask again."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.judging import identity, switching
from leaderboard.judging.actions.configs import (
    State,
    check_settings,
    locked_config_for_editing,
    no_dialogues,
    refuse_unless,
    show_judge,
    why_no_judge,
)
from leaderboard.judging.drafting import CAPS, ConfigSettings
from leaderboard.judging.endpoints import endpoint_names
from leaderboard.judging.items import review
from leaderboard.judging.models import Circuit, JudgeConfig
from leaderboard.judging.plan import ids_to_build
from leaderboard.references.queries import live_version, missing_dialogues


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


def close_judge_circuit(*, config_id: UUID, user: User, at: datetime) -> bool:
    """True if it had been shut out. Raises Refused."""
    with transaction.atomic():
        config = locked_config_for_editing(config_id, user)
        row = Circuit.objects.filter(config=config).first()
        if row is None or not (row.reason or row.open_until or row.failures):
            return False
        switching.ask_again(config=config)
        record(
            kind="judge.circuit_closed",
            actor=user,
            at=at,
            competition=config.competition_id,
            subject=config.pk,
            before={"failure": row.reason},
        )
    return True
