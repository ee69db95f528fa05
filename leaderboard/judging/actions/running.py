"""How a judge column comes into use and goes out of it: freeze, show, retire, pay, ask again."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.judging import identity, switching
from leaderboard.judging.actions.configs import (
    State,
    check_settings,
    deciding_on_config,
    no_dialogues,
    show_judge,
    why_no_judge,
)
from leaderboard.judging.actions.refusals import JudgeRefused
from leaderboard.judging.drafting import CAPS, ConfigSettings
from leaderboard.judging.items import review
from leaderboard.judging.models import Circuit, JudgeConfig
from leaderboard.judging.plan import ids_to_build
from leaderboard.judging.queries import endpoint_names
from leaderboard.references.queries import live_version, missing_dialogues


def freeze_judge_config(
    *, config_id: UUID, user: User, accept_failed: bool = False, at: datetime
) -> JudgeConfig:
    """Give the reviewed items and the settings their hashes. Raises Refused.

    `accept_failed`: dialogues without items stay so, N/A for every submission.
    """
    with deciding_on_config(config_id, user, at, [State.REVIEWING]) as decision:
        config = decision.config
        check_settings(config.competition, ConfigSettings.of(config))
        refusal = why_not_frozen(config, accept_failed=accept_failed)
        if refusal is not None:
            raise refusal
        review.strike_orphans(config=config)
        config.artefact_hash = identity.artefact_hash(config)
        hashed = identity.config_hash(config)
        switching.freeze(config=config, config_hash=hashed, at=at)
        decision.record(
            "judge.frozen",
            config.pk,
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
        return JudgeRefused("not_built", missing=missing)
    if counted.failed and not accept_failed:
        return JudgeRefused("some_failed", failed=counted.failed)
    if counted.open:
        return JudgeRefused("not_reviewed", open=counted.open)
    return None


def activate_judge_config(*, config_id: UUID, user: User, at: datetime) -> JudgeConfig:
    """Show this column; the one shown before retires. Raises Refused."""
    with deciding_on_config(config_id, user, at, [State.FROZEN, State.RETIRED]) as decision:
        config = decision.config
        refusal = why_not_active(config)
        if refusal is not None:
            raise refusal
        former = switching.shown_config(config.competition_id)
        if former is not None:
            switching.retire(config=former, at=at)
        switching.activate(config=config)
        show_judge(config.competition, shown=True)
        decision.record(
            "judge.activated",
            config.pk,
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
        return JudgeRefused("endpoint_gone", endpoint=config.endpoint)
    live = live_version(config.competition)
    if live is None or missing_dialogues(config.dialogue_set, live):
        return no_dialogues()
    if not config.config_hash:
        return JudgeRefused("not_frozen")
    return None


def retire_judge_config(
    *, config_id: UUID, user: User, reason: str = "", at: datetime
) -> JudgeConfig:
    """Nothing of it is shown, built or asked any more; what it says stays. Raises Refused."""
    with deciding_on_config(config_id, user, at, set(State.values) - {State.RETIRED}) as decision:
        config = decision.config
        shown = config.state == State.ACTIVE
        switching.retire(config=config, at=at)
        if shown:
            show_judge(config.competition, shown=False)
        decision.record(
            "judge.retired",
            config.pk,
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
    with deciding_on_config(config_id, user, at, set(State.values) - {State.RETIRED}) as decision:
        config = decision.config
        if not raised or set(raised) - set(CAPS) or min(raised.values()) < 0:
            raise JudgeRefused("nothing_granted")
        before = {name: getattr(config, name) for name in raised}
        for name, amount in raised.items():
            _refuse_wrong_amount(name, before[name], amount)
        switching.raise_caps(config=config, more=raised)
        decision.record(
            "judge.granted",
            config.pk,
            before=before,
            after={name: getattr(config, name) for name in raised},
            reason=reason.strip()[:300],
        )
    return config


def _refuse_wrong_amount(name: str, before: int, amount: int) -> None:
    if name.startswith("micros") and before == 0:
        raise JudgeRefused("no_limit")
    if before + amount > (MOST_MICROS if name.startswith("micros") else MOST_CALLS):
        raise JudgeRefused("too_much")


def close_judge_circuit(*, config_id: UUID, user: User, at: datetime) -> bool:
    """True if it had been shut out. Raises Refused."""
    with deciding_on_config(config_id, user, at) as decision:
        config = decision.config
        row = Circuit.objects.filter(config=config).first()
        if row is None or not (row.reason or row.open_until or row.failures):
            return False
        switching.ask_again(config=config)
        decision.record(
            "judge.circuit_closed",
            config.pk,
            before={"failure": row.reason},
        )
    return True
