"""Mails of notices, made from what is new, and where people want them."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.core import signing
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.crypto import salted_hmac

from leaderboard.accounts.models import User
from leaderboard.accounts.passwords import digest
from leaderboard.inbox.models import MailAddress, Notification
from leaderboard.outbox.models import Message

CONFIRM, DIGEST = "confirm", "digest"  # the kinds of a mail
PEOPLE = 500  # of one round
MOST_TOLD = 1000  # notices of one mail
MOST_LISTED = 50  # of them one by one
PAUSES = {MailAddress.Every.NOW: timedelta(0), MailAddress.Every.DAY: timedelta(days=1)}


def collect(*, at: datetime) -> int:
    """Make a mail for those whose notices wait for one and who may be written to by now."""
    waiting = Notification.objects.filter(user=OuterRef("user"), to_mail=True)
    due = MailAddress.objects.filter(Exists(waiting), next_at__lte=at, every__in=PAUSES)
    found = due.exclude(confirmed_at=None).order_by("next_at", "pk")[:PEOPLE]
    return sum(_digest(address, at) for address in found)


def _digest(address: MailAddress, at: datetime) -> bool:
    """Whether there is something to tell. What was read meanwhile is told no more."""
    with transaction.atomic():
        same = MailAddress.objects.filter(
            pk=address.pk, next_at=address.next_at, every=address.every
        )
        if same.update(next_at=at + PAUSES[MailAddress.Every(address.every)]) != 1:
            return False  # another sweeper was faster
        waiting = Notification.objects.filter(user=address.user_id, to_mail=True)
        rows = list(waiting.values_list("pk", "read_at")[:MOST_TOLD])
        unread = [pk for pk, read_at in rows if read_at is None]
        of_it = Notification.objects.filter(to_mail=True)
        told = of_it.filter(pk__in=unread).update(to_mail=False)
        of_it.filter(pk__in=[pk for pk, _ in rows]).update(to_mail=False)
        if told:
            listed = {"notices": [str(pk) for pk in unread[:MOST_LISTED]]}
            queue(DIGEST, address, uuid4(), at, count=told, data=listed)
        else:
            MailAddress.objects.filter(pk=address.pk).update(next_at=at)
        return bool(told)


def queue(kind: str, address: MailAddress, key: UUID, at: datetime, **of: Any) -> None:
    """Let a mail go to this address; `key` is its Message-ID, however often it is tried.

    `of` a digest: the newest notices that it tells of, and how many they are in all.
    """
    of |= {"recipient": address.pk, "user_id": address.user_id, "made_at": at, "next_at": at}
    Message.objects.create(id=key, lane=Message.MAIL, kind=kind, **of)


# --- Where a person wants mail --------------------------------------------------------------------

LIFETIME = timedelta(hours=24)
# For the link that every mail carries. It opens nothing else and has no end.
STOP = signing.Signer(salt="leaderboard.inbox.stop")


def token_of(mail: UUID) -> str:
    """What the link in this mail proves with. It is kept nowhere, and the same when sent again."""
    return salted_hmac("leaderboard.inbox.confirm", str(mail), algorithm="sha256").hexdigest()


def to_confirm(*, user: User, token: str, at: datetime) -> MailAddress | None:
    """The person's address whose link this is, if it can still be used at `at`."""
    rows = MailAddress.objects.filter(user=user, confirmed_at=None, expires_at__gt=at)
    return rows.filter(token_sha256=digest(token)).first()


def of_person(user: User) -> tuple[MailAddress | None, MailAddress | None]:
    """The confirmed address, and the one whose link is yet to be followed."""
    rows = list(MailAddress.objects.filter(user=user))
    confirmed = next((row for row in rows if row.confirmed_at), None)
    return confirmed, next((row for row in rows if not row.confirmed_at), None)


def address_of_stop(token: str) -> MailAddress | None:
    """Whose link that is, if it is ours and the address is still there."""
    try:
        key = UUID(STOP.unsign(token))
    except (signing.BadSignature, ValueError):
        return None
    return MailAddress.objects.select_related("user").filter(pk=key).first()
