"""The result card of one submission, and the distribution it stands in."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from leaderboard.boards.models import Standing
from leaderboard.boards.queries import SplitResult, on_board, ranks_of, submission_scores
from leaderboard.boards.text import SCALE, decimals, signed
from leaderboard.boards.visibility import may_see
from leaderboard.competitions.roles import Viewer
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version
from leaderboard.submissions.models import Submission

Board = Standing.Board
BINS = 20


@dataclass(frozen=True)
class Bin:
    """Teams whose total lies in [low, high); the last bin holds its upper edge too."""

    low: float
    high: float
    teams: int
    has_own: bool


@dataclass(frozen=True)
class Histogram:
    """The totals of all teams of a board."""

    bins: tuple[Bin, ...]
    low: float
    high: float


@dataclass(frozen=True)
class ResultCard:
    """What one scored submission means, in the numbers its viewer may see."""

    splits: tuple[SplitResult, ...]
    is_best: bool
    best_before: str | None
    difference: str | None
    rank_now: int | None
    rank_before: int | None
    next_team: str | None
    gap_to_next: str | None
    gap_to_first: str | None
    teams: int
    seconds: float | None
    signature: str
    version_number: int
    histogram: Histogram


def result(submission: Submission, viewer: Viewer, at: datetime) -> ResultCard | None:
    """The card, or None until the submission is scored under the live version."""
    competition = submission.team.competition
    version = live_version(competition)
    if version is None or not may_see(viewer, competition, Board.PUBLIC, at):
        return None
    score = _public_score(submission, version)
    if score is None:
        return None
    everyone = on_board(version, Board.PUBLIC)
    own = everyone.filter(team=submission.team).first()
    before = _best_before(submission, version)
    others = everyone.exclude(team=submission.team)
    finished = score.evaluation.finished_at
    is_best = own is not None and own.submission_id == submission.pk
    above = everyone.filter(printed__gt=own.printed).select_related("team").last() if own else None
    first = everyone.first()
    return ResultCard(
        splits=submission_scores([submission], viewer, at).get(submission.pk, ()),
        is_best=is_best,
        best_before=None if before is None else decimals(before),
        difference=None if before is None else signed(score.printed - before),
        rank_now=ranks_of([own.printed], everyone)[own.printed].rank if own else None,
        rank_before=None if before is None else ranks_of([before], others)[before].rank,
        next_team=above.team.name if above else None,
        gap_to_next=decimals(above.printed - own.printed) if above and own else None,
        gap_to_first=decimals(first.printed - own.printed) if first and own else None,
        teams=everyone.count(),
        seconds=(finished - submission.received_at).total_seconds() if finished else None,
        signature=score.signature,
        version_number=version.number,
        histogram=_histogram(everyone, own.printed if own else None),
    )


def _public_score(submission: Submission, version: ScoringVersion) -> SplitScore | None:
    return (
        SplitScore.objects.filter(
            evaluation__submission=submission,
            evaluation__scoring_version=version,
            evaluation__state=Evaluation.State.DONE,
            split=Board.PUBLIC,
        )
        .select_related("evaluation")
        .first()
    )


def _best_before(submission: Submission, version: ScoringVersion) -> int | None:
    """The team's best printed public total among files received before this one."""
    earlier = SplitScore.objects.filter(
        evaluation__submission__team=submission.team_id,
        evaluation__scoring_version=version,
        evaluation__received_at__lt=submission.received_at,
        evaluation__state=Evaluation.State.DONE,
        split=Board.PUBLIC,
    )
    return earlier.order_by("-printed").values_list("printed", flat=True).first()


def _histogram(everyone: QuerySet[Standing], own: int | None) -> Histogram:
    totals = list(everyone.values_list("printed", flat=True))
    if not totals:
        return Histogram((), 0.0, 0.0)
    low, high = min(totals), max(totals)
    width = max(1, -(-(high - low + 1) // BINS))
    counts = [0] * BINS
    for total in totals:
        counts[(total - low) // width] += 1
    mine = None if own is None else (own - low) // width
    bins = tuple(
        Bin(
            low=(low + i * width) / SCALE,
            high=(low + (i + 1) * width) / SCALE,
            teams=number,
            has_own=i == mine,
        )
        for i, number in enumerate(counts)
    )
    return Histogram(bins, bins[0].low, bins[-1].high)
