from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from leaderboard.operations.backup import restore


class Command(BaseCommand):
    help = (
        "Put a backup into an empty installation, after reading all of it. Nothing is replaced: "
        "where somebody has an account, it is refused."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", type=Path, help="a backup, or a folder: its newest one")

    def handle(self, *args: Any, **options: Any) -> None:
        restore(options["source"], self.stdout.write)
        self.stdout.write("Restored. Start everything, and sign in as before.")
