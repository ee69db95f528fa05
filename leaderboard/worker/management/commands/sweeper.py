"""The only clock of the product: a plain loop that needs no broker."""

import signal
import sys
import time
from collections.abc import Sequence
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import Error, close_old_connections, connection
from django.utils import timezone

from leaderboard import logs
from leaderboard.evaluation.health import SIGN_SECONDS
from leaderboard.operations import signs
from leaderboard.operations.checks import clock_ahead
from leaderboard.worker.sweep import STEPS, Step, steps_of_a_loop, sweep

logger = structlog.get_logger(__name__)
LONGEST_ROUND_SECONDS = 120.0  # mails alone may take half of it


class Command(BaseCommand):
    help = "Repair what lost messages and lost workers left behind, every SWEEP_SECONDS."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="one round, then leave")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            self._round(STEPS)
            return
        # Leaving in the middle of a round is harmless: each write is one transaction, and each step
        # may run again. (Waiting for an Event that a signal handler sets could wait for ever.)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: sys.exit(0))
        if connection.vendor == "sqlite":
            # The last connection to close takes SQLite's log files along, and on a full disk nobody
            # could open the database without them, not even to read. This one stays.
            connection.settings_dict["CONN_MAX_AGE"] = None
        steps, name = steps_of_a_loop(), signs.own_name("sweeper")
        patience = settings.SWEEP_SECONDS + LONGEST_ROUND_SECONDS
        shown_at = 0.0
        try:
            while True:
                self._round(steps)
                signs.touch("sweeper", patience)  # also of one that failed
                if time.monotonic() - shown_at >= SIGN_SECONDS:
                    signs.show(name, "sweeper")
                    shown_at = time.monotonic()
                time.sleep(settings.SWEEP_SECONDS)
        finally:
            signs.take_away(name)

    def _round(self, steps: Sequence[tuple[str, Step]]) -> None:
        close_old_connections()
        try:
            clock_ahead()  # the log says a large one
        except Error as error:  # as every step would find; the next round may not
            logger.error("not_swept", **logs.origin(error))
            return
        found = {name: number for name, number in sweep(timezone.now(), steps).items() if number}
        if found:
            logger.info("swept", **found)
