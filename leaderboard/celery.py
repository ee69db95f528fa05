"""The Celery application: `celery -A leaderboard worker`.

Never run this file by its path: its folder would shadow the celery package.
"""

import os
from typing import Any

from celery import Celery
from kombu.connection import Connection
from kombu.transport import TRANSPORT_ALIASES

# Before Celery(): without it the Django fixup, which minds database connections, stays off.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

# kombu refuses a dotted path as a URL scheme, so the folder broker gets a short name. Redis, with
# and without TLS, is kombu's own but for a look at each message.
TRANSPORT_ALIASES["folder"] = "leaderboard.worker.filesystem:Transport"
TRANSPORT_ALIASES["redis"] = "leaderboard.worker.redis_queue:Transport"
TRANSPORT_ALIASES["rediss"] = "leaderboard.worker.redis_queue:Transport"

# Of a Redis that stands still, an upload waits out four of these; the sweeper rings for it.
HASTE = {"socket_connect_timeout": 0.4, "socket_timeout": 0.4}  # seconds


class Leaderboard(Celery):
    """Celery whose messages are sent in haste: somebody's upload waits for them."""

    def connection_for_write(self, url: str | None = None, **kwargs: Any) -> Connection:
        """A connection that gives up soon. The worker's own, for reading, may be silent longer."""
        connection: Connection = super().connection_for_write(url, **kwargs)
        if connection.get_transport_cls().driver_type == "redis":
            connection.transport_options = {**(connection.transport_options or {}), **HASTE}
        return connection


app = Leaderboard("leaderboard", task_cls="leaderboard.worker.ring:Task")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()  # of each installed app: `<app>/tasks.py`
