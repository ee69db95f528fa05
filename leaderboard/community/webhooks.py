"""A contest's outgoing webhook: its secret, what it is to say, and calling it."""

import base64
import secrets
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.db.models import F

from leaderboard.accounts.models import User
from leaderboard.community.messages import SECRET_START, body, headers, short
from leaderboard.community.models import Webhook
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.outbox.models import Message
from leaderboard.outbox.outgoing import PORTS, Answer, post

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
    _add(webhook, Webhook.TEST, at, subject=None, title="")


def _add(webhook: Webhook, event: str, at: datetime, **what: Any) -> None:
    same = Message.objects.filter(lane=webhook.lane, kind=event, **what)
    waiting = same.filter(state=Message.State.WAITING, attempt=0)
    one = waiting.values_list("pk", flat=True).first()
    if one is None or not waiting.filter(pk=one).update(count=F("count") + 1):
        Message.objects.create(
            lane=webhook.lane, recipient=webhook.pk, kind=event, **what, made_at=at, next_at=at
        )


def last_delivery(webhook: Webhook) -> Message | None:
    """The newest message that it said or is to say."""
    return Message.objects.filter(recipient=webhook.pk).first()


def retitle(subjects: Collection[UUID], title: str = "") -> None:
    """Say nothing any more of what these threads were called, but what they are called now."""
    rows = Message.objects.filter(subject__in=subjects).exclude(title="")
    rows.update(title=short(title))


def call(message: Message, at: datetime, *, send: Callable[..., Answer] = post) -> Answer | None:
    """One attempt, by the network; None where the webhook was removed, or its contest."""
    assert message.recipient is not None
    webhooks = Webhook.objects.select_related("competition").filter(pk=message.recipient)
    webhook = webhooks.exclude(competition__state=Competition.State.DELETED).first()
    if webhook is None:
        return None
    data = body(webhook, message)
    return send(
        webhook.url,
        data,
        headers(webhook, message, data, at),
        allowed=settings.WEBHOOK_ALLOWED_HOSTS,
        ports=PORTS,
        seconds=settings.WEBHOOK_SECONDS,
    )
