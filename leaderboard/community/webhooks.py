"""A contest's outgoing webhook: its secret, what it is to say, calling it, and how it says that.

Titles may come from participants. Each is short, and nothing of it is read as more than text: no
mention, no link, no formatting.
"""

import base64
import hashlib
import hmac
import json
import re
import secrets
import unicodedata
from collections.abc import Callable, Collection
from datetime import datetime
from html import escape
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.db.models import F
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.community.models import Webhook
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.outbox.models import Message
from leaderboard.outbox.outgoing import PORTS, Answer, post
from leaderboard.texts import in_language, say
from scoring.characters import nfc

SECRET_BYTES = 24
SECRET_START = "whsec_"  # noqa: S105  by which a secret is known as one


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
            add(webhook, event, at, subject=subject, title=short(said or title))


def add(
    webhook: Webhook, event: str, at: datetime, *, subject: UUID | None = None, title: str = ""
) -> None:
    """Let it say this; what waits untried already is counted once more."""
    what: dict[str, Any] = {"subject": subject, "title": title}
    same = Message.objects.filter(lane=webhook.lane, kind=event, **what)
    waiting = same.filter(state=Message.State.WAITING, attempt=0)
    one = waiting.values_list("pk", flat=True).first()
    if one is None or not waiting.filter(pk=one).update(count=F("count") + 1):
        Message.objects.create(
            lane=webhook.lane, recipient=webhook.pk, kind=event, **what, made_at=at, next_at=at
        )


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


# --- What a message says -------------------------------------------------------------------------

TEST = _("This is a test. Messages of this competition come here.")

# Below the server's address.
PAGES: dict[str, str] = {
    Webhook.Event.FAILED: "/c/{slug}/desk/submissions?kind=failed",
    Webhook.Event.ASKED: "/c/{slug}/forum/{subject}",
    Webhook.Event.INQUIRY: "/c/{slug}/desk/forum",
    Webhook.Event.REPORTED: "/c/{slug}/forum/{subject}",
    Webhook.Event.REQUESTED: "/c/{slug}/desk/people#requests",
    Webhook.Event.ANNOUNCED: "/c/{slug}/#announcements",
    Webhook.Event.REVEALED: "/c/{slug}/leaderboard",
    Webhook.TEST: "/c/{slug}/desk/webhook",
}

SUPPRESS_EMBEDS = 1 << 2  # a flag of Discord
_BREAK = "\N{ZERO WIDTH SPACE}"
# What begins a mention, a link or a picture in any of the three: `@here`, `<!channel>`, `a://b`,
# `www.b.com`, which is linked without more. A break nobody sees stands behind it.
_ACTIVE = re.compile(r"[@<#]|:(?=//)|(?<=\w)\.(?=\w)")
_MARKS = re.compile(r"([\\`*_{}\[\]()#+\-!|~>])")


def short(text: str, most: int = Message.TITLE_LENGTH) -> str:
    """One line of at most so many characters, without those that nobody sees."""
    seen = "".join(" " if unicodedata.category(one)[0] in "CZ" else one for one in nfc(text))
    line = " ".join(seen.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _inert(text: str) -> str:
    return _ACTIVE.sub(lambda found: found[0] + _BREAK, text)


def markdown_text(text: str) -> str:
    """What Discord and Mattermost show as this text."""
    return _MARKS.sub(r"\\\1", _inert(text))


def body(webhook: Webhook, message: Message) -> bytes:
    """What is sent, in the webhook's format and language."""
    made: dict[str, Any]
    match webhook.format:
        case Webhook.Format.SLACK:
            text = _lines(webhook, message, lambda said: escape(_inert(said), quote=False))
            made = {"text": text, "mrkdwn": False, "unfurl_links": False}
        case Webhook.Format.DISCORD:
            made = {"content": _lines(webhook, message, markdown_text)}
            made |= {"allowed_mentions": {"parse": []}, "flags": SUPPRESS_EMBEDS}
        case Webhook.Format.MATTERMOST:
            made = {"text": _lines(webhook, message, markdown_text)}
        case _:
            made = {
                "id": str(message.pk),
                "type": message.kind,
                "timestamp": message.made_at.isoformat(),
                "data": {
                    "competition": webhook.competition.slug,
                    "title": message.title,
                    "count": message.count,
                    "url": address(webhook, message),
                },
            }
    return json.dumps(made, ensure_ascii=False).encode()


def _lines(webhook: Webhook, message: Message, text: Callable[[str], str]) -> str:
    """Contest and event, how often, the title; below it the address."""
    contest = short(in_language(webhook.competition, "title", webhook.language))
    said = f"[{contest}] {say(label(message.kind), webhook.language)}"
    if message.count > 1:
        said += f" × {message.count}"
    if message.title:
        said += f": {message.title}"
    return f"{text(said)}\n{address(webhook, message)}"


def label(event: str) -> Promise | str:
    """What happened, in words."""
    return TEST if event == Webhook.TEST else Webhook.Event(event).label


def address(webhook: Webhook, message: Message) -> str:
    """The page that the message leads to."""
    path = PAGES[message.kind].format(slug=webhook.competition.slug, subject=message.subject)
    return f"{settings.BASE_URL}{path}"


def headers(webhook: Webhook, message: Message, data: bytes, at: datetime) -> dict[str, str]:
    """Who sends what, signed as https://www.standardwebhooks.com says: any language has it."""
    moment = str(int(at.timestamp()))
    return {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "summarization-leaderboard",
        "Webhook-Id": str(message.pk),
        "Webhook-Timestamp": moment,
        "Webhook-Signature": signature(webhook.secret, str(message.pk), moment, data),
    }


def signature(secret: str, name: str, moment: str, data: bytes) -> str:
    """Of a message of this id and instant.

    >>> signature("whsec_plJ3nmyCDGBKInavdOK15jsl", "msg_loFOjxBNrRLzqYUf", "1731705121",
    ...           b'{"event_type":"ping","data":{"success":true}}')
    'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0='
    """
    key = base64.b64decode(secret.removeprefix(SECRET_START))
    signed = hmac.new(key, f"{name}.{moment}.".encode() + data, hashlib.sha256)
    return f"v1,{base64.b64encode(signed.digest()).decode()}"
