"""The states of a judge config after its review, and what a grant and a re-judging undo."""

from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from django.db.models import F

from leaderboard.competitions.locking import lock
from leaderboard.judging.asking import circuit
from leaderboard.judging.models import Build, JudgeConfig, Judging, Judgment, Repeat

State = JudgeConfig.State
WAITS_FOR_BUDGET = "budget"
WAITS_FOR_SERVER = ("circuit", "server", "configuration", "quota")
# Rows that a judge never answered for, or not in a way that could be read.
UNANSWERED = ("content_failed", "infra_error", "source_blocked", "skipped_budget")


def shown_config(competition_id: UUID) -> JudgeConfig | None:
    """The config whose column the contest shows."""
    return JudgeConfig.objects.filter(competition=competition_id, state=State.ACTIVE).first()


def freeze(*, config: JudgeConfig, config_hash: str, at: datetime) -> None:
    """reviewing → frozen, with the artefact hash that the row has. The row is locked."""
    config.state, config.frozen_at, config.config_hash = State.FROZEN, at, config_hash
    config.save(update_fields=["state", "frozen_at", "artefact_hash", "config_hash"])


def activate(*, config: JudgeConfig) -> None:
    """Frozen or retired → active. No other config of the contest is."""
    config.state, config.retired_at = State.ACTIVE, None
    config.save(update_fields=["state", "retired_at"])


def retire(*, config: JudgeConfig, at: datetime) -> None:
    """No longer shown, built or asked. The row is locked."""
    config.state, config.retired_at = State.RETIRED, at
    config.save(update_fields=["state", "retired_at"])


def raise_caps(*, config: JudgeConfig, more: Mapping[str, int]) -> None:
    """Raise limits, and let what waits for budget go on."""
    for name, amount in more.items():
        setattr(config, name, getattr(config, name) + amount)
    config.save(update_fields=list(more))
    _go_on(config, [WAITS_FOR_BUDGET])


def ask_again(*, config: JudgeConfig) -> None:
    """Close the circuit, and let what waited for the server go on."""
    circuit.close(config.pk)
    _go_on(config, WAITS_FOR_SERVER)


def _go_on(config: JudgeConfig, paused: Collection[str]) -> None:
    for waiting in (
        Judging.objects.filter(config=config, paused__in=paused),
        Build.objects.filter(config=config, paused__in=paused),
        Repeat.objects.filter(config=config, paused__in=paused),
    ):
        lock(waiting)
        waiting.update(paused="", not_before=None)


def judge_again(*, judging: Judging, statuses: Collection[str] | None) -> int:
    """Forget the rows with these statuses (None: all) and let a worker judge them; how many.

    Stored answers are kept and cost nothing again. A worker that is at it loses its lease.
    """
    rows = Judgment.objects.filter(judging=judging)
    forgotten, _ = (rows if statuses is None else rows.filter(status__in=statuses)).delete()
    Judging.objects.filter(pk=judging.pk).update(
        state=Judging.State.WAITING,
        owner=None,
        lease_until=None,
        not_before=None,
        paused="",
        finished_at=None,
        attempt=F("attempt") + 1,
        round=F("round") + 1,
        rows_done=Judgment.objects.filter(judging=judging).count(),
    )
    return forgotten
