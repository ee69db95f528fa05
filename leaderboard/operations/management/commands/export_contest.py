from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from leaderboard.competitions.models import Competition
from leaderboard.competitions.storage import private
from leaderboard.contest_file.export import Damaged, export_competition, package
from leaderboard.contest_file.packing import write_zip


class Command(BaseCommand):
    help = (
        "Write a contest to a new ZIP: contest.yaml with golds and data files. It holds golds, so "
        "keep it to yourself."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("target", type=Path, help="a ZIP that is not there yet")
        parser.add_argument(
            "--full", action="store_true", help="also people, teams, submissions and the ledger"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        target: Path = options["target"]
        try:
            competition = Competition.objects.get(slug=options["slug"])
            packed = package(competition, full=options["full"])
            with open(target, "xb", opener=private) as out:
                try:
                    number = write_zip(packed, out)
                except BaseException:
                    target.unlink()
                    raise
        except Competition.DoesNotExist:
            raise CommandError(f"There is no contest at {options['slug']}.") from None
        except (Damaged, OSError) as error:
            raise CommandError(str(error)) from None
        export_competition(
            competition=competition, user=None, full=options["full"], at=timezone.now()
        )
        self.stdout.write(f"{number} files in {target}")
