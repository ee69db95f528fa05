"""Devices on which somebody signed in before, known by a signed cookie.

The cookie opens nothing. It only passes the limits that strangers can use up for an account, and
for each account it ends with the password it was made under.
"""

import hashlib
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import constant_time_compare

from leaderboard.accounts.models import User

COOKIE = "device"
SALT = "leaderboard.accounts.devices"
SECONDS = 365 * 24 * 60 * 60
KEPT = 5  # accounts of one device, for example of a family


def remember(answer: HttpResponseBase, *, request: HttpRequest, user: User) -> None:
    """Let the browser that gets `answer` be known as a device of `user` from now on."""
    accounts = _accounts(request)
    accounts.pop(str(user.pk), None)
    newest = {str(user.pk): _password(user), **accounts}
    answer.set_cookie(
        COOKIE,
        signing.dumps(dict(list(newest.items())[:KEPT]), salt=SALT),
        max_age=SECONDS,
        path="/accounts/",  # where passwords are typed, and nowhere else
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def known(request: HttpRequest) -> dict[str, User]:
    """The accounts that this device signed in to under their present password, by user name."""
    accounts = _accounts(request)
    users = User.objects.filter(pk__in=accounts) if accounts else ()
    return {
        user.username: user
        for user in users
        if constant_time_compare(_password(user), accounts[str(user.pk)])
    }


def number_of(request: HttpRequest) -> str:
    """What tells this device from the others of an account; a new one with each sign-in."""
    return hashlib.sha256(request.COOKIES.get(COOKIE, "").encode()).hexdigest()


def _accounts(request: HttpRequest) -> dict[str, str]:
    """User ids and password digests of the cookie, newest first; none if its seal is not ours."""
    try:
        found: dict[str, Any] = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=SECONDS
        )
    except signing.BadSignature:
        return {}
    return found


def _password(user: User) -> str:
    """Changes with the password. The stored form has a random salt, so nothing can be guessed."""
    return hashlib.sha256(f"{SALT}\n{user.password}".encode()).hexdigest()[:32]
