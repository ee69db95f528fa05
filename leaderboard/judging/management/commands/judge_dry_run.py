"""What judging would cost, before anything is asked."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.judging import estimate
from leaderboard.judging.estimate import DryRun
from leaderboard.judging.models import JudgeConfig
from leaderboard.judging.plan import ids_to_build, planned_ids

MOST = 10_000


class Command(BaseCommand):
    help = (
        "Print the calls, tokens and money that judging the newest submissions of a contest "
        "would take on its public rows. Asks nobody."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--submissions", type=int, default=10)
        parser.add_argument("--config", type=int, help="number of the config (default: newest)")

    def handle(self, *args: Any, **options: Any) -> None:
        number: int = options["submissions"]
        if not 0 < number <= MOST:
            raise CommandError(f"--submissions is a number from 1 to {MOST:,}.")
        configs = JudgeConfig.objects.filter(competition__slug=options["slug"])
        if options["config"] is not None:
            configs = configs.filter(number=options["config"])
        config = configs.select_related("competition").order_by("-number").first()
        if config is None:
            raise CommandError(f"There is no such judge config at {options['slug']}.")
        public = planned_ids(config, "public")
        self._say(
            config,
            "items of dialogues",
            estimate.building(config, example_ids=ids_to_build(config)[1:]),
        )
        found = estimate.dry_run(config, submissions=number, example_ids=public)
        self._say(config, f"{number} submissions", found)
        left = "within" if found.fits else "more than"
        self.stdout.write(f"{left} the {found.calls_left:,} calls that are left")

    def _say(self, config: JudgeConfig, what: str, found: DryRun) -> None:
        self.stdout.write(
            f"{config}, {what}: {found.rows:,} rows, {found.repeated:,} already answered, "
            f"{found.gated:,} without a call; {found.calls:,} calls, "
            f"about {found.input_tokens:,} + {found.output_tokens:,} tokens, "
            f"{found.micros / 1_000_000:.4f} {config.currency}"
        )
