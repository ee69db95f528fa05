from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from leaderboard.boards.standings import place_all, places, stored
from leaderboard.competitions.locking import lock_one
from leaderboard.references.models import ScoringVersion
from leaderboard.teams.models import Team


class Command(BaseCommand):
    help = "Recompute every standing from its scores. --check compares and changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="compare only; exit 1 if any row differs"
        )
        parser.add_argument("--competition", help="only this slug")

    def handle(self, *args: Any, **options: Any) -> None:
        states = (ScoringVersion.State.LIVE, ScoringVersion.State.REHEARSING)
        versions = ScoringVersion.objects.filter(state__in=states).select_related("competition")
        if options["competition"]:
            versions = versions.filter(competition__slug=options["competition"])
        seen, different = 0, 0
        for version in versions:
            for team in Team.objects.filter(competition=version.competition_id):
                seen += 1
                with transaction.atomic():
                    # The lock keeps a scoring from landing between the two reads.
                    locked = lock_one(Team.objects.filter(pk=team.pk))
                    if options["check"]:
                        wanted = places(teams=[locked], version=version)[team.pk]
                        if stored(teams=[locked], version=version).get(team.pk, {}) != wanted:
                            different += 1
                            named = f"{version.competition.slug} {version} team {team.pk}"
                            self.stderr.write(f"differs: {named}")
                    else:
                        place_all(teams=[locked], version=version)
        if different:
            raise CommandError(f"{different} of {seen} standings differ from their scores.")
        done = "equal their scores" if options["check"] else "rebuilt"
        self.stdout.write(f"{seen} standings (teams × versions) {done}.")
