"""Tokens of programs: made once, shown once, kept as a hash."""

import secrets
from datetime import datetime, timedelta

from django.db.models import QuerySet

from leaderboard.accounts.models import ApiToken, User
from leaderboard.accounts.passwords import digest
from leaderboard.accounts.sessions import SEEN_EVERY

# Whoever finds one in a notebook or a repository, secret scanners among them, sees what it is.
PREFIX = "slb_"
MOST = 20
DAYS = (7, 30, 90, 365)


def make(*, user: User, name: str, scope: str, days: int, at: datetime) -> tuple[ApiToken, str]:
    """A new token and its secret, which is nowhere else."""
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        scope=scope,
        digest=digest(secret),
        made_at=at,
        expires_at=at + timedelta(days=days),
    )
    return token, secret


def usable(secret: str, at: datetime) -> ApiToken | None:
    """The token of this secret, with its person, if both may still be used at `at`."""
    if not secret.startswith(PREFIX):
        return None
    return (
        ApiToken.objects.select_related("user")
        .filter(digest=digest(secret), expires_at__gt=at, user__is_active=True)
        .first()
    )


def note_use(token: ApiToken, at: datetime) -> None:
    """Keep when it was last used, as exactly as sessions do: few requests write."""
    if token.last_used_at is None or token.last_used_at <= at - SEEN_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=at)


def of_person(user: User) -> QuerySet[ApiToken]:
    """This person's tokens, the newest first; those that have expired, too."""
    return ApiToken.objects.filter(user=user)
