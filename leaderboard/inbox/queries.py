"""Reads of the inbox."""

from uuid import UUID

from django.db.models import QuerySet

from leaderboard.accounts.models import User
from leaderboard.inbox.models import Notification


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
