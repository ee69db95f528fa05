"""Reads of judging for the desk, the worker and health."""

from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from leaderboard.judging.models import JudgeConfig, Judgment, Reservation, StoredCall


def is_switched_on() -> bool:
    """Whether the operator gave any judge's address. Asks no table."""
    return bool(settings.JUDGE_ENDPOINTS)


def unsettled(config: JudgeConfig) -> QuerySet[Reservation]:
    """Calls of which nobody knows the end: their worker was lost. They keep their estimate."""
    rows = Reservation.objects.filter(config=config, state=Reservation.State.UNSETTLED)
    return rows.select_related("team").order_by("-made_at", "pk")


def records(judgment: Judgment) -> dict[str, Any]:
    """What the judge answered about one row, by call; hostile text, for owners and editors."""
    stored = StoredCall.objects.in_bulk(list(judgment.call_keys.values()))
    return {call: stored[key].answer for call, key in judgment.call_keys.items() if key in stored}


def endpoint_names() -> tuple[str, ...]:
    """Names of the operator's servers, `default` first; none: the feature is off."""
    names = sorted(settings.JUDGE_ENDPOINTS)
    return tuple(sorted(names, key=lambda name: name != "default"))
