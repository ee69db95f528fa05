"""A limit on guessing codes and listed addresses.

Only wrong guesses count, so a class that joins in one minute from one address is not stopped.
"""

from datetime import timedelta

from leaderboard.accounts.rate_limits import Limit, Use, seconds_to_wait, take
from leaderboard.accounts.sign_in import address_of
from leaderboard.web.find import WebRequest

BY_ADDRESS = Limit("guess.address", 300, timedelta(minutes=1))
BY_PERSON = Limit("guess.person", 10, timedelta(minutes=5))


def guess_wait(request: WebRequest) -> int:
    """0, or the seconds until this person and this address have wrong guesses left."""
    return seconds_to_wait(*_uses(request), at=request.received_at)


def wrong_guess(request: WebRequest) -> None:
    """Count one."""
    take(*_uses(request), at=request.received_at)


def _uses(request: WebRequest) -> tuple[Use, Use]:
    return Use(BY_ADDRESS, address_of(request)), Use(BY_PERSON, str(request.user.pk))
