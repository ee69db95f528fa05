"""What a judge column has cost, how far it is, and what looks odd: reads for organizers."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import BooleanField, Count, ExpressionWrapper, F, Q, QuerySet, Sum

from leaderboard.judging.models import Circuit, JudgeConfig, Judging, Judgment, Reservation


def endpoint_names() -> tuple[str, ...]:
    """Names of the operator's servers, `default` first; none: the feature is off."""
    names = sorted(settings.JUDGE_ENDPOINTS)
    return tuple(sorted(names, key=lambda name: name != "default"))


State = Reservation.State


def spent(config: JudgeConfig) -> list[dict[str, Any]]:
    """Calls, tokens and money by contest day and team; no team: making items, or a repeat."""
    rows = (
        Reservation.objects.filter(config=config)
        .values("day")
        .annotate(
            name=F("team__name"),
            is_repeat=ExpressionWrapper(Q(repeat__isnull=False), output_field=BooleanField()),
            calls=Count("pk"),
            answered=Count("pk", filter=Q(state=State.ANSWERED)),
            unsettled=Count("pk", filter=Q(state=State.UNSETTLED)),
            open=Count("pk", filter=Q(state=State.OPEN)),
            input_tokens=Sum("input_tokens"),
            output_tokens=Sum("output_tokens"),
            micros=Sum("micros"),
        )
        .order_by("-day", "name", "is_repeat")
    )
    return [dict(row) for row in rows]


def progress(config: JudgeConfig) -> dict[str, int]:
    states = Judging.State
    return Judging.objects.filter(config=config).aggregate(
        waiting=Count("pk", filter=Q(state=states.WAITING)),
        running=Count("pk", filter=Q(state=states.RUNNING)),
        complete=Count("pk", filter=Q(state=states.COMPLETE)),
        paused=Count("pk", filter=~Q(paused="")),
        rows=Sum("rows", default=0),
        rows_done=Sum("rows_done", default=0),
    )


def judgings(config: JudgeConfig) -> QuerySet[Judging]:
    rows = Judging.objects.filter(config=config).select_related("submission__team")
    return rows.order_by("-requested_at", "pk")


def circuit_of(config: JudgeConfig) -> Circuit | None:
    row = Circuit.objects.filter(config=config).first()
    return row if row and (row.failures or row.reason or row.open_until) else None


def is_shut(circuit: Circuit | None, at: datetime) -> bool:
    if circuit is None:
        return False
    return bool(circuit.reason) or (circuit.open_until is not None and circuit.open_until > at)


def flagged(config: JudgeConfig) -> QuerySet[Judgment]:
    rows = Judgment.objects.filter(judging__config=config).exclude(flags=[])
    return rows.select_related("judging__submission__team").order_by(
        "-judging__requested_at", "judging", "example_id"
    )
