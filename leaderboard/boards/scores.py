"""Numbers of single submissions for the organizer's desk: every version, every board."""

from collections.abc import Iterable
from uuid import UUID

from leaderboard.boards.queries import SplitResult
from leaderboard.boards.text import decimals, label
from leaderboard.boards.visibility import visible_boards
from leaderboard.boards.visit import Visit
from leaderboard.evaluation.models import Evaluation, SplitScore


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
