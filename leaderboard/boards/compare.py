"""The numbers of two submissions side by side: totals and parts of whole boards, never of a row."""

from dataclasses import dataclass
from decimal import Decimal

from leaderboard.boards.columns import metric_columns
from leaderboard.boards.scores import SplitResult, submission_scores
from leaderboard.boards.text import SCALE, signed
from leaderboard.boards.visibility import visible_boards
from leaderboard.boards.visit import Visit
from leaderboard.submissions.models import Submission

TOTAL = ""


@dataclass(frozen=True)
class ComparedValue:
    """One number of both, as printed, and their difference; None without a score.

    `label` is empty for the total.
    """

    label: str
    before: str | None
    after: str | None

    @property
    def difference(self) -> str | None:
        """Of the printed numbers, so that the three agree to the last digit."""
        if self.before is None or self.after is None:
            return None
        return signed(int((Decimal(self.after) - Decimal(self.before)) * SCALE))


@dataclass(frozen=True)
class ComparedBoard:
    """The parts and the total of both on one board."""

    board: str
    values: tuple[ComparedValue, ...]


def compared(before: Submission, after: Submission, visit: Visit) -> tuple[ComparedBoard, ...]:
    """Both submissions, of the viewer's own team, on every board that the viewer may see."""
    scores = submission_scores([before, after], visit)
    labels = [*(column.label for column in metric_columns(visit.version)), TOTAL]
    sides = [
        {split.board: _values(split) for split in scores.get(submission.pk, ())}
        for submission in (before, after)
    ]
    return tuple(
        ComparedBoard(
            board,
            tuple(
                ComparedValue(label, *(side.get(board, {}).get(label) for side in sides))
                for label in labels
            ),
        )
        for board in visible_boards(visit)
        if any(board in side for side in sides)
    )


def _values(split: SplitResult) -> dict[str, str]:
    return {**dict(split.metrics), TOTAL: split.total}
