"""What somebody should be told: writing it, and how much of it is unread."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboard.accounts.accounts import FILE_NAME, Unnaming
from leaderboard.accounts.models import User
from leaderboard.inbox.models import NOT_MAILED, MailAddress, Notification

PART = 500
Every = MailAddress.Every


def tell(
    *,
    users: Iterable[User],
    kind: Notification.Kind,
    subject: UUID,
    competition: UUID | None = None,
    competition_slug: str = "",
    data: Mapping[str, Any],
    at: datetime,
    again: bool = False,
) -> None:
    """Leave one row for each person, PART of them in memory at a time. One that exists stays as it
    is, or with `again` is told with these words, unread and on top."""
    on_conflict: dict[str, Any] = {"ignore_conflicts": True}
    if again:
        on_conflict = {
            "update_conflicts": True,
            "unique_fields": ["user", "kind", "subject"],
            "update_fields": ["data", "created_at", "read_at", "to_mail"],
        }
    remaining = iter(sorted(users, key=lambda user: user.pk))  # two who tell the same wait in turn
    while part := list(islice(remaining, PART)):
        mailed: set[int] = set()
        if settings.MAIL_ON and kind not in NOT_MAILED:
            wanted = MailAddress.objects.exclude(confirmed_at=None).filter(user__in=part)
            mailed = set(wanted.exclude(every=Every.NEVER).values_list("user", flat=True))
        Notification.objects.bulk_create(
            [
                Notification(
                    user=user,
                    kind=kind,
                    subject=subject,
                    competition=competition,
                    competition_slug=competition_slug,
                    data=dict(data),
                    created_at=at,
                    to_mail=user.pk in mailed,
                )
                for user in part
            ],
            **on_conflict,
            batch_size=500,
        )


def withdraw(*, subjects: Iterable[UUID]) -> None:
    """What is not for everybody's eyes any more leaves their inboxes."""
    Notification.objects.filter(subject__in=list(subjects)).delete()


def retitle(*, subject: UUID, title: str, readers: QuerySet[User]) -> None:
    """What was told of this under another title: these people read this one, others nothing."""
    titled = Notification.objects.filter(subject=subject, data__values__has_key="title")
    titled.exclude(user__in=readers).delete()
    rows = list(titled.order_by("user"))
    for notice in rows:
        notice.data["values"]["title"] = title
    Notification.objects.bulk_update(rows, ["data"], batch_size=PART)


def forget(*, user: User) -> None:
    """Remove all that was told to this person, and where they wanted mail."""
    for table in (MailAddress, Notification):
        table._default_manager.filter(user=user).delete()


Kind = Notification.Kind
NAMING = (Kind.ASKED, Kind.INVITED, Kind.TEAM, Kind.MERGED, Kind.REFUNDED)
TEAM_KEYS = ("team", "into", "before", "name")  # of the values of `as_news`


def unname(names: Unnaming) -> None:
    """Let nobody's inbox, nor a mail that waits, name an account that is closed, or its files."""
    rows = Notification.objects.all()
    names.rename(rows.filter(kind__in=(Kind.SCORED, Kind.FAILED)), "data")
    names.rename(rows.filter(kind__in=NAMING), "data", TEAM_KEYS)
    about = Q(subject__in=names.files) | Q(data__submission__in=[str(pk) for pk in names.files])
    of_files = list(rows.filter(about, data__values__has_key="file").order_by("pk"))
    for notice in of_files:
        notice.data["values"]["file"] = FILE_NAME
    rows.bulk_update(of_files, ["data"], batch_size=PART)


MOST_COUNTED = 100


def unread_count(user: User) -> int:
    """How many notifications this person has not read, counted to MOST_COUNTED."""
    return Notification.objects.filter(user=user, read_at=None)[:MOST_COUNTED].count()


def without_unread(users: QuerySet[User], competition: UUID, *, about: str) -> QuerySet[User]:
    """Those of these people who have no unread notification of this contest about this."""
    own = Notification.objects.filter(user=OuterRef("pk"), competition=competition)
    return users.exclude(Exists(own.filter(data__about=about, read_at=None)))


def told(subject: UUID) -> int:
    """How many people have a notification of this announcement or decision."""
    return Notification.objects.filter(subject=subject).count()
