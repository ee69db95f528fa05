"""What is found out about a board beside its bands, by the same task, for the checks of its panel.

Of the rows that everybody sees, and of no private ones before the reveal, as the bands.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import numpy as np

from leaderboard.boards.checks import CHECKS
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Switch
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.claim import is_supported
from leaderboard.evaluation.models import SplitScore
from leaderboard.evaluation.queries import each_row_values
from leaderboard.evaluation.run import kept_tokens, prepared_references
from leaderboard.insight.duplicates import alike_among
from leaderboard.insight.lift import lift_of
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.queries import texts
from scoring.insight import ways

FIRST = 20  # teams whose files are compared with each other
MOST = 100  # whose files are scored by each reference alone: in about two seconds


def from_above(competition: Competition) -> dict[str, object]:
    """What other apps say of it now."""
    return {name: check.fact(competition) for name, check in CHECKS.items()}


def facts(
    version: ScoringVersion, board: str, instant: datetime | None, stands: Sequence[UUID]
) -> dict[str, Any]:
    """Of the submissions that stand for the ranked teams, in the board's order."""
    return {
        "signatures": _signatures(version, board, instant),
        "top_lift": _top_lift(version, board, stands),
        "copies": alike_among(version, stands[:FIRST]) if len(stands) > 1 else None,
        "switch": _switch(version, board, instant),
        "alone": by_each_reference(version, board, stands[:MOST]),
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


def by_each_reference(
    version: ScoringVersion, board: str, stands: Sequence[UUID]
) -> list[ways.OrderChange] | None:
    """What becomes of the order under each reference alone; None with one, or one file.

    Over the rows of the board alone, so before the reveal of no private one.
    """
    if len(stands) < 2 or version.reference_set.golds_max < 2 or not is_supported(version):
        return None
    prepared = prepared_references(version.reference_set_id, version.profile())
    _, rows = prepared.splits[board]
    files = {str(one): one for one in stands}

    @lru_cache(maxsize=1)  # a file's tokens are asked for, then its texts
    def given_of(name: str) -> dict[str, str]:
        return texts(files[name])

    def texts_of(name: str) -> dict[str, str]:
        given = given_of(name)
        return {row: given[row] for row in prepared.references.ids}

    def known_of(name: str) -> dict[str, tuple[str, ...]]:
        return kept_tokens(files[name], prepared.tokenizer, given_of(name))

    counted = len(prepared.profile.counting)
    values = np.stack([one[:, :counted] for one in each_row_values(stands, version.pk)])
    ours = ways.order_of(values, prepared, rows)
    alone = ways.by_references(list(files), texts_of, prepared, known_of)
    return [ways.moves(ours, ways.order_of(each, prepared, rows)) for each in alone]


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
