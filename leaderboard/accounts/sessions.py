"""Where a person is signed in, and signing out there.

The rows are those of `allauth.usersessions`, which keeps one for each sign-in. A row says nothing
about whether its session still lives, so that is read from the session itself.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.auth import HASH_SESSION_KEY, update_session_auth_hash
from django.contrib.sessions.models import Session
from django.db.models import F, Max
from django.db.models.functions import Coalesce, Greatest
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

from leaderboard.accounts.models import User

SHOWN = 50
# How exactly `last_seen_at` is kept, so that few requests write.
SEEN_EVERY = timedelta(hours=1)

# What stands in a browser's own description, the more special first, and what people call it.
_BROWSERS = (
    *(("KAKAOTALK", "KakaoTalk"), ("NAVER(inapp", "NAVER"), ("Whale/", "Whale")),
    *(("SamsungBrowser/", "Samsung Internet"), ("Edg", "Edge"), ("OPR/", "Opera")),
    *(("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome")),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    *(("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows")),
    *(("Mac OS X", "Mac"), ("CrOS", "Chromebook"), ("Linux", "Linux")),
)


def sessions(user: User, *, this: str | None, at: datetime) -> list[dict[str, Any]]:
    """Where the person is signed in at `at`: the newest 50 as `row`, the session of key `this`
    first. `browser` and `system` are empty where nothing is known of them."""
    rows = {row.session_key: row for row in UserSession.objects.filter(user=user)}
    newest = sorted(rows, key=lambda key: rows[key].last_seen_at, reverse=True)[:SHOWN]
    living = Session.objects.filter(session_key__in=newest, expire_date__gt=at)
    valid = user.get_session_auth_hash()
    found = [
        {
            "row": row,
            "browser": _first(_BROWSERS, row.user_agent),
            "system": _first(_SYSTEMS, row.user_agent),
            "is_this": row.session_key == this,
        }
        for session in living
        for row in [rows[session.session_key]]
        if constant_time_compare(session.get_decoded().get(HASH_SESSION_KEY, ""), valid)
    ]
    return sorted(found, key=lambda one: (one["is_this"], one["row"].last_seen_at), reverse=True)


def end_all(*, user: User) -> None:
    """No session of this person is valid any more, listed or not. The given object follows."""
    User.objects.filter(pk=user.pk).update(session_epoch=F("session_epoch") + 1)
    user.refresh_from_db(fields=["session_epoch"])
    keys = list(UserSession.objects.filter(user=user).values_list("session_key", flat=True))
    Session.objects.filter(session_key__in=keys).delete()
    UserSession.objects.filter(user=user).delete()


def begin_again(request: HttpRequest, user: User) -> None:
    """Let the session of this request, and it alone, go on after `end_all`."""
    update_session_auth_hash(request, user)
    UserSession.objects.create_from_request(request)


def seen_at(users: Iterable[int]) -> dict[int, datetime]:
    """When these users last did something here, as exactly as `SEEN_EVERY`; by key, without who
    was never here."""
    done, signed_in = Max("usersession__last_seen_at"), F("last_login")
    # Databases differ in what NULL is beside a time, so each stands in for the other.
    newest = Greatest(Coalesce(done, signed_in), Coalesce(signed_in, done))
    rows = User.objects.filter(pk__in=list(users)).annotate(newest=newest)
    return {pk: at for pk, at in rows.values_list("pk", "newest") if at is not None}


def _first(known: tuple[tuple[str, str], ...], described: str) -> str:
    return next((name for sign, name in known if sign in described), "")
