"""Computing standings from scores; the only writer of the read model."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from leaderboard.boards.models import Standing
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.choice import chosen
from leaderboard.teams.models import Team
from scoring.ranking import printed

Board = Standing.Board


@dataclass(frozen=True)
class Place:
    """The values of one Standing, before or after they are stored."""

    printed: int
    metrics: dict[str, int]
    submission_id: UUID
    received_at: datetime
    entries: int
    last_submission_at: datetime


def places(*, team_id: UUID, version_id: UUID) -> dict[str, Place]:
    """What the boards should say of this team under this version, from its scores alone.

    Public: the best printed public total, the earlier submission at a tie. Private: the better
    private total of the team's finals; of a team that chose none, that of the public row.
    """
    scores = list(
        SplitScore.objects.filter(
            evaluation__submission__team=team_id,
            evaluation__scoring_version=version_id,
            evaluation__state=Evaluation.State.DONE,
        ).select_related("evaluation")
    )
    public = [score for score in scores if score.split == Board.PUBLIC]
    if not public:
        return {}
    best = _best(public)
    last = max(score.evaluation.received_at for score in public)
    finals = chosen(team_id) or {best.evaluation.submission_id}
    private = [
        score
        for score in scores
        if score.split == Board.PRIVATE and score.evaluation.submission_id in finals
    ]
    shown = [best, *([_best(private)] if private else [])]
    return {
        score.split: Place(
            printed=score.printed,
            metrics={name: printed(value) for name, value in score.metrics.items()},
            submission_id=score.evaluation.submission_id,
            received_at=score.evaluation.received_at,
            entries=len(public),
            last_submission_at=last,
        )
        for score in shown
    }


def _best(scores: Sequence[SplitScore]) -> SplitScore:
    """The highest printed total; at a tie the one that was received earlier."""
    return min(
        scores,
        key=lambda score: (
            -score.printed,
            score.evaluation.received_at,
            score.evaluation.submission_id,
        ),
    )


def place(*, team: Team, version: ScoringVersion) -> None:
    """Store the team's standings. The caller has locked the team's row in this transaction."""
    wanted = places(team_id=team.pk, version_id=version.pk)
    for board in Board.values:
        rows = Standing.objects.filter(scoring_version=version, team=team, board=board)
        if board not in wanted:
            rows.delete()
            continue
        Standing.objects.update_or_create(
            scoring_version=version, team=team, board=board, defaults=asdict(wanted[board])
        )


def stored(*, team_id: UUID, version_id: UUID) -> dict[str, Place]:
    """What the tables say of this team now."""
    return {
        row.board: Place(
            printed=row.printed,
            metrics=row.metrics,
            submission_id=row.submission_id,
            received_at=row.received_at,
            entries=row.entries,
            last_submission_at=row.last_submission_at,
        )
        for row in Standing.objects.filter(scoring_version=version_id, team=team_id)
    }
