"""Waking workers: after the commit, and never with an error for the request that woke.

A message only says "there is work"; the row in the database is the truth and the sweeper wakes
again. So a broker that is down costs seconds of waiting, never an accepted upload. Celery's own
`delay_on_commit` lets the broker's error leave `atomic()` after the commit, a 500 for a kept row,
and called too early it wakes a worker that finds nothing yet; nobody calls it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from celery.contrib.django.task import DjangoTask
from django.db import transaction

log = structlog.get_logger(__name__)


class Task(DjangoTask):
    """A task whose `ring` never raises."""

    def ring(self, *args: Any, **kwargs: Any) -> bool:
        """Publish now. False (and a line in the log) when the broker did not take the message."""
        try:
            self.apply_async(args, kwargs)
        except Exception as error:  # brokers raise their own families of error
            log.warning("ring.failed", task=self.name, error=type(error).__name__)
            return False
        return True


@contextmanager
def waking(task: Task) -> Iterator[None]:
    """Do something, commit it, wake a worker for it: the only way for web to wake one.

    The message goes out at the block's end, and not before the commit if a transaction surrounds
    it. Where the block raises or the transaction rolls back, nothing was done and nobody is woken.
    """
    yield
    transaction.on_commit(task.ring)
