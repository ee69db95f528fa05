"""A system check: times of the judge that do not fit each other."""

from collections.abc import Sequence
from typing import Any

from django.apps.config import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error


def judging_times(
    app_configs: Sequence[AppConfig] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """HEARTBEAT x 3 < LEASE, and a chunk with one call more within the task's limits."""
    problems: list[CheckMessage] = []
    if not settings.JUDGE_HEARTBEAT_SECONDS * 3 < settings.JUDGE_LEASE_SECONDS:
        problems.append(
            Error(
                "A healthy judge's worker could lose its lease between two heartbeats.",
                hint="Keep JUDGE_LEASE_SECONDS above three times JUDGE_HEARTBEAT_SECONDS.",
                id="leaderboard.E004",
            )
        )
    broker: dict[str, Any] = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    visibility = broker.get("visibility_timeout", float("inf"))
    longest = settings.JUDGE_CHUNK_SECONDS + settings.JUDGE_CALL_SECONDS
    soft, hard = settings.JUDGE_SOFT_TIME_LIMIT, settings.JUDGE_TIME_LIMIT
    if not longest < soft < hard < visibility:
        problems.append(
            Error(
                "A chunk of judging with its last call could be cut off, or delivered again.",
                hint="Keep JUDGE_CHUNK_SECONDS + JUDGE_CALL_SECONDS < 240.",
                id="leaderboard.E005",
            )
        )
    return problems
