"""Fill a new installation with the demo contests, with a fake judge's where there is one."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from leaderboard.demo.seed import seed
from leaderboard.demo.seed_judged import seed_judged


class Command(BaseCommand):
    help = "Make the demo contests, people and submissions that are missing. Safe to run again."

    def handle(self, *args: Any, **options: Any) -> None:
        number = seed(at=timezone.now())
        if settings.JUDGE == "fake":
            number += seed_judged(at=timezone.now())
        self.stdout.write(f"demo ready: {number} submissions")
