"""Reads of the inbox."""

from leaderboard.accounts.models import User
from leaderboard.inbox.models import Notification


def unread_count(user: User) -> int:
    """How many notifications this person has not read."""
    return Notification.objects.filter(user=user, read_at=None).count()


def latest(user: User, *, limit: int = 50) -> list[Notification]:
    """The newest notifications of this person, newest first."""
    return list(Notification.objects.filter(user=user)[:limit])
