"""What a webhook sends: an event as the body that Slack, Discord, Mattermost or a program reads.

Titles may come from participants. Each is short, and nothing of it is read as more than text: no
mention, no link, no formatting.
"""

import base64
import hashlib
import hmac
import json
import re
import unicodedata
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.community.webhook_models import Delivery, Webhook
from leaderboard.texts import say
from scoring.characters import nfc

SECRET_START = "whsec_"  # noqa: S105  by which a secret is known as one
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
    Delivery.TEST: "/c/{slug}/desk/webhook",
}

_BREAK = "\N{ZERO WIDTH SPACE}"
# What begins a mention, a link or a picture in any of the three: `@here`, `<!channel>`, `a://b`,
# `www.b.com`, which is linked without more. A break nobody sees stands behind it.
_ACTIVE = re.compile(r"[@<#]|:(?=//)|(?<=\w)\.(?=\w)")
_MARKS = re.compile(r"([\\`*_{}\[\]()#+\-!|~>])")


def short(text: str, most: int = Delivery.TITLE_LENGTH) -> str:
    """One line of at most so many characters, without those that nobody sees."""
    seen = "".join(" " if _is_unseen(one) else one for one in nfc(text))
    line = " ".join(seen.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character)[0] in "CZ"


def _inert(text: str) -> str:
    return _ACTIVE.sub(lambda found: found[0] + _BREAK, text)


def slack_text(text: str) -> str:
    """What Slack shows as this text."""
    return _inert(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def markdown_text(text: str) -> str:
    """What Discord and Mattermost show as this text."""
    return _MARKS.sub(r"\\\1", _inert(text))


def body(delivery: Delivery) -> bytes:
    """What is sent, in the webhook's format and language."""
    webhook = delivery.webhook
    made = {
        Webhook.Format.SLACK: _slack,
        Webhook.Format.DISCORD: _discord,
        Webhook.Format.MATTERMOST: _mattermost,
        Webhook.Format.JSON: _json,
    }[Webhook.Format(webhook.format)](delivery)
    return json.dumps(made, ensure_ascii=False).encode()


def _slack(delivery: Delivery) -> dict[str, Any]:
    return {"text": _lines(delivery, slack_text), "mrkdwn": False, "unfurl_links": False}


def _discord(delivery: Delivery) -> dict[str, Any]:
    suppress_embeds = 1 << 2
    text = _lines(delivery, markdown_text)
    return {"content": text, "allowed_mentions": {"parse": []}, "flags": suppress_embeds}


def _mattermost(delivery: Delivery) -> dict[str, Any]:
    return {"text": _lines(delivery, markdown_text)}


def _json(delivery: Delivery) -> dict[str, Any]:
    competition = delivery.webhook.competition
    return {
        "id": str(delivery.pk),
        "type": delivery.event,
        "timestamp": delivery.created_at.isoformat(),
        "data": {
            "competition": competition.slug,
            "title": delivery.title,
            "count": delivery.count,
            "url": address(delivery),
        },
    }


def _lines(delivery: Delivery, text: Callable[[str], str]) -> str:
    """Contest and event, how often, the title; below it the address."""
    webhook = delivery.webhook
    contest = short(webhook.competition.title_in(webhook.language))
    said = f"[{contest}] {say(label(delivery.event), webhook.language)}"
    if delivery.count > 1:
        said += f" × {delivery.count}"
    if delivery.title:
        said += f": {delivery.title}"
    return f"{text(said)}\n{address(delivery)}"


def label(event: str) -> Promise | str:
    """What happened, in words."""
    return TEST if event == Delivery.TEST else Webhook.Event(event).label


def address(delivery: Delivery) -> str:
    """The page that the message leads to."""
    path = PAGES[delivery.event].format(
        slug=delivery.webhook.competition.slug, subject=delivery.subject
    )
    return f"{settings.BASE_URL}{path}"


def headers(delivery: Delivery, data: bytes, at: datetime) -> dict[str, str]:
    """Who sends what, signed as https://www.standardwebhooks.com says: any language has it."""
    moment = str(int(at.timestamp()))
    return {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "summarization-leaderboard",
        "Webhook-Id": str(delivery.pk),
        "Webhook-Timestamp": moment,
        "Webhook-Signature": signature(delivery.webhook.secret, str(delivery.pk), moment, data),
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
