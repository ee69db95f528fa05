"""Mails that wait: made from what is new, taken under a lease, sent, tried again or given up.

A mail is one row with one Message-ID. Who takes it has a lease by the database's clock, and the
attempt tells whose result counts; whoever is killed leaves at most the one mail in doubt that was
on its way, which is sent again under the same Message-ID.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Count, Exists, F, Max, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Now

from leaderboard.inbox.addresses import PAUSES
from leaderboard.inbox.models import Mail, MailAddress, Notification

State = Mail.State

PEOPLE = 500  # of one round
MOST_TOLD = 1000  # notices of one mail
MOST_LISTED = 50  # of them one by one
LEASE = timedelta(minutes=2)
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)
GIVEN_UP_AFTER = timedelta(days=3)

_FREE = Q(lease_until=None) | Q(lease_until__lt=Now())


def collect(*, at: datetime) -> int:
    """Make a mail for those whose notices wait for one and who may be written to by now."""
    waiting = Notification.objects.filter(user=OuterRef("user"), to_mail=True)
    due = MailAddress.objects.filter(Exists(waiting), next_at__lte=at, stopped_at=None)
    found = due.exclude(confirmed_at=None).order_by("next_at", "pk")[:PEOPLE]
    return sum(_digest(address, at) for address in found)


def _digest(address: MailAddress, at: datetime) -> bool:
    """Whether there is something to tell. What was read meanwhile is told no more."""
    with transaction.atomic():
        same = MailAddress.objects.filter(pk=address.pk, next_at=address.next_at, stopped_at=None)
        if same.update(next_at=at + PAUSES[MailAddress.Every(address.every)]) != 1:
            return False  # another sweeper was faster
        waiting = Notification.objects.filter(user=address.user_id, to_mail=True)
        rows = list(waiting.values_list("pk", "read_at")[:MOST_TOLD])
        Notification.objects.filter(pk__in=[pk for pk, _ in rows]).update(to_mail=False)
        unread = [str(pk) for pk, read_at in rows if read_at is None]
        if unread:
            mail = Mail.objects.create(
                address=address,
                kind=Mail.Kind.DIGEST,
                notices=unread[:MOST_LISTED],
                number=len(unread),
                made_at=at,
                next_at=at,
            )
            Notification.objects.filter(pk__in=unread).update(mail=mail)
        else:
            MailAddress.objects.filter(pk=address.pk).update(next_at=at)
        return bool(unread)


def claim(*, at: datetime) -> Mail | None:
    """Take the mail that has waited longest, or None. The row is the right to send it."""
    due = Mail.objects.filter(_FREE, state=State.WAITING, next_at__lte=at)
    rows = due.select_related("address__user").order_by("next_at", "pk")
    while (mail := rows.first()) is not None:
        if due.filter(pk=mail.pk, attempt=mail.attempt).update(
            attempt=F("attempt") + 1, lease_until=Now() + LEASE
        ):
            mail.attempt += 1
            return mail
    return None


def _end(mail: Mail, **columns: object) -> bool:
    """The one fence: write these columns if the mail is still this sender's."""
    rows = Mail.objects.filter(pk=mail.pk, state=State.WAITING, attempt=mail.attempt)
    return rows.update(lease_until=None, **columns) == 1


def sent(mail: Mail, *, at: datetime) -> None:
    if _end(mail, state=State.SENT, ended_at=at, failure=""):
        MailAddress.objects.filter(pk=mail.address_id).exclude(refused_code=None).update(
            refused_code=None
        )


def refused(mail: Mail, *, code: int, at: datetime) -> None:
    """The server will never take it. Later ones are tried: its mind may change."""
    if _end(mail, state=State.FAILED, ended_at=at, failure=str(code)):
        MailAddress.objects.filter(pk=mail.address_id).update(refused_code=code)


def later(mail: Mail, *, failure: str, at: datetime) -> None:
    """Try again after a pause that doubles, until it is too old to be news."""
    if at - mail.made_at >= GIVEN_UP_AFTER:
        _end(mail, state=State.FAILED, ended_at=at, failure=failure)
    else:
        pause = min(FIRST_PAUSE * 2 ** min(mail.attempt - 1, 10), LONGEST_PAUSE)
        _end(mail, next_at=at + pause, failure=failure)


def drop(mail: Mail) -> None:
    """There is nothing left to tell."""
    Mail.objects.filter(pk=mail.pk, attempt=mail.attempt).delete()


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
    rows = Notification.objects.filter(kind=kind, subject__in=list(subjects))
    rows = rows.filter(Q(to_mail=True) | Q(mail__isnull=False)).order_by()
    state = Case(When(to_mail=True, then=Value("")), default=F("mail__state"))
    why = Case(
        When(Q(to_mail=True) | Q(mail__state=State.SENT), then=Value("")),
        default=F("mail__failure"),
    )
    counted = rows.values("subject", now=state, why=why).annotate(
        people=Count("pk"), attempts=Coalesce(Max("mail__attempt"), 0)
    )
    found: dict[UUID, list[Mailed]] = {}
    for row in counted.order_by("now", "why"):
        line = Mailed(row["now"], row["why"], row["people"], row["attempts"])
        found.setdefault(row["subject"], []).append(line)
    return found


STUCK_AFTER = timedelta(hours=1)


def stuck(at: datetime) -> bool:
    """Whether a mail waits for so long that somebody should look at the mail server."""
    return Mail.objects.filter(state=State.WAITING, made_at__lt=at - STUCK_AFTER).exists()


def old(at: datetime) -> QuerySet[Mail]:
    """What ended long ago."""
    return Mail.objects.filter(ended_at__lt=at - timedelta(days=settings.MESSAGE_DAYS))


def forget_old(*, at: datetime) -> None:
    """Remove that. Its rows are locked."""
    if old(at).exists():
        old(at).delete()
