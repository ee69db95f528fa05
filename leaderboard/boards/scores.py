"""Numbers of single submissions, on the boards that their viewer may see."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from leaderboard.boards.listing import listing
from leaderboard.boards.models import Placement
from leaderboard.boards.queries import columns_of
from leaderboard.boards.text import decimals, label
from leaderboard.boards.visibility import visible_boards
from leaderboard.boards.visit import Visit
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.submissions.models import Submission


@dataclass(frozen=True)
class SplitResult:
    """The numbers of one submission on one board."""

    board: str
    total: str
    metrics: tuple[tuple[str, str], ...]


def submission_scores(
    submissions: Iterable[Submission], visit: Visit
) -> dict[UUID, tuple[SplitResult, ...]]:
    """The live version's numbers of these submissions, on the boards this viewer may see.

    They are the viewer's own team's, or the viewer runs the contest: a freeze hides none of them.
    """
    version = visit.version
    wanted = [submission.pk for submission in submissions]
    if version is None or not wanted:
        return {}
    boards = visible_boards(visit)
    scores = SplitScore.objects.filter(
        evaluation__scoring_version=version,
        evaluation__submission__in=wanted,
        split__in=boards,
    ).values_list("evaluation__submission", "split", "printed", "metrics")
    columns = columns_of(version)
    results: dict[UUID, list[SplitResult]] = {}
    for submission_id, split, total, metrics in sorted(
        scores, key=lambda row: boards.index(row[1])
    ):
        parts = tuple((column.label, f"{metrics[column.key]:.4f}") for column in columns)
        results.setdefault(submission_id, []).append(SplitResult(split, decimals(total), parts))
    return {submission_id: tuple(found) for submission_id, found in results.items()}


def evaluation_scores(
    evaluations: Iterable[Evaluation], visit: Visit
) -> dict[UUID, tuple[SplitResult, ...]]:
    """The numbers of these evaluations on the boards that this editor may see; for others none."""
    if not visit.edits:
        return {}
    boards = visible_boards(visit)
    rows = SplitScore.objects.filter(
        evaluation__in=[evaluation.pk for evaluation in evaluations],
        evaluation__scoring_version__competition=visit.competition,
        split__in=boards,
    ).select_related("evaluation__scoring_version")
    found: dict[UUID, list[SplitResult]] = {}
    for row in sorted(rows, key=lambda row: boards.index(row.split)):
        order = row.evaluation.scoring_version.profile().metrics
        parts = tuple((label(key), f"{row.metrics[key]:.4f}") for key in order)
        result = SplitResult(row.split, decimals(row.printed), parts)
        found.setdefault(row.evaluation_id, []).append(result)
    return {evaluation_id: tuple(results) for evaluation_id, results in found.items()}


def best_submission(visit: Visit) -> UUID | None:
    """The submission that gives the viewer's team its place on the public board."""
    seen = listing(visit, Placement.Board.PUBLIC)
    return seen.own.submission_id if seen is not None and seen.own is not None else None
