"""What a worker's parent process does beside Celery: signs of life, and an end when it is stuck."""

import os
import time
from collections.abc import Callable
from typing import Any

import structlog
from celery import bootsteps
from celery.worker import state
from django.conf import settings
from django.db import Error, connection

from leaderboard.evaluation.health import SIGN_SECONDS, leave, sign

logger = structlog.get_logger(__name__)


class Heartbeat(bootsteps.StartStopStep):
    """Writes in the parent's event loop, so that a parent that hangs falls silent.

    A thread would be the other way: a child that is forked while it writes could never write.
    """

    requires = {"celery.worker.components:Timer"}

    def start(self, parent: Any) -> None:
        self.name = f"{parent.hostname}:{os.getpid()}"
        queue = ",".join(sorted(parent.app.amqp.queues.consume_from))
        beat(self.name, queue)
        self.timer = parent.timer.call_repeatedly(SIGN_SECONDS, beat, (self.name, queue))

    def stop(self, parent: Any) -> None:
        self.timer.cancel()
        _write(leave, name=self.name)


def beat(name: str, queue: str) -> None:
    """One sign. Without a database the worker goes on, and is taken for silent."""
    _write(sign, name=name, queue=queue)


def _write(what: Any, **names: str) -> None:
    try:
        what(**names)
    except Error as error:
        logger.warning("worker_sign_not_written", error=type(error).__name__)
    finally:
        connection.close()  # a child that is forked later must not find it open


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
