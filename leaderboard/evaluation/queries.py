"""Reads of evaluations: how far a submission is, and whether scoring is healthy."""

import statistics
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db.models import Count, Exists, Min, OuterRef, Q
from numpy.typing import NDArray

from leaderboard.evaluation.claim import claimable, place_in_queue, unsupported_versions
from leaderboard.evaluation.health import Stall, stalled
from leaderboard.evaluation.models import Evaluation, ExampleScores, SplitScore
from leaderboard.references.models import Example, ScoringVersion
from leaderboard.submissions.models import Submission
from scoring.pipeline import read_example_blob

State = Evaluation.State

SHOWN = {
    State.QUEUED: "waiting",
    State.RUNNING: "running",
    State.DONE: "done",
    State.FAILED: "failed",
    State.CANCELLED: "cancelled",
}
RECENT = 50  # durations that the expected wait is taken from


@dataclass(frozen=True)
class Progress:
    """Where a submission stands, as its team may know it.

    While it waits: `waited_seconds` since it was received, and what to expect from then on, which
    is never less. Nothing is expected while scoring stands still.
    """

    state: str
    stage: str
    done: int
    total: int
    attempt: int
    max_attempts: int
    place_in_queue: int | None
    waited_seconds: int | None
    expected_wait_seconds: int | None
    stall: Stall | None
    last_sign_at: datetime | None
    reference_id: str | None
    finished_at: datetime | None
    seconds: float | None
    ids_changed: bool = False  # failed, but not by us: see Evaluation.IDS_CHANGED
    out_of_time: bool = False  # an analyzer took too long for one text

    @property
    def is_over(self) -> bool:
        return self.state in ("done", "failed", "cancelled")


def evaluation_under_live(submission: Submission) -> Evaluation | None:
    """The evaluation that is the submission's state: the one under the live version."""
    return Evaluation.objects.filter(
        submission=submission, scoring_version__state=ScoringVersion.State.LIVE
    ).first()


def progress(submission: Submission, *, at: datetime) -> Progress:
    """How far this submission is. Without an evaluation yet it waits; the sweeper makes one."""
    found = evaluation_under_live(submission)
    if found is None:
        found = Evaluation(submission=submission, received_at=submission.received_at)
    waits = found.state == State.QUEUED
    place = place_in_queue(found) if waits else None
    stall = stalled(at) if waits or found.state == State.RUNNING else None
    waited = max(0, int((at - found.received_at).total_seconds())) if waits else None
    ended = found.finished_at
    return Progress(
        state=SHOWN[State(found.state)],
        stage="queued" if waits else found.stage,
        done=found.rows_done,
        total=found.rows_total,
        attempt=found.attempt,
        max_attempts=settings.SCORING_MAX_ATTEMPTS,
        place_in_queue=place,
        waited_seconds=waited,
        # Those that passed, and those that the queue needs.
        expected_wait_seconds=(
            waited + expected_wait(place)
            if waited is not None and place is not None and stall is None
            else None
        ),
        stall=stall,
        last_sign_at=found.last_sign_at,
        reference_id=str(found.pk)[:8] if found.state == State.FAILED else None,
        finished_at=ended,
        seconds=(ended - found.received_at).total_seconds() if ended else None,
        ids_changed=found.failure == Evaluation.IDS_CHANGED,
        out_of_time=found.failure == Evaluation.TEXT_TIME_LIMIT,
    )


def expected_wait(place: int) -> int:
    """Seconds until the one at this place is scored, by the median of recent scorings."""
    recent = Evaluation.objects.filter(state=State.DONE, started_at__isnull=False)
    spans = [
        (finished - started).total_seconds()
        for started, finished in recent.order_by("-finished_at").values_list(
            "started_at", "finished_at"
        )[:RECENT]
        if finished is not None and started is not None
    ]
    each = statistics.median(spans) if spans else 1.0
    workers: int = settings.CELERY_WORKER_CONCURRENCY
    return max(1, round(each * place / workers))


