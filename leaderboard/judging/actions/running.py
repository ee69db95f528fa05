"""How a judge column comes into use and goes out of it: freeze, show, retire, ask again."""

import contextlib
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.judging import identity
from leaderboard.judging.actions import items
from leaderboard.judging.actions.configs import (
    IN_USE,
    State,
    check_settings,
    deciding_on_config,
    go_on,
    no_dialogues,
    refuse,
    why_no_judge,
)
from leaderboard.judging.asking import circuit
from leaderboard.judging.models import Artefact, JudgeConfig
from leaderboard.judging.plan import ids_to_build
from leaderboard.judging.queries import circuit_of, endpoint_names
from leaderboard.references.queries import covering_sets, live_version
from leaderboard.refusals import Refused

WAITS_FOR_SERVER = ("circuit", "server", "configuration", "quota")


def freeze_judge_config(
    *, config_id: UUID, user: User, accept_failed: bool = False, at: datetime
) -> JudgeConfig:
    """Give items and settings their hashes. Raises Refused.

    `accept_failed`: dialogues without items are N/A for every submission.
    """
    with deciding_on_config(config_id, user, at, [State.REVIEWING]) as decision:
        config = decision.config
        check_settings(config.competition, config)
        refuse(why_not_frozen(config, accept_failed=accept_failed))
        # Contents whose rubric is struck out are not asked.
        struck = config.artefacts.filter(kind=Artefact.Kind.RUBRIC, is_kept=False)
        contents = config.artefacts.filter(kind=Artefact.Kind.CONTENT, is_kept=True)
        contents.filter(rubric_id__in=struck.values("item_id")).update(is_kept=False)
        config.artefact_hash = identity.artefact_hash(config)
        config.config_hash = identity.config_hash(config)
        config.state, config.frozen_at = State.FROZEN, at
        config.save(update_fields=["state", "frozen_at", "artefact_hash", "config_hash"])
        decision.log(
            "judge.frozen", artefact_hash=config.artefact_hash, config_hash=config.config_hash
        )
    return config


def why_not_frozen(config: JudgeConfig, *, accept_failed: bool = False) -> Refused | None:
    missing = len(items.unbuilt(config, ids_to_build(config)))
    counted = items.counts(config)
    if missing:
        return Refused(
            "not_built",
            _("{missing:,} dialogues have no items yet."),
            _("Wait until the judge worker has made them."),
            missing=missing,
        )
    if counted["failed"] and not accept_failed:
        return Refused(
            "some_failed",
            _("The items of {failed:,} dialogues could not be made."),
            _("Make them again, or confirm that these dialogues count as N/A."),
            failed=counted["failed"],
        )
    if counted["open"]:
        return Refused(
            "not_reviewed",
            _("{open:,} items have not been reviewed."),
            _("Save each dialogue, or approve the rest at once."),
            open=counted["open"],
        )
    return None


def activate_judge_config(*, config_id: UUID, user: User, at: datetime) -> JudgeConfig:
    """Show this column; the one shown before retires. Raises Refused."""
    with deciding_on_config(config_id, user, at, [State.FROZEN, State.RETIRED]) as decision:
        config, contest = decision.config, decision.competition
        refuse(why_not_active(config))
        former = JudgeConfig.objects.filter(competition=contest, state=State.ACTIVE).first()
        if former is not None:
            _retire(former, at)
        config.state, config.retired_at = State.ACTIVE, None
        config.save(update_fields=["state", "retired_at"])
        _show(contest, shown=True)
        decision.log("judge.activated", before={"judge": str(former) if former else None})
    return config


def switch_on_judge_config(*, config_id: UUID, user: User, at: datetime) -> JudgeConfig:
    """Approve what nobody has read, freeze and show it. Raises Refused: then nothing changed."""
    with transaction.atomic():
        items.approve_artefacts(config_id=config_id, user=user, at=at)
        freeze_judge_config(config_id=config_id, user=user, at=at)
        return activate_judge_config(config_id=config_id, user=user, at=at)


def switch_on_when_made(config_id: UUID, at: datetime) -> None:
    """Show a column whose items are all made, if its organizer asked for that beforehand."""
    config = JudgeConfig.objects.select_related("created_by").get(pk=config_id)
    if config.switches_on and config.state == State.REVIEWING:
        with contextlib.suppress(Refused):  # the page says what is missing
            switch_on_judge_config(config_id=config_id, user=config.created_by, at=at)


def _show(competition: Competition, *, shown: bool) -> None:
    competition.shows_other_columns = shown
    competition.save(update_fields=["shows_other_columns"])


def _retire(config: JudgeConfig, at: datetime) -> None:
    config.state, config.retired_at = State.RETIRED, at
    config.save(update_fields=["state", "retired_at"])


def why_not_active(config: JudgeConfig) -> Refused | None:
    """Why this column cannot be shown now, whatever its state."""
    refusal = why_no_judge(config.competition)
    if refusal is not None:
        return refusal
    if config.endpoint not in endpoint_names():
        return Refused(
            "endpoint_gone",
            _("The judge server “{endpoint}” is no longer set up."),
            _("Ask the server operator to restore it, or make a new config."),
            endpoint=config.endpoint,
        )
    contest = config.competition
    if config.dialogue_set not in covering_sets(contest, live_version(contest)):
        return no_dialogues()
    if not config.config_hash:
        return Refused(
            "not_frozen",
            _("This config has not been frozen yet."),
            _("Review all items and freeze it first."),
        )
    return None


def retire_judge_config(
    *, config_id: UUID, user: User, reason: str = "", at: datetime
) -> JudgeConfig:
    """Nothing of it is shown, built or asked any more; what it says stays. Raises Refused."""
    with deciding_on_config(config_id, user, at, IN_USE) as decision:
        config = decision.config
        shown = config.state == State.ACTIVE
        _retire(config, at)
        if shown:
            _show(decision.competition, shown=False)
        decision.log("judge.retired", reason=reason, was_shown=shown)
    return config


def close_judge_circuit(*, config_id: UUID, user: User, at: datetime) -> bool:
    """True if it had been shut out; what waited for the server goes on. Raises Refused."""
    with deciding_on_config(config_id, user, at) as decision:
        config = decision.config
        row = circuit_of(config)
        if row is None:
            return False
        circuit.close(config.pk)
        go_on(config, WAITS_FOR_SERVER)
        decision.record("judge.circuit_closed", config.pk, before={"failure": row.reason})
    return True
