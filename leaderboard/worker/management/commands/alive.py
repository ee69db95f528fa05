"""A health check for what has no port: the last sign of a process of this machine."""

import socket
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.operations import alive


class Command(BaseCommand):
    help = (
        "Exit code 0 when a worker or the sweeper of this host shows itself. A health check asks "
        "without Django: python -IS leaderboard/operations/alive.py worker"
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("which", help="worker, sweeper, or a worker's own name before its @")

    def handle(self, *args: Any, **options: Any) -> None:
        if not alive.lives(settings.DATA_DIR, options["which"]):
            raise CommandError(f"no sign of a {options['which']} on {socket.gethostname()}")
