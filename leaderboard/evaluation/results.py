"""Saving what the workshop found. The caller has locked the team and holds the claim."""

from datetime import datetime

from leaderboard.evaluation.claim import Claim, LeaseLost, fenced
from leaderboard.evaluation.models import Evaluation, ExampleScores, SplitScore
from scoring.pipeline import Report
from scoring.ranking import printed

BOARDS = ("public", "private")


def save(*, claim: Claim, report: Report, at: datetime) -> None:
    """Running to done with all numbers, once. Raises LeaseLost when the claim no longer counts."""
    hit = fenced(claim).update(
        state=Evaluation.State.DONE,
        finished_at=at,
        owner=None,
        lease_until=None,
        stage="rank",
        rows_done=report.rows,
        rows_total=report.rows,
    )
    if hit != 1:
        raise LeaseLost(str(claim.evaluation_id))
    SplitScore.objects.bulk_create(
        (
            SplitScore(
                evaluation_id=claim.evaluation_id,
                split=split,
                rows=part.rows,
                metrics=dict(part.metrics),
                total=part.total,
                printed=printed(part.total),
                signature=part.signature,
            )
            for split, part in report.splits.items()
            if split in BOARDS
        ),
        batch_size=500,
    )
    ExampleScores.objects.create(evaluation_id=claim.evaluation_id, blob=report.example_blob())


def end_failed(*, claim: Claim, failure: str, at: datetime) -> None:
    """Running to failed. Raises LeaseLost when the claim no longer counts."""
    hit = fenced(claim).update(
        state=Evaluation.State.FAILED,
        finished_at=at,
        owner=None,
        lease_until=None,
        failure=failure,
    )
    if hit != 1:
        raise LeaseLost(str(claim.evaluation_id))
