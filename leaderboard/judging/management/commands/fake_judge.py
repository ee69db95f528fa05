"""Start a fake judge server, to try judge columns without a key."""

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.judging.fake.faults import FAULTS
from leaderboard.judging.fake.server import FakeJudge


class Command(BaseCommand):
    """Needs no database and no model."""

    help = (
        "Serve chat/completions on this machine with made-up answers that only compare words: a "
        "fake judge, for trying judge columns without a key. Its scores mean nothing."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8199)
        parser.add_argument(
            "--fault",
            action="append",
            choices=sorted(FAULTS),
            default=[],
            help="disturb the answers of this server; repeat for several, one after another",
        )
        parser.add_argument(
            "--times", type=int, default=None, help="how many answers each fault disturbs (all)"
        )
        parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
        parser.add_argument(
            "--slow", type=float, default=5.0, help="seconds that a slow answer takes"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            server = FakeJudge(options["port"])
            faults = [{"fault": name, "times": options["times"]} for name in options["fault"]]
            server.control({"faults": faults, "delay": options["delay"], "slow": options["slow"]})
        except (OSError, OverflowError, ValueError) as error:
            raise CommandError(f"port {options['port']}: {error}") from error
        self.stdout.write(
            f"가짜 심사 서버 (a fake judge, its scores mean nothing): {server.base_url}"
        )
        self.stdout.flush()
        os.nice(10)  # a real judge is another machine and takes none of this one's time
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            self.stdout.write("stopped")
        finally:
            server.server_close()
