from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import override

from leaderboard.accounts.models import User
from leaderboard.contest_file.check import explained, plan
from leaderboard.contest_file.import_competition import import_competition
from leaderboard.contest_file.packing import Archive, Wrong
from leaderboard.refusals import Refused


class Command(BaseCommand):
    help = (
        "Check a contest's file, say what it would make, and make it. Ids, times and the ledger "
        "stay; missing people get accounts without a password; the worker scores everything anew."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", type=Path, help="the ZIP of a contest")
        parser.add_argument(
            "--owner", required=True, help="runs the contest, unless the file names an owner"
        )
        parser.add_argument(
            "--as", dest="slug", help="another address; then everything gets new ids"
        )
        parser.add_argument("--dry-run", action="store_true", help="explain only, write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = User.objects.filter(username=options["owner"]).first()
        if owner is None:
            raise CommandError(f"There is no account {options['owner']}.")
        try:
            with override("en"), options["source"].open("rb") as file:
                self._import(Archive(file), owner, options)
        except (Wrong, OSError) as error:
            raise CommandError(str(error)) from None

    def _import(self, source: Archive, owner: User, options: dict[str, Any]) -> None:
        found = plan(source, slug=options["slug"])
        for line in explained(found):
            self.stdout.write(line)
        if found.contest is None:
            raise CommandError("Nothing was imported.")
        if options["dry_run"]:
            self.stdout.write("Nothing was written: this was a dry run.")
            return
        try:
            import_competition(contest=found.contest, owner=owner, asked_by=None, at=timezone.now())
        except Refused as refusal:
            raise CommandError(refusal.whole("en")) from None
        self.stdout.write(f"imported: {found.slug}")
