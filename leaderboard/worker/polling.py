"""Workers also ask the database by themselves: a broker may be gone for hours.

A message is taken within a tenth of a second. If a submission waits for seconds, its message was
lost, so each idle child asks every few seconds, whatever the state of the broker.
"""

import random
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from threading import Event, Lock, Thread

import structlog
from django.db import connections

from leaderboard import logs
from leaderboard.evaluation.queries import waits_since

logger = structlog.get_logger(__name__)

POLL_SECONDS = 5.0
UNHEARD = timedelta(seconds=POLL_SECONDS)
PATIENCE = 30.0  # seconds for the file at hand when the child is asked to end

turn = Lock()
"""One of a child's two threads scores at a time: an analyzer is not made for both."""


class Polling(Thread):
    """Thread of a child: take submissions that waited longer than a message needs."""

    def __init__(self, take: Callable[[], bool], now: Callable[[], datetime]) -> None:
        super().__init__(name="polling", daemon=True)
        self._take, self._now = take, now
        self._ends = Event()

    def run(self) -> None:
        # Children that were started together should not ask together.
        while not self._ends.wait(POLL_SECONDS * random.uniform(0.5, 1.5)):  # noqa: S311
            try:
                self.look()
            except Exception as error:  # the database is away, too, or what nobody foresaw
                logger.warning("poll_failed", **logs.origin(error))
            finally:
                connections.close_all()

    def look(self) -> int:
        """Score waiting submissions, one after the other. Return how many."""
        taken = 0
        while not self._ends.is_set() and turn.acquire(blocking=False):
            try:
                if not waits_since(self._now() - UNHEARD) or not self._take():
                    break
                taken += 1
            finally:
                turn.release()
        if taken:
            logger.info("polled", scored=taken)
        return taken

    def stop(self) -> None:
        """Take no further submission, and wait for the current one."""
        self._ends.set()
        with suppress(RuntimeError):  # it was never started
            self.join(PATIENCE)
