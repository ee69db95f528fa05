from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from leaderboard.operations.checks import faults
from leaderboard.operations.installation import version


class Command(BaseCommand):
    help = "Say everything that is wrong with this installation, each with what to do next."
    requires_system_checks = []  # they are among what is said

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"version {version()}")
        found = faults(timezone.now())
        for fault in found:
            self.stdout.write(f"{fault.code}: {fault.message('en')}")
            self.stdout.write(f"    {fault.next_step('en')}")
        if found:
            raise CommandError(f"{len(found)} faults")
        self.stdout.write("nothing is wrong")
