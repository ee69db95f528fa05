"""A contest's outgoing webhook: its address, its secret, its end."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import Deciding, deciding
from leaderboard.addresses import AddressRefused, read
from leaderboard.audit.log import KINDS
from leaderboard.community.models import Webhook
from leaderboard.community.webhooks import add, host_of, new_secret
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.outbox.models import Message
from leaderboard.outbox.outgoing import PORTS
from leaderboard.refusals import Invalid, Unknown

KINDS |= {
    "webhook.set": _("Changed the webhook"),
    "webhook.renewed": _("Created a new webhook secret"),
    "webhook.removed": _("Removed the webhook"),
}

URL_LENGTH = 500


def set_webhook(
    *,
    competition: Competition,
    user: User,
    url: str = "",
    format: str,  # noqa: A002  the field's name
    language: str,
    events: Sequence[str],
    at: datetime,
) -> Webhook:
    """Say where to, how and of what. Without an address the one of before stays. Raises Refused."""
    with deciding(competition, user, at) as decision:
        known = _locked(decision.competition)
        webhook = known or Webhook(competition=decision.competition, secret=new_secret())
        before = _facts(webhook) if known else None
        if url.strip() or known is None:
            webhook.url = url.strip()
            _refuse_address(webhook.url)
        webhook.format = Webhook.Format(format)
        webhook.language = User.Language(language)
        webhook.events = [event.value for event in Webhook.Event if event in events]
        webhook.save()
        decision.record("webhook.set", webhook.pk, before=before, after=_facts(webhook))
    return webhook


def _facts(webhook: Webhook) -> dict[str, object]:
    """For the log. The address itself lets anybody write into the channel."""
    return {
        "host": host_of(webhook),
        "format": webhook.format,
        "language": webhook.language,
        "events": webhook.events,
    }


_no_address = partial(
    Invalid,
    "webhook_address",
    _("Only https addresses on ports 443 and 8443 outside private networks can be called."),
    _("Copy it from the page that made the webhook. For your own server, ask the administrator."),
)


def _refuse_address(url: str) -> None:
    if len(url) > URL_LENGTH or not url.isascii() or not url.isprintable() or " " in url:
        raise _no_address()
    try:
        read(url, allowed=settings.WEBHOOK_ALLOWED_HOSTS, ports=PORTS)
    except AddressRefused:
        raise _no_address() from None


def renew_secret(*, competition: Competition, user: User, at: datetime) -> Webhook:
    """Sign with another secret from now on, also what waits. Raises Refused."""
    with deciding(competition, user, at) as decision:
        webhook = _known(decision)
        webhook.secret = new_secret()
        webhook.save(update_fields=["secret"])
        decision.record("webhook.renewed", webhook.pk)
    return webhook


def remove_webhook(*, competition: Competition, user: User, at: datetime) -> None:
    """Forget address and secret, and what was to be sent. Raises Refused."""
    with deciding(competition, user, at) as decision:
        webhook = _known(decision)
        decision.record("webhook.removed", webhook.pk, before=_facts(webhook))
        Message.objects.filter(recipient=webhook.pk).delete()
        webhook.delete()


def send_test(*, competition: Competition, user: User, at: datetime) -> None:
    """Send a message that says it is a test; the desk shows whether it came. Raises Refused."""
    with deciding(competition, user, at) as decision:
        add(_known(decision), Webhook.TEST, at)


def _locked(competition: Competition) -> Webhook | None:
    return next(iter(lock(Webhook.objects.filter(competition=competition), to_delete=True)), None)


def _known(decision: Deciding) -> Webhook:
    webhook = _locked(decision.competition)
    if webhook is None:
        raise Unknown(
            "no_webhook", _("This competition has no webhook."), _("Enter its address first.")
        )
    return webhook
