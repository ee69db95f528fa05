"""Signs of life that pages, workers and the sweeper leave in the database for operators."""

import os
import socket
import time
from collections.abc import Callable
from threading import Thread

import structlog
from django.db import Error, connection
from django.utils import timezone

from leaderboard.evaluation.health import SIGN_SECONDS, leave, sign
from leaderboard.operations.version import version

logger = structlog.get_logger(__name__)


def own_name(work: str, process: int | None = None) -> str:
    """Such as `web@host:4711`, of this process or of another one of this host."""
    return f"{work}@{socket.gethostname()}:{process or os.getpid()}"


def show(name: str, work: str) -> None:
    """One sign. Without a database the process goes on, and is taken for silent."""
    _write(lambda: sign(name=name, queue=work, version=version(), clock_at=timezone.now()))


def take_away(name: str) -> None:
    """The last one, of who ends as it should."""
    _write(lambda: leave(name=name))


def _write(what: Callable[[], None]) -> None:
    try:
        what()
    except Error as error:
        logger.warning("sign_not_written", error=type(error).__name__)


def show_beside_pages() -> None:
    """A thread for the signs of this gunicorn, whose processes share one name."""
    Thread(target=_show_on, args=(own_name("web", os.getppid()),), daemon=True).start()


def _show_on(name: str) -> None:
    while True:
        show(name, "web")
        connection.close()
        time.sleep(SIGN_SECONDS)
