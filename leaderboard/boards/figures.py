"""Counts the figures of large contests, for which their pages do not wait (`models.Figures`).

Apps above add to `MORE` in their `ready()` what is counted with them.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from leaderboard.boards.models import Figures, Placement, Standing
from leaderboard.boards.shake_up import numbers_of
from leaderboard.evaluation.run import VersionFailed, Work, keeping, workable
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.ledger import taken_by_day

LARGE = 1_000  # teams on the public board
EVERY = timedelta(minutes=5)  # of 100,000 teams they take 1.8 s

MORE: dict[str, Callable[[ScoringVersion, datetime], Any]] = {}
"""By name, as JSON keeps it."""


def due_figures(at: datetime) -> ScoringVersion | None:
    """A live version of a large contest whose figures are missing or old; None: there is none."""
    fresh = Figures.objects.filter(made_at__gt=at - EVERY)
    live = workable(Work.FIGURES).filter(state=ScoringVersion.State.LIVE)
    live = live.exclude(figures__in=fresh)
    for version in live.select_related("competition", "reference_set").order_by("pk"):
        lines = Standing.objects.filter(scoring_version=version, board=Placement.Board.PUBLIC)
        if lines[LARGE : LARGE + 1].exists():
            return version
    return None


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
                "shake_up": numbers and numbers._asdict(),
                "more": {name: count(version, at) for name, count in MORE.items()},
            },
        )
    return True


class Derived(NamedTuple):
    """A kind of figure that is computed from stored rows whenever it is missing or they changed.

    `lacks`: whether one is missing at an instant; with a second instant, only submissions that were
    scored since then are asked. `make`: computes some; False if none was missing.
    """

    make: Callable[[datetime], bool]
    lacks: Callable[[datetime, datetime | None], object]
    of_files: bool = False


DERIVED = [Derived(make_next_figures, lambda at, _since: due_figures(at))]
"""The most urgent first: each is asked only if those before it had nothing to compute. An add-on
puts its own in, in its `ready()`."""
