"""Passwords that are set for somebody: by a link, or printed once for a class."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.contrib.auth.hashers import Argon2PasswordHasher
from django.utils.crypto import constant_time_compare, salted_hmac

from leaderboard.accounts.models import PasswordLink, User

# Without letters and digits that look alike on paper: 12 of 31 are 59 bits.
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
LENGTH, GROUP = 12, 4


class _QuickArgon2(Argon2PasswordHasher):
    """For random passwords, which need no slow hash; Django hashes again at the first sign-in."""

    time_cost = 1
    memory_cost = 1024
    parallelism = 1


def one_time() -> str:
    """A random password to be typed from paper: `abcd-efgh-jkmn`."""
    letters = [secrets.choice(ALPHABET) for _ in range(LENGTH)]
    groups = ["".join(letters[start : start + GROUP]) for start in range(0, LENGTH, GROUP)]
    return "-".join(groups)


def hashed_one_time(password: str) -> str:
    """The stored form of a password made by `one_time`."""
    hasher = _QuickArgon2()
    encoded: str = hasher.encode(password, hasher.salt())
    return encoded


LIFETIME = timedelta(hours=24)


def digest(token: str) -> str:
    """What is kept of a token. It is random and long, so a fast hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def usable_link(token: str, at: datetime) -> PasswordLink | None:
    """The link of this token, if it can still be used at `at`."""
    links = PasswordLink.objects.select_related("user")
    link = links.filter(
        token_sha256=digest(token), used_at=None, expires_at__gt=at, user__is_active=True
    ).first()
    if link is None or not constant_time_compare(link.password_hmac, password_hmac(link.user)):
        return None
    return link


def password_hmac(user: User) -> str:
    """Of the stored form, which has a salt of its own, so each password that is set differs."""
    key_salt = "leaderboard.accounts.password_link"
    return salted_hmac(key_salt, f"{user.pk}:{user.password}", algorithm="sha256").hexdigest()
