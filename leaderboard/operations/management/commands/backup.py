from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from leaderboard.operations.backup import ExitCode, back_up
from leaderboard.operations.installation import database_name


class Command(BaseCommand):
    help = (
        "Back up database and files into a folder, while everybody goes on. Golds and private "
        "scores are in it: keep it to yourself. A file that is there already is not copied again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("target", type=Path, help="a folder; each backup is one inside")

    def handle(self, *args: Any, **options: Any) -> None:
        folder, made = back_up(options["target"], timezone.now())
        size, files = made["database"]["size"] / 1e6, made["files"]
        self.stdout.write(
            f"{folder}: {database_name()} ({size:.1f} MB), {files['number']} files "
            f"({files['size'] / 1e6:.1f} MB), {files['new']} of them new. All was read back."
        )
        if missing := made["missing"]:
            raise CommandError(
                f"The backup is made, but {len(missing)} files are lost: the store lacks them, or "
                f"has others than were handed in: {', '.join(missing)}",
                returncode=ExitCode.STORE,
            )
