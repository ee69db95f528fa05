"""A brake on guessing codes and listed addresses, counted like wrong passwords.

Only wrong guesses count, so a class that joins in one minute from one address is not stopped.
"""

# The package's public wrapper never counts a GET, and `/join/<code>` answers one.
from allauth.core.internal import ratelimit

from leaderboard.web.request import WebRequest


def may_guess(request: WebRequest) -> bool:
    """Whether this person and this address have wrong guesses left (`ACCOUNT_RATE_LIMITS`)."""
    return _count(request, dry_run=True)


def wrong_guess(request: WebRequest) -> None:
    """Count one."""
    _count(request, dry_run=False)


def _count(request: WebRequest, *, dry_run: bool) -> bool:
    usage = ratelimit.consume(
        request, app="allauth.account", action="join_guess", limit_get=True, dry_run=dry_run
    )
    return usage is not None
