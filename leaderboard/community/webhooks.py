"""A contest's outgoing webhook: setting it up, and queueing what it is to say."""

import base64
import secrets
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Now

from leaderboard.accounts.models import User
from leaderboard.community.messages import SECRET_START, short
from leaderboard.community.webhook_models import Delivery, Webhook
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition

SECRET_BYTES = 24


def webhook_of(competition: Competition) -> Webhook | None:
    """Where this contest's organizers want to read of it, if anywhere."""
    return Webhook.objects.filter(competition=competition).first()


def new_secret() -> str:
    """What signs a webhook's messages."""
    return SECRET_START + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def host_of(webhook: Webhook) -> str:
    """As much of the address as is no secret."""
    return urlsplit(webhook.url).netloc


def queue(
    event: Webhook.Event,
    *,
    competition: UUID,
    subject: UUID | None = None,
    title: str = "",
    title_en: str = "",
    at: datetime,
) -> None:
    """Let the contest's webhook say this, if it has one that is to. In the caller's transaction.

    Until the first attempt, the same event becomes one message with a count: a
    whole class may ask to join within a minute.
    """
    # Locked, so that it is not removed before this is kept.
    for webhook in lock(Webhook.objects.filter(competition=competition)):
        if event in webhook.events:
            said = title_en if webhook.language == User.Language.ENGLISH else ""
            _add(webhook, event, at, subject=subject, title=short(said or title))


def queue_test(webhook: Webhook, *, at: datetime) -> None:
    """Let the webhook say that it works."""
    _add(webhook, Delivery.TEST, at, subject=None, title="")


def _add(webhook: Webhook, event: str, at: datetime, **what: Any) -> None:
    waiting = Delivery.objects.filter(
        webhook=webhook, event=event, **what, state=Delivery.State.WAITING, attempt=0
    )
    one = waiting.values_list("pk", flat=True).first()
    if one is None or not waiting.filter(pk=one).update(count=F("count") + 1):
        Delivery.objects.create(webhook=webhook, event=event, **what, created_at=at, next_at=Now())


def latest(webhook: Webhook, *, limit: int = 30) -> Sequence[Delivery]:
    """What it said and is to say, the newest first."""
    return list(webhook.deliveries.all()[:limit])


def said_of(competition: Competition, subjects: Collection[UUID]) -> dict[UUID, Delivery]:
    """The newest message of the contest's webhook about each of these."""
    rows = Delivery.objects.filter(webhook__competition=competition, subject__in=subjects)
    return {row.subject: row for row in rows.order_by("created_at", "pk") if row.subject}


def retitle(subjects: Collection[UUID], title: str = "") -> None:
    """Say nothing any more of what these threads were called, but what they are called now."""
    rows = Delivery.objects.filter(subject__in=subjects).exclude(title="")
    rows.update(title=short(title))
