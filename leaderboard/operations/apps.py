"""What a process looks at and sets up when it starts: mistakes of an operator are found before
the first request, and long lists travel as one value.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error

from leaderboard.operations import long_lists
from scoring import tokenizers
from scoring.profile import Profile


class OperationsConfig(AppConfig):
    name = "leaderboard.operations"

    def ready(self) -> None:
        long_lists.register()
        for check in (scoring_times, queue_folder, default_analyzer):
            checks.register(check)


def scoring_times(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """HEARTBEAT x 3 < LEASE and SOFT < HARD < visibility timeout, or work is done twice."""
    problems: list[CheckMessage] = []
    if not settings.SCORING_HEARTBEAT_SECONDS * 3 < settings.SCORING_LEASE_SECONDS:
        problems.append(
            Error(
                "A healthy worker could lose its lease between two heartbeats.",
                hint="Keep SCORING_LEASE_SECONDS above three times SCORING_HEARTBEAT_SECONDS.",
                id="leaderboard.E001",
            )
        )
    broker: dict[str, Any] = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    visibility = broker.get("visibility_timeout", float("inf"))
    soft, hard = settings.CELERY_TASK_SOFT_TIME_LIMIT, settings.CELERY_TASK_TIME_LIMIT
    if not soft < hard < visibility:
        problems.append(
            Error(
                "The broker would deliver a task again while it is still running.",
                hint="Keep soft time limit < time limit < visibility timeout.",
                id="leaderboard.E002",
            )
        )
    return problems


def queue_folder(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """The folder broker takes a message by a rename, which is whole only on one filesystem."""
    broker: dict[str, Any] = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    folder = broker.get("folder")
    if folder is None or not Path(folder).is_dir():
        return []  # another broker, or the folder is made by the first connection
    inside = [child for child in Path(folder).iterdir() if child.is_dir()]
    if all(child.stat().st_dev == Path(folder).stat().st_dev for child in inside):
        return []
    return [
        Error(
            f"A folder inside {folder} lies on another filesystem.",
            hint="Put the whole queue folder on one local filesystem.",
            id="leaderboard.E003",
        )
    ]


def default_analyzer(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """The engine of the default analyzer is the one its signature names."""
    try:
        tokenizers.signature(Profile().tokenizer)
    except tokenizers.TokenizerUnavailable as error:
        return [Error(str(error), id="leaderboard.E006")]
    return []
