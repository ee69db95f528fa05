from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from leaderboard.demo.seed import seed


class Command(BaseCommand):
    help = "Make the demo contests, people and submissions that are missing. Safe to run again."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"demo ready: {seed(at=timezone.now())} submissions")
