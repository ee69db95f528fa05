"""A worker's signs of life, written by its parent process (see `evaluation/workers`)."""

import os
from typing import Any

import structlog
from celery import bootsteps
from django.db import Error, connection

from leaderboard.evaluation.workers import SIGN_SECONDS, leave, sign

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
