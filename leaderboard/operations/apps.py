"""Registers the start-up checks, and how long lists travel."""

from django.apps import AppConfig
from django.core import checks

from leaderboard.operations import long_lists, startup


class OperationsConfig(AppConfig):
    name = "leaderboard.operations"

    def ready(self) -> None:
        long_lists.register()
        checks.register(startup.scoring_times)
        checks.register(startup.queue_folder)
        checks.register(startup.default_analyzer)
