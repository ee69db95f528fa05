"""Devices on which somebody signed in before, known by a signed cookie.

The cookie opens nothing. It only passes the limits that strangers can use up for an account, and
for each account it ends with the password it was made under.
"""

import hashlib
import secrets

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
    number, accounts = _read(request)
    accounts.pop(str(user.pk), None)
    newest = {str(user.pk): _password(user), **accounts}
    kept = dict(list(newest.items())[:KEPT])
    answer.set_cookie(
        COOKIE,
        signing.dumps([number or secrets.token_hex(16), kept], salt=SALT),
        max_age=SECONDS,
        path="/accounts/",  # where passwords are typed, and nowhere else
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def known(request: HttpRequest) -> dict[str, User]:
    """The accounts that this device signed in to under their present password, by user name."""
    _, accounts = _read(request)
    users = User.objects.filter(pk__in=accounts) if accounts else ()
    return {
        user.username: user
        for user in users
        if constant_time_compare(_password(user), accounts[str(user.pk)])
    }


def number_of(request: HttpRequest) -> str:
    """What tells this device from the others of an account, whoever signs in on it."""
    return _read(request)[0]


def _read(request: HttpRequest) -> tuple[str, dict[str, str]]:
    """The cookie's number, and its user ids with password digests, newest first; empty if its
    seal is not ours."""
    try:
        number, accounts = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=SECONDS
        )
    except signing.BadSignature:
        return "", {}
    return number, accounts


def _password(user: User) -> str:
    """Changes with the password. The stored form has a random salt, so nothing can be guessed."""
    return hashlib.sha256(f"{SALT}\n{user.password}".encode()).hexdigest()[:32]
