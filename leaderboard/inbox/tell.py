"""What somebody should be told: writing it, reading it."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from leaderboard.accounts.models import User
from leaderboard.inbox.models import Notification

PART = 500


def tell(
    *,
    users: Iterable[User],
    kind: Notification.Kind,
    subject: UUID,
    competition: UUID,
    competition_slug: str,
    data: Mapping[str, Any],
    at: datetime,
) -> None:
    """Leave one row for each person; a row that exists already stays as it is.

    PART of the rows are in memory at a time.
    """
    remaining = iter(sorted(users, key=lambda user: user.pk))  # two who tell the same wait in turn
    while part := list(islice(remaining, PART)):
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
                )
                for user in part
            ],
            ignore_conflicts=True,
            batch_size=500,
        )


def tell_anew(
    *, kind: Notification.Kind, subject: UUID, data: Mapping[str, Any], at: datetime
) -> int:
    """Whoever was told reads it with other words, unread and on top again; answers how many."""
    told = Notification.objects.filter(kind=kind, subject=subject)
    return told.update(data=dict(data), created_at=at, read_at=None)


def mark_read(*, user: User, at: datetime) -> int:
    """Mark everything of this person as read; answers how many rows that changed."""
    return Notification.objects.filter(user=user, read_at=None).update(read_at=at)


def forget(*, user: User) -> None:
    """Remove all that was told to this person."""
    Notification.objects.filter(user=user).delete()


def unread_count(user: User) -> int:
    """How many notifications this person has not read."""
    return Notification.objects.filter(user=user, read_at=None).count()


def latest(user: User, *, limit: int = 50) -> list[Notification]:
    """The newest notifications of this person, newest first."""
    return list(Notification.objects.filter(user=user)[:limit])


def without_unread(users: QuerySet[User], competition: UUID, *, about: str) -> QuerySet[User]:
    """Those of these people who have no unread notification of this contest about this."""
    unread = Notification.objects.filter(competition=competition, data__about=about, read_at=None)
    return users.exclude(pk__in=unread.values("user"))


def told(subject: UUID) -> int:
    """How many people have a notification of this announcement or decision."""
    return Notification.objects.filter(subject=subject).count()
