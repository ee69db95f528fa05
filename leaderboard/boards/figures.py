"""Figures over all of a large contest, for which its pages do not wait: kept by a task, and shown
with their time. Those of a smaller one are counted where they are shown.
"""

from datetime import date, datetime, timedelta

from leaderboard.boards.models import Figures, Placement, Standing
from leaderboard.evaluation.failures import Work, workable
from leaderboard.references.models import ScoringVersion

LARGE = 1_000  # teams on the public board
EVERY = timedelta(minutes=5)  # of 100,000 teams they take 1.8 s
OLDEST = timedelta(hours=1)  # beyond it, as where no worker comes by, pages count themselves


def figures(version: ScoringVersion, at: datetime) -> Figures | None:
    """Those that are kept; None: the page counts."""
    return Figures.objects.filter(scoring_version=version, made_at__gt=at - OLDEST).first()


def days_of(kept: Figures) -> dict[date, int]:
    """As `ledger.taken_by_day` counted them."""
    return {date.fromisoformat(on): number for on, number in kept.taken.items()}


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
