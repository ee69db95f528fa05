"""How far this host's clock is off the database's, which all hosts share.

Every decision goes by the host's clock, which NTP sets. A difference is said and changes nothing:
`/readyz?verbose`, the doctor and the log say it.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import structlog
from django.db import connection
from django.utils import timezone

log = structlog.get_logger(__name__)

SAID = timedelta(seconds=2)  # a larger difference is said


class ClockDifference(NamedTuple):
    """How far this host's clock is ahead of the database's; negative: behind."""

    ahead: timedelta
    is_said: bool

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
    found = ClockDifference(ahead, is_said=abs(ahead) > SAID)
    if found.is_said:
        log.warning("clock.differs", ahead_seconds=ahead.total_seconds())
    return found
