"""Counting the figures of a large contest; see `figures`."""

from contextlib import suppress
from dataclasses import asdict
from datetime import datetime

from leaderboard.boards.figures import due_figures
from leaderboard.boards.models import Figures
from leaderboard.boards.shake_up import numbers_of
from leaderboard.evaluation.failures import VersionFailed, Work, keeping
from leaderboard.insight.lights import found_lights
from leaderboard.submissions.ledger_lines import taken_by_day


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
                "lights": found_lights(version, at).kept(),
                "shake_up": numbers and asdict(numbers),
            },
        )
    return True
