"""The base of all tasks: ringing the bell can fail, the request that rang cannot.

A message only says "there is work"; the row in the database is the truth and the sweeper rings
again. So a broker that is down costs seconds of waiting, never an accepted upload. Celery's own
`delay_on_commit` lets the broker's error leave `atomic()` after the commit: a 500 for a kept row.
"""

from typing import Any

import structlog
from celery.contrib.django.task import DjangoTask
from django.db import transaction

log = structlog.get_logger(__name__)


class Task(DjangoTask):
    """A task whose `delay_on_commit` never raises."""

    def delay_on_commit(self, *args: Any, **kwargs: Any) -> None:
        """Ring once the surrounding transaction has committed; at once if there is none."""
        transaction.on_commit(lambda: self.ring(*args, **kwargs))

    def ring(self, *args: Any, **kwargs: Any) -> bool:
        """Publish now. False (and a line in the log) when the broker did not take the message."""
        try:
            self.apply_async(args, kwargs)
        except Exception as error:  # brokers raise their own families of error
            log.warning("ring.failed", task=self.name, error=type(error).__name__)
            return False
        return True
