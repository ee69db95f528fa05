"""The Celery application: `celery -A leaderboard worker`; and waking workers by it.

A worker is woken after the commit, and never with an error for the request that woke it. A message
only says "there is work"; the row in the database is the truth and the sweeper wakes again. So a
broker that is down costs seconds of waiting, never an accepted upload. Celery's own
`delay_on_commit` lets the broker's error leave `atomic()` after the commit, a 500 for a kept row,
and called too early it wakes a worker that finds nothing yet; nobody calls it.

Never run this file by its path: its folder would shadow the celery package.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from celery import Celery
from celery.contrib.django.task import DjangoTask
from django.db import transaction
from kombu.connection import Connection
from kombu.transport import TRANSPORT_ALIASES

# Before Celery(): without it the Django fixup, which minds database connections, stays off.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

# kombu refuses a dotted path as a URL scheme, so the folder broker gets a short name.
TRANSPORT_ALIASES["folder"] = "leaderboard.worker.broker:FolderTransport"

# Of a Redis that stands still, an upload waits out four of these; the sweeper wakes for it.
HASTE = {"socket_connect_timeout": 0.4, "socket_timeout": 0.4}  # seconds

log = structlog.get_logger(__name__)


class Task(DjangoTask):
    """A task whose `wake` never raises."""

    def wake(self, *args: Any, **kwargs: Any) -> bool:
        """Publish now. False (and a line in the log) when the broker did not take the message."""
        try:
            self.apply_async(args, kwargs)
        except Exception as error:  # brokers raise their own families of error
            log.warning("wake.failed", task=self.name, error=type(error).__name__)
            return False
        return True


class Leaderboard(Celery):
    """Celery whose messages are sent in haste: somebody's upload waits for them."""

    def connection_for_write(self, url: str | None = None, **kwargs: Any) -> Connection:
        """A connection that gives up soon. The worker's own, for reading, may be silent longer."""
        connection: Connection = super().connection_for_write(url, **kwargs)
        if connection.get_transport_cls().driver_type == "redis":
            connection.transport_options = {**(connection.transport_options or {}), **HASTE}
        return connection


app = Leaderboard("leaderboard", task_cls=Task)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()  # of each installed app: `<app>/tasks.py`


def broker_trouble(*, sends: bool = False) -> str:
    """Why the broker takes no connection, or ""; `sends`: or does not give back a message."""
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, interval_start=0)
            if sends:
                with connection.SimpleBuffer("doctor") as queue:
                    queue.put({"sent": "by the doctor"})
                    queue.get(timeout=3)
    except Exception as error:  # brokers raise their own families of error
        log.warning("broker.unreachable", error=type(error).__name__)
        return type(error).__name__
    return ""


@contextmanager
def waking(task: Task) -> Iterator[None]:
    """Do something, commit it, wake a worker for it: the only way for web to wake one.

    The message goes out at the block's end, and not before the commit if a transaction surrounds
    it. Where the block raises or the transaction rolls back, nothing was done and nobody is woken.
    """
    yield
    transaction.on_commit(task.wake)
