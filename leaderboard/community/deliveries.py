"""Sending what a webhook is to say: one message after the other, each again until it arrives.

A claim is one conditional update; `next_at` is its lease, by the database's clock. Whoever dies in
the middle has sent a message or not: it is sent again with the same id when the lease is over.
"""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from leaderboard.community import messages
from leaderboard.community.outgoing import Answer, post
from leaderboard.community.webhook_models import Delivery
from leaderboard.competitions.models import Competition

logger = structlog.get_logger(__name__)

State = Delivery.State
Send = Callable[[Delivery, datetime], Answer]

# Longer than looking up a name and one answer can take.
LEASE = timedelta(minutes=2)
ATTEMPTS = 8
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(hours=6)
# However many wait: what is older than this helps nobody.
LONGEST = timedelta(days=1)
TURN_SECONDS = 20  # then another webhook may have its turn

PORTS = (443, 8443)
# Until they are erased, which takes a while, they say nothing more.
OF_DELETED = Q(webhook__competition__state=Competition.State.DELETED)


def send(delivery: Delivery, at: datetime) -> Answer:
    """One attempt, by the network."""
    data = messages.body(delivery)
    return post(
        delivery.webhook.url,
        data,
        messages.headers(delivery, data, at),
        allowed=settings.WEBHOOK_ALLOWED_HOSTS,
        ports=PORTS,
        seconds=settings.WEBHOOK_SECONDS,
    )


def waiting_webhooks() -> list[UUID]:
    """The webhooks that have something to say by now, those that answered first."""
    due = _due().exclude(OF_DELETED).order_by().values_list("webhook", "attempt")
    attempts: dict[UUID, int] = {}
    for webhook, attempt in due:
        attempts[webhook] = max(attempt, attempts.get(webhook, 0))
    return sorted(attempts, key=lambda webhook: attempts[webhook])


def take_turn(webhook: UUID, *, now: Callable[[], datetime], send: Send = send) -> int:
    """Send what is due of one webhook, the oldest first, until one fails; answers how many came."""
    began, arrived = time.monotonic(), 0
    while time.monotonic() - began < TURN_SECONDS and (claim := _claim(webhook)) is not None:
        answer = send(claim, now())
        _settle(claim, answer, now())
        if not answer.arrived:
            break
        arrived += 1
    return arrived


def _due() -> QuerySet[Delivery]:
    return Delivery.objects.filter(state=State.WAITING, next_at__lte=Now())


def _claim(webhook: UUID) -> Delivery | None:
    rows = _due().filter(webhook=webhook).exclude(OF_DELETED).order_by("created_at", "pk")
    while (found := rows.first()) is not None:
        mine = _due().filter(pk=found.pk, attempt=found.attempt)
        if mine.update(attempt=F("attempt") + 1, next_at=Now() + LEASE) == 1:
            # As it is now: until this moment the same event was counted into it.
            return Delivery.objects.select_related("webhook__competition").get(pk=found.pk)
    return None


def _settle(claim: Delivery, answer: Answer, at: datetime) -> None:
    said = {"status": answer.status, "failure": answer.failure}
    rows = Delivery.objects.filter(pk=claim.pk, state=State.WAITING, attempt=claim.attempt)
    if answer.arrived:
        rows.update(**said, state=State.DELIVERED, ended_at=at)
        return
    logger.info("webhook_failed", delivery=str(claim.pk), attempt=claim.attempt, **said)
    if answer.is_final or claim.attempt >= ATTEMPTS:
        rows.update(**said, state=State.GIVEN_UP, ended_at=at)
        return
    pause = min(FIRST_PAUSE * 4 ** (claim.attempt - 1), LONGEST_PAUSE)
    if answer.retry_after is not None:
        pause = max(pause, min(timedelta(seconds=answer.retry_after), LONGEST_PAUSE))
    rows.update(**said, next_at=Now() + pause)


def give_up_old(*, at: datetime) -> int:
    """End what waits for too long, forget what ended long ago; answers how many ended."""
    kept = timedelta(days=settings.MESSAGE_DAYS)
    Delivery.objects.filter(ended_at__lt=at - kept).delete()
    old = Delivery.objects.filter(state=State.WAITING, created_at__lt=at - LONGEST)
    return old.filter(next_at__lte=Now()).update(state=State.GIVEN_UP, ended_at=at)
