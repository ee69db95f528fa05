"""Ends a worker whose pool lost a message, so that whoever started it starts it again.

Seen with Celery 5.7: when all children are killed within one moment (as the kernel does when memory
runs out), the parent may keep a message that no child ever takes, and then serve nothing any more
while looking alive. The rows are safe, their leases run out; only a new parent can score them.
"""

import os
import time
from collections.abc import Callable
from typing import Any

import structlog
from celery import bootsteps
from celery.worker import state
from django.conf import settings

logger = structlog.get_logger(__name__)

LOOK_SECONDS = 2.0


class Watch:
    """Remembers since when each reserved message waits for a child."""

    def __init__(self, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience
        self._clock = clock
        self._since: dict[str, float] = {}

    def stuck(self, reserved: set[str], started: set[str]) -> bool:
        """Whether a message was reserved for longer than `patience` seconds without a start.

        >>> now = [0.0]
        >>> watch = Watch(90, lambda: now[0])
        >>> watch.stuck({"a"}, set())
        False
        >>> now[0] = 91.0
        >>> watch.stuck({"a"}, {"a"}), watch.stuck({"a"}, set())
        (False, False)
        >>> now[0] = 182.0
        >>> watch.stuck({"a"}, set())
        True
        """
        now = self._clock()
        waiting = reserved - started
        self._since = {name: self._since.get(name, now) for name in waiting}
        return any(now - since > self._patience for since in self._since.values())


class Watchdog(bootsteps.StartStopStep):
    """Looks at the parent's own bookkeeping; runs in the parent's event loop."""

    requires = {"celery.worker.components:Timer"}

    def start(self, parent: Any) -> None:
        watch = Watch(settings.WORKER_STUCK_SECONDS)
        self.timer = parent.timer.call_repeatedly(LOOK_SECONDS, look, (watch,))

    def stop(self, parent: Any) -> None:
        self.timer.cancel()


def look(watch: Watch) -> None:
    """One look. A stuck parent cannot shut down in order: its children will never answer."""
    reserved = {request.id for request in state.reserved_requests}
    started = {request.id for request in state.active_requests}
    if watch.stuck(reserved, started):
        logger.error("worker_stuck", reserved=len(reserved), started=len(started))
        os._exit(1)
