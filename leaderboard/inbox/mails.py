"""Mails of notices: made from what is new, and what became of them."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Case, Count, Exists, F, Max, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce

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
        mail = uuid4()
        of_it = Notification.objects.filter(to_mail=True)
        told = of_it.filter(pk__in=unread).update(to_mail=False, mail=mail)
        of_it.filter(pk__in=[pk for pk, _ in rows]).update(to_mail=False)
        if told:
            queue(
                DIGEST,
                address,
                key=mail,
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


class Mailed(NamedTuple):
    """How many people's mails of one notice are in which state; `failure` as it is kept.

    `attempts`: the most that one of them was tried. No mail is made yet where `state` is empty.
    """

    state: str
    failure: str
    people: int
    attempts: int


def mailed(kind: Notification.Kind, subjects: Iterable[UUID]) -> dict[UUID, list[Mailed]]:
    """What became of the mails that tell of these, each as it was told last; one query."""
    mail = Message.objects.filter(pk=OuterRef("mail"))
    rows = Notification.objects.filter(kind=kind, subject__in=list(subjects)).order_by()
    rows = rows.annotate(
        mail_state=Subquery(mail.values("state")),
        mail_failure=Subquery(mail.values("failure")),
        tried=Subquery(mail.values("attempt")),
        now=Case(When(to_mail=True, then=Value("")), default=F("mail_state")),
        why=Case(When(to_mail=True, then=Value("")), default=F("mail_failure")),
    ).filter(Q(to_mail=True) | Q(mail_state__isnull=False))
    counted = rows.values("subject", "now", "why").annotate(
        people=Count("pk"), attempts=Coalesce(Max("tried"), 0)
    )
    found: dict[UUID, list[Mailed]] = {}
    for row in counted.order_by("now", "why"):
        line = Mailed(row["now"], row["why"], row["people"], row["attempts"])
        found.setdefault(row["subject"], []).append(line)
    return found
