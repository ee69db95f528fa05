"""What a submission scored under versions that are not live any more."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from leaderboard.boards.scores import SplitResult, by_evaluation
from leaderboard.boards.visit import Visit
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission

State = ScoringVersion.State


@dataclass(frozen=True)
class VersionResult:
    """All that a viewer may see of one earlier version."""

    number: int
    retired_at: datetime
    scores: tuple[SplitResult, ...]


def earlier_results(submission: Submission, visit: Visit) -> tuple[VersionResult, ...]:
    """What it scored with earlier versions, newest first, on the boards that this viewer may see.

    Only what was on the board once: a version that was live, and a submission received before it
    was retired. What a rehearsal alone computed is seen by nobody but editors, on its own page.
    """
    rows = SplitScore.objects.filter(
        evaluation__submission=submission,
        evaluation__state=Evaluation.State.DONE,
        evaluation__received_at__lt=F("evaluation__scoring_version__retired_at"),
        evaluation__scoring_version__made_live_at__isnull=False,
        evaluation__scoring_version__state__in=(State.RETIRED, State.REHEARSING),
    )
    results = [
        VersionResult(version.number, version.retired_at, scores)
        for evaluation, scores in by_evaluation(rows, visit).items()
        if (version := evaluation.scoring_version).retired_at is not None
        and version.number is not None
    ]
    return tuple(sorted(results, key=lambda result: result.number, reverse=True))
