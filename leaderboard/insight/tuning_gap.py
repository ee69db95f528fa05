"""How much better a team's file does on public rows than on private ones, beside all others.

For organizers. How far a team's files differ row by row is found out by a task, since it reads all
of them.
"""

import heapq
import math
from contextlib import suppress
from datetime import datetime
from uuid import UUID

import numpy as np
from django.db.models import Exists, F, OuterRef, Subquery, TextField, UUIDField
from django.db.models.functions import Cast

from leaderboard.boards.listing import Joined
from leaderboard.boards.models import Placement, Standing
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.evaluation.queries import row_values
from leaderboard.evaluation.run import VersionFailed, Work, keeping, workable
from leaderboard.insight.models import TeamSpread
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.queries import counted
from scoring.insight.tuning_gap import deviation_of, gap_in_errors
from scoring.pipeline import row_totals
from scoring.ranking import DECIMALS

AT_ONCE = 20  # teams
NEWEST = 200  # files of a team that are read
Board = Placement.Board


def without_spread() -> list[Standing]:
    """Some lines of live public boards of whose team other files count than when they were read.
    Of who handed in one file alone the gap is read.

    As many files may be other ones: one taken off the boards, another handed in or back on them.
    """
    kept = TeamSpread.objects.filter(
        scoring_version=OuterRef("scoring_version"),
        team=OuterRef("team"),
        files=OuterRef("files"),
    )
    rows = Standing.objects.filter(
        ~Exists(kept),
        scoring_version__in=workable(Work.SPREADS).filter(state=ScoringVersion.State.LIVE),
        board=Board.PUBLIC,
        ranked=True,
    )
    # All of them, and cut here, as in `lift.standing_without`.
    first = heapq.nsmallest(AT_ONCE, rows.order_by().values_list("pk", flat=True).iterator())
    found = Standing.objects.filter(pk__in=first).select_related("scoring_version")
    return list(found.order_by("pk"))


def make_next_spreads(at: datetime) -> bool:
    """Of some teams that lack it; False when none does. Safe to run twice, and beside itself."""
    found = without_spread()
    for line in found:
        with suppress(VersionFailed), keeping(line.scoring_version, Work.SPREADS):
            TeamSpread.objects.update_or_create(
                scoring_version=line.scoring_version,
                team_id=line.team_id,
                defaults={
                    "files": line.files,
                    "deviation": _deviation(line.scoring_version, line.team_id),
                    "gap": _gap(line),
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
    return deviation_of(np.stack([row_totals(kept, version.profile()) for _, kept in by_file]))


def _gap(line: Standing) -> int | None:
    """Of the file that stands there; None where the version has rows of one board alone."""
    scores = SplitScore.objects.filter(
        evaluation__scoring_version=line.scoring_version, evaluation__submission=line.submission_id
    )
    printed = dict(scores.values_list("split", "printed"))
    if not {Board.PUBLIC, Board.PRIVATE} <= printed.keys():
        return None
    return printed[Board.PUBLIC] - printed[Board.PRIVATE]


def deviations_of(version: ScoringVersion) -> dict[UUID, float]:
    """How far the files of each team differ row by row, of those that were read. One query."""
    rows = TeamSpread.objects.filter(scoring_version=version)
    found = rows.values_list("team", "deviation")
    return {team: deviation for team, deviation in found if deviation is not None}


def unusual_gaps(version: ScoringVersion, most: float) -> dict[UUID, float]:
    """By the file that stands for a ranked team on the public board: how many standard errors its
    gap lies above the median of all, where those are more than `most`. Of teams whose files were
    read. Two queries.
    """
    standing = Standing.objects.filter(scoring_version=version, board=Board.PUBLIC, ranked=True)
    spreads = TeamSpread.objects.filter(scoring_version=version, gap__isnull=False)
    of_all = spreads.filter(team__in=standing.order_by().values("team"))
    text = of_all.aggregate(text=Joined(Cast("gap", TextField())))["text"]
    if not text:
        return {}
    unit = 10**DECIMALS
    usual = float(np.median(np.fromstring(text, dtype=np.int64, sep=","))) / unit
    rows = version.reference_set.public_rows, version.reference_set.private_rows
    # Nearly as far and further: what is exact is asked of these few.
    least = most * 0.999 * math.sqrt(sum(1 / of_board for of_board in rows)) * unit
    far = spreads.filter(deviation__isnull=False, gap__gt=usual * unit + F("deviation") * least)
    of_team = standing.filter(team=OuterRef("team")).values("submission")
    far = far.annotate(stands=Subquery(of_team[:1], output_field=UUIDField()))
    found = {}
    for submission, gap, deviation in far.values_list("stands", "gap", "deviation"):
        assert deviation is not None
        errors = gap_in_errors(gap / unit, usual, deviation, rows=rows[0], other_rows=rows[1])
        if submission is not None and errors is not None and errors > most:
            found[submission] = errors
    return found
