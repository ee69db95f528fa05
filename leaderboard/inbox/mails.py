"""Mails of notices, made from what is new."""

from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Exists, OuterRef

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
            queue(
                DIGEST,
                address,
                key=uuid4(),
                notices=[str(pk) for pk in unread[:MOST_LISTED]],
                count=told,
                at=at,
            )
        else:
            MailAddress.objects.filter(pk=address.pk).update(next_at=at)
        return bool(told)


def queue(
    kind: str,
    address: MailAddress,
    *,
    key: UUID,
    notices: list[str] | None = None,
    count: int = 1,
    at: datetime,
) -> None:
    """Let a mail go to this address; `key` is its Message-ID, however often it is tried.

    `notices`: the newest of those that it tells of, `count` how many they are in all.
    """
    Message.objects.create(
        id=key,
        lane=Message.MAIL,
        kind=kind,
        recipient=address.pk,
        user_id=address.user_id,
        count=count,
        data={"notices": notices or []},
        made_at=at,
        next_at=at,
    )
