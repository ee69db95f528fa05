"""How far this host's clock is off the database's, which all hosts share.

Every decision goes by the host's clock, which NTP sets. A difference is said and changes nothing:
`/readyz?verbose`, the doctor and the log say it.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import structlog
from django.db import connection
from django.utils import timezone

log = structlog.get_logger(__name__)

SAID = timedelta(seconds=2)  # a larger difference is said


def ahead(host: Callable[[], datetime] | None = None) -> timedelta:
    """How far this host's clock (`host`) is ahead of the database's; negative: behind.

    Asks the database once, and logs a difference above SAID. The time that the answer took is no
    difference: every value between question and answer is right.
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
    found = before - database if database < before else min(after - database, timedelta())
    if abs(found) > SAID:
        log.warning("clock.differs", ahead_seconds=found.total_seconds())
    return found
