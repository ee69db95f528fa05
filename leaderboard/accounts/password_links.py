"""Writes of password links: made once, used once."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.utils.crypto import constant_time_compare, salted_hmac

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
        password_hmac=_password_hmac(user),
        made_at=at,
        expires_at=at + LIFETIME,
    )
    return token


def digest(token: str) -> str:
    """What is kept of a token. It is random and long, so a fast hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def usable(token: str, at: datetime) -> PasswordLink | None:
    """The link of this token, if it can still be used at `at`.

    It ends with the password that it was made for, whichever way that one was changed.
    """
    links = PasswordLink.objects.select_related("user")
    link = links.filter(
        token_sha256=digest(token), used_at=None, expires_at__gt=at, user__is_active=True
    ).first()
    if link is None or not constant_time_compare(link.password_hmac, _password_hmac(link.user)):
        return None
    return link


def use(*, link: PasswordLink, at: datetime) -> bool:
    """Whether this call, and no other at the same time, used the link up."""
    unused = PasswordLink.objects.filter(pk=link.pk, used_at=None, expires_at__gt=at)
    return unused.update(used_at=at) == 1


def _password_hmac(user: User) -> str:
    """Of the stored form, which has a salt of its own, so each password that is set differs."""
    key_salt = "leaderboard.accounts.password_link"
    return salted_hmac(key_salt, f"{user.pk}:{user.password}", algorithm="sha256").hexdigest()
