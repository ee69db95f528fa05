"""What a judge column has cost, how far it is, and what looks odd: reads for organizers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import BooleanField, Count, ExpressionWrapper, F, Q, QuerySet, Sum

from leaderboard.judging.models import Circuit, JudgeConfig, Judging, Judgment, Reservation

State = Reservation.State
PAGE = 50


@dataclass(frozen=True)
class Spent:
    """Calls and money of one team on one day of the contest.

    No team: making the items, or asking again to see which answers change.
    """

    day: date
    team: str
    is_repeat: bool
    calls: int
    answered: int
    unsettled: int
    open: int
    input_tokens: int
    output_tokens: int
    micros: int


@dataclass(frozen=True)
class RunProgress:
    """Judgings by state, and their rows."""

    waiting: int
    running: int
    complete: int
    paused: int
    rows: int
    rows_done: int


def spent(config: JudgeConfig) -> list[Spent]:
    """By day and team, newest first, in one query."""
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
    return [
        Spent(
            day=row["day"],
            team=row["name"] or "",
            is_repeat=row["is_repeat"],
            calls=row["calls"],
            answered=row["answered"],
            unsettled=row["unsettled"],
            open=row["open"],
            input_tokens=row["input_tokens"],
            output_tokens=row["output_tokens"],
            micros=row["micros"],
        )
        for row in rows
    ]


def in_all(rows: Sequence[Spent]) -> tuple[int, int]:
    """Calls and millionths of all of it."""
    return sum(row.calls for row in rows), sum(row.micros for row in rows)


def progress(config: JudgeConfig) -> RunProgress:
    """One query."""
    states = Judging.State
    return RunProgress(
        **Judging.objects.filter(config=config).aggregate(
            waiting=Count("pk", filter=Q(state=states.WAITING)),
            running=Count("pk", filter=Q(state=states.RUNNING)),
            complete=Count("pk", filter=Q(state=states.COMPLETE)),
            paused=Count("pk", filter=~Q(paused="")),
            rows=Sum("rows", default=0),
            rows_done=Sum("rows_done", default=0),
        )
    )


def judgings(config: JudgeConfig) -> QuerySet[Judging]:
    """What was asked for, newest first."""
    rows = Judging.objects.filter(config=config).select_related("submission__team")
    return rows.order_by("-requested_at", "pk")


def circuit_of(config: JudgeConfig) -> Circuit | None:
    """The circuit, if anything has happened to it."""
    row = Circuit.objects.filter(config=config).first()
    return row if row and (row.failures or row.reason or row.open_until) else None


def is_shut(circuit: Circuit | None, at: datetime) -> bool:
    """Whether the server is not asked now."""
    if circuit is None:
        return False
    return bool(circuit.reason) or (circuit.open_until is not None and circuit.open_until > at)


def flagged(config: JudgeConfig) -> QuerySet[Judgment]:
    """Rows with something to look at, newest submission first."""
    rows = Judgment.objects.filter(judging__config=config).exclude(flags=[])
    return rows.select_related("judging__submission__team").order_by(
        "-judging__requested_at", "judging", "example_id"
    )


def flagged_submissions(config: JudgeConfig) -> QuerySet[Judging]:
    """Submissions that look odd as a whole."""
    rows = Judging.objects.filter(config=config).exclude(flags=[])
    return rows.select_related("submission__team").order_by("-requested_at", "pk")


def statuses(config: JudgeConfig) -> dict[str, int]:
    """How many rows have each status."""
    rows = Judgment.objects.filter(judging__config=config).values_list("status")
    return dict(rows.annotate(n=Count("pk")).order_by("-n", "status"))
