"""The result card of one submission."""

from dataclasses import dataclass, replace
from uuid import UUID

from leaderboard.boards.distribution import Histogram, histogram
from leaderboard.boards.listing import Listing, listing, rank_in
from leaderboard.boards.models import Placement
from leaderboard.boards.scores import SplitResult, submission_scores
from leaderboard.boards.text import decimals, signed
from leaderboard.boards.visit import Visit
from leaderboard.evaluation.health import upload_to_score
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import counted

Board = Placement.Board


@dataclass(frozen=True)
class ResultCard:
    """What one scored submission means, in the numbers its viewer may see.

    Ranks and distances are those of this file's public total among the other teams, whether the
    team's row is made of it (`is_best`) or not; None for a disqualified team, which has no place.
    `difference`: against the team's best file received before this one. `rank_before`: the rank of
    that best one, where this file replaced it. `teams`: the other teams and this file.
    `seconds`: from received to scored; None for a file that was scored anew by a later version.
    """

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
    total = score.printed
    is_best = seen.own is not None and seen.own.submission_id == submission.pk
    before = _best_before(submission, seen.version)
    waited = upload_to_score(Evaluation.objects.filter(pk=score.evaluation_id))
    card = ResultCard(
        splits=submission_scores([submission], visit).get(submission.pk, ()),
        is_best=is_best,
        difference=None if before is None else signed(total - before),
        rank_now=None,
        rank_before=None,
        next_team=None,
        gap_to_next=None,
        gap_to_first=None,
        teams=len(seen.ascending),
        seconds=waited[0] if waited else None,
        signature=score.signature,
        version_number=seen.version.number,
        histogram=histogram(seen.ascending, None),
    )
    if submission.team.disqualified_at is not None:
        return card
    others = _others(seen)
    above = _next_above(seen, submission.team_id, total)
    with_it = sorted([*others, total])
    return replace(
        card,
        rank_now=rank_in(others, total),
        rank_before=rank_in(others, before) if is_best and before is not None else None,
        next_team=above[0] if above else None,
        gap_to_next=decimals(above[1] - total) if above else None,
        gap_to_first=decimals(with_it[-1] - total),
        teams=len(with_it),
        histogram=histogram(with_it, total),
    )


def _others(seen: Listing) -> list[int]:
    """The totals of all teams with a rank but the viewer's own."""
    others = list(seen.ascending)
    if seen.own is not None and seen.own.ranked:
        others.remove(seen.own.printed)
    return others


def _next_above(seen: Listing, team_id: UUID, total: int) -> tuple[str, int] | None:
    """The nearest other team with a better total than this: its name and that total."""
    better = seen.others.filter(printed__gt=total, ranked=True).exclude(team=team_id)
    return better.values_list("team__name", "printed").last()


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
        **counted("evaluation__submission__"),
    )
    return earlier.order_by("-printed").values_list("printed", flat=True).first()
