"""Passwords that are set for somebody: by a link, or printed once for a class."""

import secrets

from django.contrib.auth.hashers import Argon2PasswordHasher, make_password

from leaderboard.accounts.models import User

# Without letters and digits that look alike on paper: 12 of 31 are 59 bits.
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
LENGTH, GROUP = 12, 4


class _QuickArgon2(Argon2PasswordHasher):
    """A slow hash defends guessable passwords; ours are random. A class would wait for minutes.

    Django hashes again at full cost at the first sign-in, because the stored costs are lower.
    """

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


def hashed(password: str) -> str:
    """The stored form of a password that a person chose. Slow: not inside a transaction."""
    return make_password(password)


def replace(*, user: User, encoded: str) -> bool:
    """Let this person sign in with another password. All sessions end with the old one.

    False if the account's password is not that of the given object any more.
    """
    active = User.objects.filter(pk=user.pk, password=user.password, is_active=True)
    return active.update(password=encoded, must_change_password=False) == 1
