"""Django's name for this app, where it is joined to the rest, and a check of its times."""

from importlib import import_module
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage

from leaderboard.operations.apps import visibility
from leaderboard.operations.installation import broken


def judging_times(**kwargs: Any) -> list[CheckMessage]:
    """HEARTBEAT x 3 < LEASE, and a chunk with one call more within the task's limits."""
    longest = settings.JUDGE_CHUNK_SECONDS + settings.JUDGE_CALL_SECONDS
    soft, hard = settings.JUDGE_SOFT_TIME_LIMIT, settings.JUDGE_TIME_LIMIT
    return broken(
        (
            settings.JUDGE_HEARTBEAT_SECONDS * 3 < settings.JUDGE_LEASE_SECONDS,
            "A healthy judge's worker could lose its lease between two heartbeats.",
            "Keep JUDGE_LEASE_SECONDS above three times JUDGE_HEARTBEAT_SECONDS.",
            "leaderboard.E004",
        ),
        (
            longest < soft < hard < visibility(),
            "A chunk of judging with its last call could be cut off, or delivered again.",
            "Keep JUDGE_CHUNK_SECONDS + JUDGE_CALL_SECONDS < 240.",
            "leaderboard.E005",
        ),
    )


class JudgingConfig(AppConfig):
    name = "leaderboard.judging"
    verbose_name = "심사 모델"

    def ready(self) -> None:
        # It needs the models, which are loaded after this file.
        import_module(f"{self.name}.seams").register()