def states(submissions: Iterable[UUID]) -> dict[UUID, str]:
    """The state of each of these submissions under the live version, in one query."""
    found = Evaluation.objects.filter(
        submission__in=list(submissions), scoring_version__state=ScoringVersion.State.LIVE
    ).values_list("submission", "state")
    return {submission_id: SHOWN[State(state)] for submission_id, state in found}


def unended(version: ScoringVersion) -> int:
    """How many uncancelled submissions have no ended evaluation under this version yet."""
    ended = Evaluation.objects.filter(
        submission=OuterRef("pk"), scoring_version=version, state__in=(State.DONE, State.FAILED)
    )
    return Submission.objects.filter(
        ~Exists(ended), cancellation=None, team__competition=version.competition_id
    ).count()


def failed_under(version: ScoringVersion) -> list[Evaluation]:
    """The evaluations that ended without a score under this version, by time received."""
    rows = Evaluation.objects.filter(scoring_version=version, state=State.FAILED)
    return list(rows.select_related("submission__team").order_by("received_at", "pk"))


def scored_before(live: ScoringVersion, version: ScoringVersion) -> list[SplitScore]:
    """The public scores under `version` of what still waits or runs under `live`."""
    unfinished = Evaluation.objects.filter(
        scoring_version=live, state__in=(State.QUEUED, State.RUNNING)
    )
    scores = SplitScore.objects.filter(
        evaluation__scoring_version=version,
        evaluation__submission__in=unfinished.values("submission"),
        split="public",
    )
    submission = "evaluation__submission"
    return list(
        scores.select_related(f"{submission}__team__competition", f"{submission}__submitted_by")
    )


def waits_since(since: datetime) -> int:
    """How many evaluations were received before `since` and may be claimed now."""
    return claimable().filter(received_at__lt=since).count()


def last_scored_at() -> datetime | None:
    """When the newest evaluation of any version was done: read from the end of an index."""
    done = Evaluation.objects.filter(state=State.DONE, finished_at__isnull=False)
    return done.order_by("-finished_at").values_list("finished_at", flat=True).first()


def health(at: datetime) -> dict[str, object]:
    """Counts for readiness and the operator."""
    queued = Q(state=State.QUEUED)
    found = Evaluation.objects.filter(state__in=(State.QUEUED, State.RUNNING)).aggregate(
        waiting=Count("pk", filter=queued),
        running=Count("pk", filter=~queued),
        oldest=Min("received_at", filter=queued),
    )
    oldest = found.pop("oldest")
    return {
        **found,
        "oldest_waiting_seconds": (at - oldest).total_seconds() if oldest else 0.0,
        "unsupported": [str(version.pk) for version in unsupported_versions()],
    }


Values = NDArray[np.float64]
READ_AT_ONCE = 500  # files, each some kilobytes


def row_values(
    submissions: Collection[UUID], versions: Collection[UUID]
) -> dict[tuple[UUID, UUID], Values]:
    """Rows x metrics by (submission, version), rows in the order of the set. One query."""
    blobs = ExampleScores.objects.filter(
        evaluation__submission__in=submissions, evaluation__scoring_version__in=versions
    ).values_list("evaluation__submission", "evaluation__scoring_version", "blob")
    return {
        (submission_id, version_id): read_example_blob(bytes(blob))
        for submission_id, version_id, blob in blobs
    }


def each_row_values(submissions: Sequence[UUID], version: UUID) -> Iterator[Values]:
    """Those of one version, in the order of these submissions; KeyError for one that has none.

    Of so many files at a time that they may be more than a machine's memory holds.
    """
    for start in range(0, len(submissions), READ_AT_ONCE):
        part = submissions[start : start + READ_AT_ONCE]
        known = row_values(part, [version])
        yield from (known[submission, version] for submission in part)


def rows_in_order(reference_set_id: UUID) -> list[tuple[str, str]]:
    """Id and split of each row, in the order of the stored values."""
    rows = Example.objects.filter(reference_set=reference_set_id).order_by("position")
    return list(rows.values_list("example_id", "split"))
