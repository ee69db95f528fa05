"""Whether a config's server is asked.

Transient failures in a row open the circuit; then one worker tries one call, and each try that
fails doubles the pause. A failure that will repeat (401, unknown model …) opens it until an
organizer closes it. Times are the database's.
"""

from datetime import timedelta
from enum import StrEnum
from uuid import UUID

from django.conf import settings
from django.db.models import F, Q
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from leaderboard.competitions.models import Competition
from leaderboard.judging.models import Circuit


class Way(StrEnum):
    CLOSED = "closed"  # call
    PROBE = "probe"  # make one call and see
    OPEN = "open"  # make none


def passable(prefix: str = "") -> Q:
    """Rows whose config may be asked now, or probed. `prefix` leads to the circuit."""
    at = f"{prefix}circuit"
    deleted = Q(**{f"{prefix}competition__state": Competition.State.DELETED})
    closed = Q(**{f"{at}__open_until": None}) | Q(**{f"{at}__open_until__lt": Now()})
    return ~deleted & (Q(**{at: None}) | Q(**{f"{at}__reason": ""}) & closed)


def way(config_id: UUID) -> Way:
    """What may be done; PROBE is given to one worker, which then has to say how it went."""
    row = Circuit.objects.filter(config=config_id).first()
    if row is None or (row.open_until is None and not row.reason):
        return Way.CLOSED
    over = Circuit.objects.filter(config=config_id, reason="", open_until__lt=Now())
    taken = over.update(is_probing=True, open_until=from_now(settings.JUDGE_CALL_SECONDS + 30))
    return Way.PROBE if taken else Way.OPEN


def succeeded(config_id: UUID) -> None:
    """The server answered, whatever it said: the count begins anew. Writes only if need be."""
    counted = Q(failures__gt=0) | Q(open_until__isnull=False)
    Circuit.objects.filter(counted, config=config_id, reason="").update(**_CLOSED)


def failed(config_id: UUID) -> Way:
    """Count a transient failure; answers what may be done after it."""
    Circuit.objects.get_or_create(config_id=config_id)
    Circuit.objects.filter(config=config_id).update(failures=F("failures") + 1)
    row = Circuit.objects.get(config=config_id)
    if row.reason or (row.open_until is not None and not row.is_probing):
        return Way.OPEN  # of a call that was under way when it opened
    if not row.is_probing and row.failures < settings.JUDGE_CIRCUIT_FAILURES:
        return Way.CLOSED
    seconds = min(
        settings.JUDGE_CIRCUIT_SECONDS * 2 ** min(row.openings, 20),
        settings.JUDGE_CIRCUIT_LONGEST_SECONDS,
    )
    as_read = Circuit.objects.filter(config=config_id, openings=row.openings)
    as_read.update(openings=F("openings") + 1, open_until=from_now(seconds), is_probing=False)
    return Way.OPEN


def block(config_id: UUID, *, reason: str) -> None:
    """Open until an organizer acts; `reason` is a short code."""
    Circuit.objects.update_or_create(
        config_id=config_id, defaults={"reason": reason[:80], "is_probing": False}
    )


def close(config_id: UUID) -> None:
    Circuit.objects.filter(config=config_id).update(**_CLOSED)


_CLOSED = {"failures": 0, "openings": 0, "open_until": None, "reason": "", "is_probing": False}


def from_now(seconds: float) -> CombinedExpression:
    """By the database's clock."""
    return Now() + timedelta(seconds=seconds)
