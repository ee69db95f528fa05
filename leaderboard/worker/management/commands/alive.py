"""A health check for what has no port: the last sign of a process of this machine."""

import socket
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models.functions import Now

from leaderboard.evaluation.health import SILENT_AFTER
from leaderboard.evaluation.models import Worker

LONGEST_ROUND_SECONDS = 120.0  # mails alone may take half of it


class Command(BaseCommand):
    help = "Exit code 0 when a worker or the sweeper of this host shows itself."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("which", help="worker, sweeper, or a worker's own name before its @")

    def handle(self, *args: Any, **options: Any) -> None:
        which = options["which"]
        if not (_sweeps() if which == "sweeper" else _works(which)):
            raise CommandError(f"no sign of a {which} on {socket.gethostname()}")


def sweeper_sign() -> Path:
    """The file that a sweeper of this host touches after each round, also of one that failed."""
    return Path(settings.DATA_DIR) / f"sweeper@{socket.gethostname()}.sign"


def _sweeps() -> bool:
    sign = sweeper_sign()
    patience = settings.SWEEP_SECONDS + LONGEST_ROUND_SECONDS
    return sign.exists() and time.time() - sign.stat().st_mtime < patience


def _works(which: str) -> bool:
    """Celery's name of a worker stands before the host's; it is `celery` where none was given."""
    name = "celery" if which == "worker" else which
    of_this_host = Worker.objects.filter(name__startswith=f"{name}@{socket.gethostname()}:")
    return of_this_host.filter(last_sign_at__gte=Now() - SILENT_AFTER).exists()
