"""Counting the figures of a large contest; see `figures`."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from typing import Any

from leaderboard.boards.figures import due_figures
from leaderboard.boards.models import Figures
from leaderboard.boards.shake_up import numbers_of
from leaderboard.evaluation.failures import VersionFailed, Work, keeping
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.ledger import taken_by_day

MORE: dict[str, Callable[[ScoringVersion, datetime], Any]] = {}
"""What apps above count beside them, as JSON keeps it; each adds its own in its `ready()`."""


def make_next_figures(at: datetime) -> bool:
    """Of one contest that is due; False when none is. Safe to run twice, and beside itself."""
    version = due_figures(at)
    if version is None:
        return False
    with suppress(VersionFailed), keeping(version, Work.FIGURES):
        numbers = numbers_of(version)
        taken = taken_by_day(version.competition)
        Figures.objects.update_or_create(
            scoring_version=version,
            defaults={
                "made_at": at,
                "taken": {on.isoformat(): number for on, number in taken.items()},
                "shake_up": numbers and asdict(numbers),
                "more": {name: count(version, at) for name, count in MORE.items()},
            },
        )
    return True
