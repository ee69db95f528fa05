"""Registers the start-up checks."""

from django.apps import AppConfig
from django.core import checks

from leaderboard.operations import startup


class OperationsConfig(AppConfig):
    name = "leaderboard.operations"

    def ready(self) -> None:
        checks.register(startup.scoring_times)
        checks.register(startup.judging_times)
        checks.register(startup.queue_folder)
        checks.register(startup.default_analyzer)
