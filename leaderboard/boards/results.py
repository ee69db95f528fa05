"""The result card of one submission."""

from dataclasses import dataclass

from leaderboard.boards.distribution import Histogram, histogram
from leaderboard.boards.ladder import Ladder
from leaderboard.boards.listing import Listing, listing
from leaderboard.boards.models import Placement
from leaderboard.boards.rows import Row
from leaderboard.boards.scores import SplitResult, submission_scores
from leaderboard.boards.text import decimals, signed
from leaderboard.boards.visit import Visit
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission

Board = Placement.Board


@dataclass(frozen=True)
class ResultCard:
    """What one scored submission means, in the numbers its viewer may see."""

    splits: tuple[SplitResult, ...]
    is_best: bool
    difference: str | None
    rank_now: int | None
    rank_before: int | None
    next_team: str | None
    gap_to_next: str | None
    gap_to_first: str | None
    teams: int
    seconds: float | None
    signature: str
    version_number: int | None
    histogram: Histogram


def result(submission: Submission, visit: Visit) -> ResultCard | None:
    """The card of a submission of the viewer's team, or None until the live version scored it."""
    seen = listing(visit, Board.PUBLIC)
    if seen is None:
        return None
    score = _public_score(submission, seen.version)
    if score is None:
        return None
    own, ladder = seen.own, seen.ladder
    before = _best_before(submission, seen.version)
    finished = score.evaluation.finished_at
    above = _next_above(seen, own) if own else None
    first = ladder.ascending[-1] if len(ladder) else None
    return ResultCard(
        splits=submission_scores([submission], visit).get(submission.pk, ()),
        is_best=own is not None and own.submission_id == submission.pk,
        difference=None if before is None else signed(score.printed - before),
        rank_now=ladder.rank(own.printed) if own else None,
        rank_before=None if before is None else _rank_among_others(ladder, own, before),
        next_team=above[0] if above else None,
        gap_to_next=decimals(above[1] - own.printed) if above and own else None,
        gap_to_first=decimals(first - own.printed) if first is not None and own else None,
        teams=len(ladder),
        seconds=(finished - submission.received_at).total_seconds() if finished else None,
        signature=score.signature,
        version_number=seen.version.number,
        histogram=histogram(ladder.ascending, own.printed if own else None),
    )


def _next_above(seen: Listing, own: Row) -> tuple[str, int] | None:
    """The nearest team with a better total: its name and that total."""
    better = seen.others.filter(printed__gt=own.printed, ranked=True).exclude(team=own.team_id)
    return better.values_list("team__name", "printed").last()


def _rank_among_others(ladder: Ladder, own: Row | None, total: int) -> int:
    """The rank that this total would have had without the team's present row."""
    present = own is not None and own.ranked and own.printed > total
    return ladder.rank(total) - present


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
        evaluation__submission__exclusion=None,
        evaluation__submission__is_late=False,
        evaluation__state=Evaluation.State.DONE,
        split=Board.PUBLIC,
    )
    return earlier.order_by("-printed").values_list("printed", flat=True).first()
