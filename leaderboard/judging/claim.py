"""The fence: which worker judges what, for how long, and whose rows count.

As in `evaluation.claim`: a claim is one conditional update, everything after it repeats (owner,
attempt), and leases run by the database's clock. There is no last attempt: every answer is stored,
so whoever comes next goes on where the one before stopped.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db.models import DateTimeField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.expressions import CombinedExpression, Value
from django.db.models.functions import Now

from leaderboard.judging import circuit
from leaderboard.judging.identity import config_hash
from leaderboard.judging.models import Build, BuiltDialogue, JudgeConfig, Judging
from leaderboard.judging.plan import ids_to_build

State = Judging.State
BUDGET = "budget"  # until an organizer grants more, or the day is over
CIRCUIT = "circuit"  # the server does not answer
SERVER = "server"  # some rows were not answered
CONFIGURATION = "configuration"  # until an organizer closes the circuit
QUOTA = "quota"  # the same: the account at the server is empty
PAUSES = (BUDGET, CIRCUIT, SERVER, CONFIGURATION, QUOTA)


class LeaseLost(Exception):
    """Somebody else may be working on this by now: write nothing more."""


@dataclass(frozen=True)
class Claim:
    """The right to work on one judging, or on the items of one config, while the lease lasts."""

    table: type[Judging] | type[Build]
    pk: UUID
    owner: UUID
    attempt: int


def next_claim() -> Claim | None:
    """Take a build or the judging that was asked for first; None when nothing can be done now."""
    return _next_build() or _next_judging()


def _next_build() -> Claim | None:
    for config in JudgeConfig.objects.filter(
        circuit.passable(), state=JudgeConfig.State.REVIEWING, endpoint__in=settings.JUDGE_ENDPOINTS
    ):
        built = BuiltDialogue.objects.filter(config=config).values_list("example_id", flat=True)
        if set(ids_to_build(config)) <= set(built):
            continue
        Build.objects.get_or_create(config=config)
        free = Q(owner=None) | Q(lease_until__lt=Now())
        row = Build.objects.filter(free, _is_due(), pk=config.pk).first()
        claim = _take(Build.objects.filter(free, pk=config.pk), row) if row else None
        if claim is not None:
            return claim
    return None


def _next_judging() -> Claim | None:
    configs = judgeable_configs()
    rows = _waiting().filter(config__in=configs).order_by("requested_at", "pk")
    row = rows.first()
    while row is not None:
        claim = _take(_waiting().filter(pk=row.pk), row, state=State.RUNNING)
        if claim is not None:
            return claim
        row = rows.first()
    return None


def judgeable_configs() -> list[UUID]:
    """Active configs whose hash this process's own prompts, scorers and addresses give.

    An upgraded prompt is another question: its worker leaves the column alone rather than mix two.
    """
    active = JudgeConfig.objects.filter(
        state=JudgeConfig.State.ACTIVE, endpoint__in=settings.JUDGE_ENDPOINTS
    ).select_related("dialogue_set")
    return [config.pk for config in active if config_hash(config) == config.config_hash]


def anything_to_do() -> bool:
    """Whether a message would find work; one query while no config is active or in review."""
    configs = JudgeConfig.objects.filter(circuit.passable())
    if configs.filter(state=JudgeConfig.State.REVIEWING).exists():
        return True
    return _waiting().filter(config__state=JudgeConfig.State.ACTIVE).exists()


def _waiting() -> QuerySet[Judging]:
    lost = Q(state=State.RUNNING, lease_until__lt=Now())
    ready = Q(state=State.WAITING) & _is_due()
    counted = Q(submission__exclusion=None, submission__cancellation=None)
    return Judging.objects.filter(lost | ready, counted, circuit.passable("config__"))


def _is_due() -> Q:
    """Not before its time; one that waits for a grant has a time only if the day ends the wait."""
    return Q(not_before__lte=Now()) | (Q(not_before=None) & ~Q(paused=BUDGET))


def _take(rows: QuerySet[Any], seen: Judging | Build, **changes: Any) -> Claim | None:
    owner = uuid4()
    hit = rows.filter(attempt=seen.attempt).update(
        owner=owner, attempt=F("attempt") + 1, lease_until=_lease(), **changes
    )
    return Claim(type(seen), seen.pk, owner, seen.attempt + 1) if hit == 1 else None


def fenced(claim: Claim) -> QuerySet[Any]:
    """The row, as long as this claim is the one that counts."""
    return claim.table._default_manager.filter(
        pk=claim.pk, owner=claim.owner, attempt=claim.attempt
    )


def renew(claim: Claim) -> None:
    """Keep the lease. Raises LeaseLost."""
    if fenced(claim).update(lease_until=_lease()) != 1:
        raise LeaseLost(str(claim.pk))


def release(claim: Claim, *, paused: str = "", after: float | None = None, **changes: Any) -> None:
    """Let it wait again, for `after` seconds at least. Raises LeaseLost."""
    if claim.table is Judging:
        changes.setdefault("state", State.WAITING)
    hit = fenced(claim).update(
        owner=None,
        lease_until=None,
        paused=paused,
        not_before=None if after is None else _from_now(after),
        **changes,
    )
    if hit != 1:
        raise LeaseLost(str(claim.pk))


def _lease() -> ExpressionWrapper[CombinedExpression]:
    return _from_now(settings.JUDGE_LEASE_SECONDS)


def _from_now(seconds: float) -> ExpressionWrapper[CombinedExpression]:
    return ExpressionWrapper(
        Now() + Value(timedelta(seconds=seconds)), output_field=DateTimeField()
    )
