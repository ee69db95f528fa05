from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.contest_file.check import explained
from leaderboard.contest_file.cloning import clone
from leaderboard.contest_file.export import Damaged, export_competition
from leaderboard.contest_file.import_competition import import_competition
from leaderboard.refusals import Refused


class Command(BaseCommand):
    help = (
        "Clone a contest under a new address with new ids. Its dates move together by whole weeks "
        "into the future, or to --opens-at; its live golds become a draft."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("new_slug")
        parser.add_argument("--owner", required=True, help="runs the new contest")
        parser.add_argument(
            "--opens-at", type=datetime.fromisoformat, help="like 2027-03-02T10:00+09:00"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        opens_at: datetime | None = options["opens_at"]
        if opens_at is not None and opens_at.tzinfo is None:
            raise CommandError("--opens-at needs its distance from UTC, like +09:00.")
        at, slug = timezone.now(), options["new_slug"]
        try:
            competition = Competition.objects.get(slug=options["slug"])
            owner = User.objects.get(username=options["owner"])
            found = clone(competition, slug=slug, opens_at=opens_at, at=at)
            for line in explained(found):
                self.stdout.write(line)
            if found.contest is None:
                raise CommandError("Nothing was made.")
            export_competition(competition=competition, user=None, full=False, clone=slug, at=at)
            import_competition(contest=found.contest, owner=owner, asked_by=None, at=at)
        except (Competition.DoesNotExist, User.DoesNotExist, Damaged) as error:
            raise CommandError(str(error)) from None
        except Refused as refusal:
            raise CommandError(refusal.whole("en")) from None
        self.stdout.write(f"cloned: {found.slug}")
