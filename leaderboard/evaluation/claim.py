"""The fence: who scores what, for how long, and whose result counts.

A claim is one conditional update. Heartbeat, result and failure repeat (owner, attempt) and drop
their work when no row matches, so a worker that lost its lease can never write. Lease times come
from the database's clock alone: machines may disagree about the time, the database cannot.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db.models import DateTimeField, ExpressionWrapper, F, QuerySet
from django.db.models.expressions import CombinedExpression, Value
from django.db.models.functions import Now

from leaderboard.evaluation.models import Evaluation, ExampleScores, SplitScore
from leaderboard.evaluation.queue import abandoned, claimable, head, supported_versions
from scoring.pipeline import Report
from scoring.ranking import printed

State = Evaluation.State


@dataclass(frozen=True)
class Claim:
    """The right to score one evaluation until the lease runs out."""

    evaluation_id: UUID
    submission_id: UUID
    team_id: UUID
    scoring_version_id: UUID
    received_at: datetime
    attempt: int
    owner: UUID


class LeaseLost(Exception):
    """Somebody else may be scoring this evaluation by now: drop the work."""


def next_claim(*, at: datetime) -> Claim | None:
    """Take the head of the queue, or None when nothing waits that this worker can score.

    `at` is only noted as the start; the lease runs by the database's clock.
    """
    versions = supported_versions()
    while (candidate := head(versions)) is not None:
        owner = uuid4()
        taken = claimable().filter(pk=candidate.pk, attempt=candidate.attempt)
        hit = taken.update(
            state=State.RUNNING,
            attempt=F("attempt") + 1,
            owner=owner,
            lease_until=_lease(),
            last_sign_at=at,
            started_at=at,
            stage="prepare",
            rows_done=0,
        )
        if hit == 1:
            return Claim(
                evaluation_id=candidate.pk,
                submission_id=candidate.submission_id,
                team_id=candidate.submission.team_id,
                scoring_version_id=candidate.scoring_version_id,
                received_at=candidate.received_at,
                attempt=candidate.attempt + 1,
                owner=owner,
            )
    return None


def fenced(claim: Claim) -> QuerySet[Evaluation]:
    """The row, as long as this claim is the one that counts."""
    return Evaluation.objects.filter(
        pk=claim.evaluation_id, state=State.RUNNING, owner=claim.owner, attempt=claim.attempt
    )


def heartbeat(claim: Claim, *, stage: str, done: int, total: int) -> None:
    """Renew the lease and say how far the work is. Raises LeaseLost."""
    hit = fenced(claim).update(
        lease_until=_lease(), last_sign_at=Now(), stage=stage, rows_done=done, rows_total=total
    )
    if hit != 1:
        raise LeaseLost(str(claim.evaluation_id))


def give_back(claim: Claim) -> bool:
    """Return the row untouched on a clean shutdown: the attempt does not count."""
    return _requeue(claim, attempt=claim.attempt - 1, after=timedelta()) == 1


def retry_later(claim: Claim, *, after: timedelta) -> bool:
    """Let the row wait again; the attempt stays spent."""
    return _requeue(claim, attempt=claim.attempt, after=after) == 1


def _requeue(claim: Claim, *, attempt: int, after: timedelta) -> int:
    return fenced(claim).update(
        state=State.QUEUED,
        attempt=attempt,
        owner=None,
        lease_until=None,
        not_before=_from_now(after),
        stage="",
        rows_done=0,
    )


def queue_again(*, evaluation_id: UUID, attempt: int) -> bool:
    """Failed to queued with no attempt spent; False if it is not the failure that was looked at.

    It waits from now on (`not_before`), whenever its file was received.
    """
    failed = Evaluation.objects.filter(pk=evaluation_id, state=State.FAILED, attempt=attempt)
    hit = failed.update(
        state=State.QUEUED,
        attempt=0,
        owner=None,
        lease_until=None,
        not_before=Now(),
        stage="",
        rows_done=0,
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
    return Evaluation.objects.filter(
        abandoned(),
        attempt__gte=settings.SCORING_MAX_ATTEMPTS,
    )


def _lease() -> ExpressionWrapper[CombinedExpression]:
    return _from_now(timedelta(seconds=settings.SCORING_LEASE_SECONDS))


def _from_now(delta: timedelta) -> ExpressionWrapper[CombinedExpression]:
    return ExpressionWrapper(Now() + Value(delta), output_field=DateTimeField())


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
