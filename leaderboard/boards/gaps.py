"""How much better a team's file does on public rows than on private ones, beside all others.

For organizers alone: it is made of private rows. How far a team's files differ row by row is found
out by a task, since it reads all of them; the rest is arithmetic over totals.
"""

import heapq
import statistics
from collections import defaultdict
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet

from leaderboard.boards.models import Placement, Standing, TeamSpread
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.evaluation.queries import row_values
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.queries import counted
from scoring.comparison import row_totals
from scoring.ranking import DECIMALS
from scoring.statistics.luck import gap_in_errors, luck

AT_ONCE = 20  # teams
NEWEST = 200  # files of a team that are read
Board = Placement.Board


def without_spread() -> list[Standing]:
    """Some lines of live public boards of whose team other files count than when they were read.

    As many files may be other ones: one taken off the boards, another handed in or back on them.
    """
    kept = TeamSpread.objects.filter(
        scoring_version=OuterRef("scoring_version"),
        team=OuterRef("team"),
        files=OuterRef("files"),
    )
    rows = Standing.objects.filter(
        ~Exists(kept),
        scoring_version__state=ScoringVersion.State.LIVE,
        board=Board.PUBLIC,
        ranked=True,
        entries__gte=2,
    )
    # All of them, and cut here, as in `lift.standing_without`.
    first = heapq.nsmallest(AT_ONCE, rows.order_by().values_list("pk", flat=True).iterator())
    found = Standing.objects.filter(pk__in=first).select_related("scoring_version")
    return list(found.order_by("pk"))


def make_next_spreads(at: datetime) -> bool:
    """Of some teams that lack it; False when none does. Safe to run twice, and beside itself."""
    found = without_spread()
    for line in found:
        TeamSpread.objects.update_or_create(
            scoring_version=line.scoring_version,
            team_id=line.team_id,
            defaults={
                "files": line.files,
                "deviation": _deviation(line.scoring_version, line.team_id),
            },
        )
    return bool(found)


def _deviation(version: ScoringVersion, team: UUID) -> float | None:
    done = version.evaluations.filter(
        state=Evaluation.State.DONE, submission__team=team, **counted("submission__")
    )
    newest = done.order_by("-submission__received_at", "-pk").values_list("submission", flat=True)
    values = row_values(list(newest[:NEWEST]), [version.pk])
    by_file = sorted(values.items(), key=lambda kept: kept[0])
    if not by_file:
        return None
    found = luck(np.stack([row_totals(kept, version.profile()) for _, kept in by_file]))
    return None if found is None else found.deviation


def deviations_of(version: ScoringVersion) -> dict[UUID, float]:
    """How far the files of each team differ row by row, of those that were read. One query."""
    rows = TeamSpread.objects.filter(scoring_version=version)
    found = rows.values_list("team", "deviation")
    return {team: deviation for team, deviation in found if deviation is not None}


class _Gap(NamedTuple):
    """Public less private total of a file, in points, and the rows of both."""

    points: float
    rows: int
    other_rows: int


def unusual_gaps(version: ScoringVersion) -> dict[UUID, float]:
    """By the file that stands for a ranked team on the public board: how many standard errors its
    gap lies above the median of all. Only of teams whose files were read. Three queries.
    """
    rows = Standing.objects.filter(scoring_version=version, board=Board.PUBLIC, ranked=True)
    gaps = _gaps(version, rows)
    if not gaps:
        return {}
    usual = statistics.median(gap.points for gap in gaps.values())
    deviations = deviations_of(version)
    found = {}
    for submission, team in rows.values_list("submission", "team"):
        if submission in gaps and team in deviations:
            gap, deviation = gaps[submission], deviations[team]
            found[submission] = gap_in_errors(
                gap.points, usual, deviation, rows=gap.rows, other_rows=gap.other_rows
            )
    return {one: errors for one, errors in found.items() if errors is not None}


def _gaps(version: ScoringVersion, standing: QuerySet[Standing]) -> dict[UUID, _Gap]:
    rows = SplitScore.objects.filter(
        evaluation__scoring_version=version,
        evaluation__submission__in=standing.order_by().values("submission"),
    ).values_list("evaluation__submission", "split", "printed", "rows")
    sides: dict[UUID, dict[str, tuple[int, int]]] = defaultdict(dict)
    for submission, split, total, count in rows:
        sides[submission][split] = total, count
    found = {}
    for submission, side in sides.items():
        if Board.PUBLIC in side and Board.PRIVATE in side:
            (ours, public), (other, private) = side[Board.PUBLIC], side[Board.PRIVATE]
            found[submission] = _Gap((ours - other) / 10**DECIMALS, public, private)
    return found
