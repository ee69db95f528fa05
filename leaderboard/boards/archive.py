"""Every number of every submission under every version, for an organizer's export."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from leaderboard.boards.visibility import visible_boards
from leaderboard.boards.visit import Visit
from leaderboard.evaluation.models import Evaluation, SplitScore

CHUNK = 1000
PLACES = 4  # of a printed total


@dataclass(frozen=True)
class ScoreLine:
    """An evaluation with its score on one board; None if it has none that may be seen."""

    evaluation: Evaluation
    score: SplitScore | None

    @property
    def printed(self) -> Decimal | None:
        """The total as the board prints it."""
        return None if self.score is None else Decimal(self.score.printed).scaleb(-PLACES)


def score_lines(visit: Visit) -> Iterator[ScoreLine]:
    """By time received, then version, then board; nothing at all for who may not edit."""
    if not visit.edits:
        return
    boards = visible_boards(visit)
    rows = (
        Evaluation.objects.filter(scoring_version__competition=visit.competition)
        .select_related("scoring_version", "submission__team")
        .defer("submission__notices")
        .prefetch_related("scores")
        .order_by("received_at", "submission", "scoring_version__draft_number")
    )
    for evaluation in rows.iterator(chunk_size=CHUNK):
        by_board = {score.split: score for score in evaluation.scores.all()}
        seen = [by_board[board] for board in boards if board in by_board]
        if not seen:
            yield ScoreLine(evaluation, None)
        for score in seen:
            yield ScoreLine(evaluation, score)
