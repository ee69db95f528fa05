"""Signs of life that pages, workers and the sweeper leave in the database for operators, and in a
file of this machine for health checks (`alive`).
"""

import os
import socket
import time
from collections.abc import Callable
from datetime import timedelta
from threading import Thread

import structlog
from django.conf import settings
from django.db import Error, connection
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.evaluation.health import SIGN_SECONDS, SILENT_AFTER, sign
from leaderboard.evaluation.models import Worker
from leaderboard.operations import alive
from leaderboard.operations.installation import version

logger = structlog.get_logger(__name__)


def own_name(work: str, process: int | None = None) -> str:
    """Such as `web@host:4711`, of this process or of another one of this host."""
    return f"{work}@{socket.gethostname()}:{process or os.getpid()}"


def show(name: str, work: str) -> None:
    """Save one sign of life. Without a database the process goes on, and counts as silent."""
    _write(lambda: sign(name=name, queue=work, version=version(), clock_at=timezone.now()))


def touch(which: str, seconds: float = SILENT_AFTER.total_seconds()) -> None:
    """Touch the file for `which`, as `alive` names it; the next touch comes within `seconds`."""
    try:
        alive.show(settings.DATA_DIR, which, seconds)
    except OSError as error:
        logger.warning("sign_not_touched", error=type(error).__name__)


def show_for_parent(name: str) -> None:
    """Sign for the parent in a child that polls, while the parent waits for a broker that is away:
    submissions are scored, so nobody has to restart this worker.
    """

    def sign_on() -> None:
        touch(name.partition("@")[0])
        _write(lambda: vouch(name))

    _forever(sign_on)


def vouch(name: str) -> None:
    """Renew the parent's last sign if it is late. Never sign first: the parent may have ended."""
    late = Worker.objects.filter(
        name=name, last_sign_at__lt=Now() - timedelta(seconds=1.5 * SIGN_SECONDS)
    )
    if late.exists():
        late.update(last_sign_at=Now(), clock_at=timezone.now())


def take_away(name: str) -> None:
    """Delete the sign of a process that ends in order."""
    _write(lambda: Worker.objects.filter(name=name).delete())


def _write(what: Callable[[], object]) -> None:
    try:
        what()
    except Error as error:
        logger.warning("sign_not_written", error=type(error).__name__)


def show_beside_pages() -> None:
    """Start a thread that signs for this gunicorn, whose processes share one name."""
    name = own_name("web", os.getppid())
    _forever(lambda: show(name, "web"))


def _forever(sign_on: Callable[[], None]) -> None:
    def run() -> None:
        while True:
            sign_on()
            connection.close()
            time.sleep(SIGN_SECONDS)

    Thread(target=run, daemon=True).start()
