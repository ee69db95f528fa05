"""The database's clock is the one that all hosts share; how far this host's is off is said.

A host whose clock is wrong would take a late file as on time and open the results early. So what is
decided by a date is refused there (`web.middleware.BeforeView`), and workers and the sweeper go by
the database's time.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import structlog
from django.db import connection
from django.utils import timezone

log = structlog.get_logger(__name__)

SAID = timedelta(seconds=2)  # a larger difference is told
WRONG = timedelta(seconds=30)  # with a larger one nothing is decided by this host's clock

# For so long pages go by what was last found. A clock that jumps is noticed by then.
KEPT_SECONDS = 10.0


class ClockDifference(NamedTuple):
    """How far this host's clock is ahead of the database's; negative: behind."""

    ahead: timedelta
    is_said: bool
    is_wrong: bool

    @property
    def is_ahead(self) -> bool:
        return self.ahead > timedelta()

    @property
    def seconds(self) -> float:
        """Its size to the tenth of a second, without a direction."""
        return round(abs(self.ahead).total_seconds(), 1)


def difference(host: Callable[[], datetime] | None = None) -> ClockDifference:
    """One question to the database; `host` is this host's clock. What is to be said is logged.

    How long the answer took is no difference: whatever lies between question and answer is right.
    """
    host = host or timezone.now
    before = host()
    if connection.vendor == "sqlite":
        database = datetime.fromtimestamp(time.time(), UTC)  # a library in this process
    else:
        with connection.cursor() as cursor:
            # The instant of the asking, not that of the transaction around it.
            cursor.execute("SELECT clock_timestamp()")
            (database,) = cursor.fetchone()
    after = host()
    ahead = before - database if database < before else min(after - database, timedelta())
    found = ClockDifference(ahead, is_said=abs(ahead) > SAID, is_wrong=abs(ahead) > WRONG)
    if found.is_said:
        log.warning("clock.differs", ahead_seconds=ahead.total_seconds())
    return found


_last: dict[str, tuple[float, ClockDifference]] = {}


def lately() -> ClockDifference:
    """The same, at most ten seconds old: for pages, which should not ask each time."""
    kept = _last.get(connection.alias)
    if kept is not None and time.monotonic() < kept[0]:
        return kept[1]
    found = difference()
    if connection.vendor != "sqlite":  # there is nobody to ask there, and nothing to save
        _last[connection.alias] = time.monotonic() + KEPT_SECONDS, found
    return found


def shared() -> Callable[[], datetime]:
    """A clock for one turn of work: this host's, put right by the database's as it is now."""
    ahead = difference().ahead
    return lambda: timezone.now() - ahead
