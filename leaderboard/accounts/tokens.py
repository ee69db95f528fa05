"""Tokens of programs: made once, shown once, kept as a hash."""

import secrets
from datetime import datetime, timedelta

from django.contrib.auth.password_validation import MinimumLengthValidator

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
    """The token of this secret, with its person, if both may still be used at `at`.

    An account whose password was taken away, so that nobody can sign in, has none.
    """
    if not secret.startswith(PREFIX):
        return None
    rows = ApiToken.objects.select_related("user")
    token = rows.filter(digest=digest(secret), expires_at__gt=at, user__is_active=True).first()
    return token if token is not None and token.user.has_usable_password() else None


def end_all(*, user: User) -> int:
    """Nothing can use a token of this person any more; answers how many there were."""
    return user.api_tokens.all().delete()[0]


class MinimumLength(MinimumLengthValidator):
    """Django's rule, and its hook for a new password: the tokens end with the old one.

    Whoever knew that one may have made some. The hook covers the page, the administrator's page and
    `manage.py changepassword`; what writes a password's hash itself calls `end_all`.
    """

    def password_changed(self, password: str, user: User) -> None:
        end_all(user=user)


def note_use(token: ApiToken, at: datetime) -> None:
    """Keep when it was last used, as exactly as sessions do: few requests write."""
    if token.last_used_at is None or token.last_used_at <= at - SEEN_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=at)
