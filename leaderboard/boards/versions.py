"""What a submission scored under versions that are not live any more."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F

from leaderboard.boards.text import decimals, label
from leaderboard.boards.visibility import visible_boards
from leaderboard.boards.visit import Visit
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission

State = ScoringVersion.State


@dataclass(frozen=True)
class VersionScore:
    """One board's numbers under an earlier version, with the signature that made them."""

    board: str
    total: str
    metrics: tuple[tuple[str, str], ...]
    signature: str


@dataclass(frozen=True)
class VersionResult:
    """All that a viewer may see of one earlier version."""

    number: int
    retired_at: datetime
    scores: tuple[VersionScore, ...]


def earlier_results(submission: Submission, visit: Visit) -> tuple[VersionResult, ...]:
    """What it scored with earlier versions, newest first, on the boards that this viewer may see.

    Only what was on the board once: a version that was live, and a submission received before it
    was retired. What a rehearsal alone computed is seen by nobody but editors, on its own page.
    """
    boards = visible_boards(visit)
    scores = SplitScore.objects.filter(
        evaluation__submission=submission,
        evaluation__state=Evaluation.State.DONE,
        evaluation__received_at__lt=F("evaluation__scoring_version__retired_at"),
        evaluation__scoring_version__made_live_at__isnull=False,
        evaluation__scoring_version__state__in=(State.RETIRED, State.REHEARSING),
        split__in=boards,
    ).select_related("evaluation__scoring_version")
    found: dict[ScoringVersion, list[SplitScore]] = {}
    for score in sorted(scores, key=lambda score: boards.index(score.split)):
        found.setdefault(score.evaluation.scoring_version, []).append(score)
    newest_first = sorted(found, key=lambda version: version.number, reverse=True)
    return tuple(_result(version, found[version]) for version in newest_first)


def _result(version: ScoringVersion, scores: Iterable[SplitScore]) -> VersionResult:
    assert version.retired_at is not None
    return VersionResult(
        number=version.number,
        retired_at=version.retired_at,
        scores=tuple(
            VersionScore(
                board=score.split,
                total=decimals(score.printed),
                metrics=tuple(
                    (label(metric), f"{score.metrics[metric]:.4f}")
                    for metric in version.profile().metrics
                ),
                signature=score.signature,
            )
            for score in scores
        ),
    )
