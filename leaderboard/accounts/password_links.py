"""Writes of password links: made once, used once."""

import hashlib
import secrets
from datetime import datetime, timedelta

from leaderboard.accounts.models import PasswordLink, User

LIFETIME = timedelta(hours=24)


def make(*, user: User, made_by: User | None, at: datetime) -> str:
    """A new link's token; it is nowhere else. Links of this person that wait unused end."""
    token = secrets.token_urlsafe(32)
    PasswordLink.objects.filter(user=user, used_at=None).delete()
    PasswordLink.objects.create(
        user=user,
        made_by=made_by,
        token_sha256=digest(token),
        made_at=at,
        expires_at=at + LIFETIME,
    )
    return token


def digest(token: str) -> str:
    """What is kept of a token. It is random and long, so a fast hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def usable(token: str, at: datetime) -> PasswordLink | None:
    """The link of this token, if it can still be used at `at`."""
    links = PasswordLink.objects.select_related("user")
    return links.filter(
        token_sha256=digest(token), used_at=None, expires_at__gt=at, user__is_active=True
    ).first()


def use(*, link: PasswordLink, at: datetime) -> bool:
    """Whether this call, and no other at the same time, used the link up."""
    unused = PasswordLink.objects.filter(pk=link.pk, used_at=None, expires_at__gt=at)
    return unused.update(used_at=at) == 1
