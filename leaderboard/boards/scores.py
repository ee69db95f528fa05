"""Numbers of single submissions, on the boards that their viewer may see."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from leaderboard.boards.listing import listing
from leaderboard.boards.models import Placement
from leaderboard.boards.text import decimals, label
from leaderboard.boards.visibility import visible_boards
from leaderboard.boards.visit import Visit
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.submissions.models import Submission


@dataclass(frozen=True)
class SplitResult:
    """The numbers of one submission on one board, as printed, and the signature that made them."""

    board: str
    total: str
    metrics: tuple[tuple[str, str], ...]
    signature: str


def submission_scores(
    submissions: Iterable[Submission], visit: Visit
) -> dict[UUID, tuple[SplitResult, ...]]:
    """The live version's numbers of these submissions, on the boards this viewer may see.

    They are the viewer's own team's, or the viewer runs the contest: a freeze hides none of them.
    """
    wanted = [submission.pk for submission in submissions]
    if visit.version is None or not wanted:
        return {}
    rows = SplitScore.objects.filter(
        evaluation__scoring_version=visit.version, evaluation__submission__in=wanted
    )
    return {
        evaluation.submission_id: found for evaluation, found in by_evaluation(rows, visit).items()
    }


def evaluation_scores(
    evaluations: Iterable[Evaluation], visit: Visit
) -> dict[UUID, tuple[SplitResult, ...]]:
    """The numbers of these evaluations on the boards that this editor may see; for others none."""
    if not visit.edits:
        return {}
    rows = SplitScore.objects.filter(
        evaluation__in=[evaluation.pk for evaluation in evaluations],
        evaluation__scoring_version__competition=visit.competition,
    )
    return {evaluation.pk: found for evaluation, found in by_evaluation(rows, visit).items()}


def by_evaluation(
    rows: QuerySet[SplitScore], visit: Visit
) -> dict[Evaluation, tuple[SplitResult, ...]]:
    """The printed numbers of these scores in one query, only of boards that this viewer may see.

    Boards stand in their usual order, metrics in that of the version's profile. Each evaluation
    comes with its version.
    """
    boards = visible_boards(visit)
    seen = rows.filter(split__in=boards).select_related("evaluation__scoring_version")
    found: dict[Evaluation, list[SplitResult]] = {}
    for row in sorted(seen, key=lambda row: boards.index(row.split)):
        order = row.evaluation.scoring_version.profile().metrics
        parts = tuple((label(key), f"{row.metrics[key]:.4f}") for key in order)
        result = SplitResult(row.split, decimals(row.printed), parts, row.signature)
        found.setdefault(row.evaluation, []).append(result)
    return {evaluation: tuple(results) for evaluation, results in found.items()}


def best_submission(visit: Visit) -> UUID | None:
    """The submission that gives the viewer's team its place on the public board."""
    seen = listing(visit, Placement.Board.PUBLIC)
    return seen.own.submission_id if seen is not None and seen.own is not None else None
