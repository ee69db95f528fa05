"""The fence: who scores what, for how long, and whose result counts.

A claim is one conditional update. Heartbeat, result and failure repeat (owner, attempt) and drop
their work when no row matches, so a worker that lost its lease can never write. Lease times come
from the database's clock alone: machines may disagree about the time, the database cannot.
"""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db.models import DateTimeField, ExpressionWrapper, F, QuerySet
from django.db.models.expressions import CombinedExpression, Value
from django.db.models.functions import Now

from leaderboard.evaluation.models import Evaluation, ExampleScores, SplitScore
from leaderboard.evaluation.queue import (
    ABANDONED,
    claimable,
    head,
    is_supported,
    versions_with_work,
)
from scoring.pipeline import Report
from scoring.ranking import printed

State = Evaluation.State
ENDED: dict[str, Any] = {"owner": None, "lease_until": None}
WAITING = {**ENDED, "state": State.QUEUED, "stage": "", "rows_done": 0}


class LeaseLost(Exception):
    """Somebody else may be scoring this evaluation by now: drop the work."""


def next_claim(*, at: datetime) -> Evaluation | None:
    """Take the head of the queue, or None when nothing waits that this worker can score.

    The row with its new owner and attempt is the right to score it until the lease runs out. `at`
    is only noted as the start; the lease runs by the database's clock.
    """
    versions = [version for version in versions_with_work() if is_supported(version)]
    while (claim := head(versions)) is not None:
        owner = uuid4()
        hit = (
            claimable()
            .filter(pk=claim.pk, attempt=claim.attempt)
            .update(
                state=State.RUNNING,
                attempt=F("attempt") + 1,
                owner=owner,
                lease_until=_from_now(settings.SCORING_LEASE_SECONDS),
                last_sign_at=at,
                started_at=at,
                stage="prepare",
                rows_done=0,
            )
        )
        if hit == 1:
            claim.attempt, claim.owner = claim.attempt + 1, owner
            return claim
    return None


def _change(claim: Evaluation, **columns: Any) -> bool:
    """The one fence: write these columns if the row is still running under this claim."""
    row = Evaluation.objects.filter(
        pk=claim.pk, state=State.RUNNING, owner=claim.owner, attempt=claim.attempt
    )
    return row.update(**columns) == 1


def heartbeat(claim: Evaluation, *, stage: str, done: int, total: int) -> None:
    """Renew the lease and say how far the work is. Raises LeaseLost."""
    lease_until = _from_now(settings.SCORING_LEASE_SECONDS)
    progress = {"stage": stage, "rows_done": done, "rows_total": total}
    if not _change(claim, lease_until=lease_until, last_sign_at=Now(), **progress):
        raise LeaseLost(str(claim.pk))


def give_back(claim: Evaluation) -> bool:
    """Return the row untouched on a clean shutdown: the attempt does not count."""
    return _change(claim, **WAITING, attempt=claim.attempt - 1, not_before=Now())


def retry_later(claim: Evaluation, *, after: timedelta) -> bool:
    """Let the row wait again; the attempt stays spent."""
    return _change(claim, **WAITING, not_before=_from_now(after.total_seconds()))


def queue_again(*, evaluation_id: UUID, attempt: int) -> bool:
    """Failed to queued with no attempt spent; False if it is not the failure that was looked at.

    It waits from now on (`not_before`), whenever its file was received.
    """
    failed = Evaluation.objects.filter(pk=evaluation_id, state=State.FAILED, attempt=attempt)
    hit = failed.update(
        **WAITING,
        attempt=0,
        not_before=Now(),
        last_sign_at=None,
        started_at=None,
        finished_at=None,
        failure="",
    )
    return hit == 1


def cancel_waiting(submission_id: UUID) -> bool:
    """Take back all evaluations of a submission. False when any was under way: then roll back."""
    rows = Evaluation.objects.filter(submission=submission_id)
    number = rows.count()
    return rows.filter(state=State.QUEUED).update(state=State.CANCELLED) == number > 0


def forget_waiting(version_id: UUID) -> int:
    """Drop everything that waits under a version; what runs ends without a side effect.

    Inside the caller's transaction. Rows are marked before they are deleted: a deletion by state
    would look for them first, and take away what a worker claimed and scored since.
    """
    rows = Evaluation.objects.filter(scoring_version=version_id)
    mark = uuid4()
    rows.filter(state=State.QUEUED).update(owner=mark)
    return rows.filter(owner=mark).delete()[0]


def exhausted() -> QuerySet[Evaluation]:
    """Rows whose last allowed attempt ended without a sign: the sweeper fails them."""
    return Evaluation.objects.filter(ABANDONED, attempt__gte=settings.SCORING_MAX_ATTEMPTS)


def save(*, claim: Evaluation, report: Report, at: datetime) -> None:
    """Running to done with all numbers, once. Raises LeaseLost when the claim no longer counts."""
    progress = {"stage": "rank", "rows_done": report.rows, "rows_total": report.rows}
    if not _change(claim, state=State.DONE, finished_at=at, **ENDED, **progress):
        raise LeaseLost(str(claim.pk))
    SplitScore.objects.bulk_create(
        (
            SplitScore(
                evaluation_id=claim.pk,
                split=split,
                rows=part.rows,
                metrics=dict(part.metrics),
                total=part.total,
                printed=printed(part.total),
                signature=part.signature,
            )
            for split, part in report.splits.items()
            if split in ("public", "private")
        ),
        batch_size=500,
    )
    ExampleScores.objects.create(evaluation_id=claim.pk, blob=report.example_blob())


def end_failed(*, claim: Evaluation, failure: str, at: datetime) -> None:
    """Running to failed. Raises LeaseLost when the claim no longer counts."""
    if not _change(claim, state=State.FAILED, finished_at=at, **ENDED, failure=failure):
        raise LeaseLost(str(claim.pk))


def _from_now(seconds: float) -> ExpressionWrapper[CombinedExpression]:
    delta = Value(timedelta(seconds=seconds))
    return ExpressionWrapper(Now() + delta, output_field=DateTimeField())
