"""How often a forum is asked for what costs a while: searches of strangers, previews of members.

A search looks through all posts, and a preview formats whatever was typed: without a limit one
reader could keep every thread of the server busy. Nobody who reads or writes comes near it. Members
are known by name, so their searches are not counted: that would cost each of them five queries.
"""

from datetime import datetime, timedelta

from leaderboard.accounts.models import User
from leaderboard.accounts.rate_limits import Limit, Use, take
from leaderboard.actions.refusals import too_often

MINUTE = timedelta(minutes=1)
SEARCHES = Limit("too_many_searches", 60, MINUTE)  # a classroom shares an address
PREVIEWS = Limit("too_many_previews", 30, MINUTE)


def count_search(*, address: str, at: datetime) -> None:
    """One more search of a visitor from there. Raises Refused."""
    _count(Use(SEARCHES, f"address {address}"), at)


def count_preview(*, user: User, at: datetime) -> None:
    """One more preview of a post. Raises Refused."""
    _count(Use(PREVIEWS, str(user.pk)), at)


def _count(use: Use, at: datetime) -> None:
    if wait := take(use, at=at):
        raise too_often(use.limit, wait)
