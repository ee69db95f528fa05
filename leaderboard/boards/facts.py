"""What is found out about a board beside its bands, by the same task, for the checks of its panel.

Of the rows that everybody sees, and of no private ones before the reveal, as the bands.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from leaderboard.boards.lift import lift_of
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Switch
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.models import SplitScore
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.duplicates import alike_among

FIRST = 20  # teams whose files are compared with each other

FROM_ABOVE: dict[str, Callable[[Competition], object]] = {}
"""What apps above know of a contest, by the name of its check; as JSON keeps it, None: nothing.
Each is asked again and again, so it costs little."""


def from_above(competition: Competition) -> dict[str, object]:
    """What they say now."""
    return {name: asked(competition) for name, asked in FROM_ABOVE.items()}


def facts(
    version: ScoringVersion, board: str, instant: datetime | None, stands: Sequence[UUID]
) -> dict[str, Any]:
    """Of the submissions that stand for the ranked teams, in the board's order."""
    return {
        "signatures": _signatures(version, board, instant),
        "top_lift": _top_lift(version, board, stands),
        "copies": alike_among(version, stands[:FIRST]) if len(stands) > 1 else None,
        "switch": _switch(version, board, instant),
    }


def _signatures(version: ScoringVersion, board: str, instant: datetime | None) -> int:
    """In how many ways the totals were made that stand there."""
    standing: Any = standings_of(version, board, instant).order_by().values("submission")
    scores = SplitScore.objects.filter(
        evaluation__scoring_version=version, evaluation__submission__in=standing, split=board
    )
    return scores.order_by().values("signature").distinct().count()


def _top_lift(version: ScoringVersion, board: str, stands: Sequence[UUID]) -> float | None:
    if not stands or not is_supported(version):
        return None
    return lift_of(version, board, stands[0]).ratio


def _switch(
    version: ScoringVersion, board: str, instant: datetime | None
) -> dict[str, object] | None:
    """Who moved as this version took another's place; in a freeze only if that was before."""
    rows = Switch.objects.filter(scoring_version=version, board=board)
    newest = (rows if instant is None else rows.filter(at__lt=instant)).first()
    if newest is None:
        return None
    ranks = [(before and before[0], after and after[0]) for _, before, after in newest.moves]
    placed = [pair for pair in ranks if pair != (None, None)]
    return {
        "moved": sum(before != after for before, after in placed),
        "teams": len(placed),
        "first_stays": any(before == after == 1 for before, after in placed),
    }
