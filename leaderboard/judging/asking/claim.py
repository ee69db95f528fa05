"""The fence, as in `evaluation.claim`: which worker judges what, and for how long.

There is no last attempt: answers are stored, so the next worker goes on where this one stopped.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from leaderboard.judging.asking import circuit
from leaderboard.judging.identity import is_current
from leaderboard.judging.models import Build, BuiltDialogue, JudgeConfig, Judging, Repeat
from leaderboard.judging.plan import ids_to_build

State = Judging.State
BUDGET = "budget"  # until an organizer grants more, or the day is over
CIRCUIT = "circuit"  # the server does not answer
SERVER = "server"  # some rows were not answered
CONFIGURATION = "configuration"  # until an organizer closes the circuit
QUOTA = "quota"  # the same: the account at the server is empty
# Configs whose judge may be asked again what it answered.
REPEATABLE = (JudgeConfig.State.FROZEN, JudgeConfig.State.ACTIVE)


class JudgingLost(Exception):
    """Somebody else may be working on this by now: write nothing more."""


@dataclass(frozen=True)
class Claimed:
    """The right to work on one judging, one repeat, or a config's items, while the lease lasts."""

    table: type[Judging] | type[Build] | type[Repeat]
    pk: UUID
    owner: UUID
    attempt: int


def next_claim() -> Claimed | None:
    """Take a build, else the oldest judging, else a repeat; None when nothing can be done now."""
    claim = _next_build()
    if claim is None:
        rows = _waiting().filter(config__in=judgeable_configs())
        claim = _first(rows.order_by("requested_at", "pk"), state=State.RUNNING)
    if claim is None and _repeats().exists():
        again = _repeats().filter(config__in=judgeable_configs(REPEATABLE))
        claim = _first(again.order_by("begun_at", "pk"))
    return claim


def _next_build() -> Claimed | None:
    for config in JudgeConfig.objects.filter(
        circuit.passable(), state=JudgeConfig.State.REVIEWING, endpoint__in=settings.JUDGE_ENDPOINTS
    ):
        built = BuiltDialogue.objects.filter(config=config).values_list("example_id", flat=True)
        if set(ids_to_build(config)) <= set(built):
            continue
        Build.objects.get_or_create(config=config)
        claim = _first(Build.objects.filter(_is_free(), _is_due(), pk=config.pk))
        if claim is not None:
            return claim
    return None


def _first(rows: QuerySet[Any], **changes: Any) -> Claimed | None:
    while (row := rows.first()) is not None:
        owner = uuid4()
        # No joins here: the number of the attempt says it all, and is read anew once it is locked.
        free = row._meta.default_manager.filter(pk=row.pk, attempt=row.attempt)
        changes |= {"owner": owner, "attempt": F("attempt") + 1, "lease_until": _lease()}
        if free.update(**changes) == 1:
            return Claimed(type(row), row.pk, owner, row.attempt + 1)
    return None


def judgeable_configs(states: Collection[str] = (JudgeConfig.State.ACTIVE,)) -> list[UUID]:
    """Configs in these states whose hash this process's own prompts, scorers and addresses give."""
    rows = JudgeConfig.objects.filter(
        state__in=states, endpoint__in=settings.JUDGE_ENDPOINTS
    ).select_related("dialogue_set")
    return [config.pk for config in rows if is_current(config)]


def anything_to_do() -> bool:
    configs = JudgeConfig.objects.filter(circuit.passable())
    if configs.filter(state=JudgeConfig.State.REVIEWING).exists():
        return True
    return _waiting().filter(config__state=JudgeConfig.State.ACTIVE).exists() or _repeats().exists()


def _waiting() -> QuerySet[Judging]:
    lost = Q(state=State.RUNNING, lease_until__lt=Now())
    ready = Q(state=State.WAITING) & _is_due()
    counted = Q(submission__exclusion=None, submission__cancellation=None)
    return Judging.objects.filter(lost | ready, counted, circuit.passable("config__"))


def _repeats() -> QuerySet[Repeat]:
    counted = Q(judging__submission__exclusion=None, judging__submission__cancellation=None)
    return Repeat.objects.filter(
        _is_free(),
        _is_due(),
        counted,
        circuit.passable("config__"),
        state=Repeat.State.WAITING,
        config__state__in=REPEATABLE,
    )


def _is_free() -> Q:
    return Q(owner=None) | Q(lease_until__lt=Now())


def _is_due() -> Q:
    """Not before its time; one that waits for a grant has a time only if the day ends the wait."""
    return Q(not_before__lte=Now()) | (Q(not_before=None) & ~Q(paused=BUDGET))


def fenced(claim: Claimed) -> QuerySet[Any]:
    """The row, as long as this claim is the one that counts."""
    return claim.table._default_manager.filter(
        pk=claim.pk, owner=claim.owner, attempt=claim.attempt
    )


def write(claim: Claimed, **changes: Any) -> None:
    """Change the row as its worker. Raises JudgingLost."""
    if fenced(claim).update(**changes) != 1:
        raise JudgingLost(str(claim.pk))


def renew(claim: Claimed) -> None:
    write(claim, lease_until=_lease())


def release(
    claim: Claimed, *, paused: str = "", after: float | None = None, **changes: Any
) -> None:
    """Let it wait again, for `after` seconds at least. Raises JudgingLost."""
    if claim.table is Judging:
        changes.setdefault("state", State.WAITING)
    not_before = None if after is None else circuit.from_now(after)
    write(claim, owner=None, lease_until=None, paused=paused, not_before=not_before, **changes)


def _lease() -> CombinedExpression:
    return circuit.from_now(settings.JUDGE_LEASE_SECONDS)
