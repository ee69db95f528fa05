"""The queue and the fence: who scores what, in which order, for how long, and whose result counts.

A claim is one conditional update. Heartbeat, result and failure repeat (owner, attempt) and drop
their work when no row matches, so a worker that lost its lease can never write. Lease times come
from the database's clock alone: machines may disagree about the time, the database cannot.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db.models import (
    Case,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.constants import LOOKUP_SEP
from django.db.models.functions import Now

from leaderboard.evaluation.models import Evaluation, ExampleScores, KeptFailure, SplitScore
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import scored_versions
from leaderboard.submissions.models import Submission
from scoring import tokenizers
from scoring.pipeline import Report
from scoring.ranking import printed

State = Evaluation.State
ENDED: dict[str, Any] = {"owner": None, "lease_until": None}
WAITING = {**ENDED, "state": State.QUEUED, "stage": "", "rows_done": 0}
ORDER = ("rehearsal", "team_running", "received_at", "pk")

# Running rows whose lease ran out by the database's clock: their worker is lost.
ABANDONED = Q(state=State.RUNNING, lease_until__lt=Now())
# Rows that nothing tells to wait, or no longer, by the database's clock.
DUE = Q(not_before=None) | Q(not_before__lte=Now())


class LeaseLost(Exception):
    """Somebody else may be scoring this evaluation by now: drop the work."""


def next_claim(*, at: datetime) -> Evaluation | None:
    """Take the head of the queue, or None when nothing waits that this worker can score.

    The row with its new owner and attempt is the right to score it until the lease runs out. `at`
    is only noted as the start; the lease runs by the database's clock.
    """
    versions = versions_with_work()
    while (claim := head(versions)) is not None:
        owner = uuid4()
        hit = claimable().filter(pk=claim.pk, attempt=claim.attempt)
        if hit.update(
            state=State.RUNNING,
            attempt=F("attempt") + 1,
            owner=owner,
            lease_until=Now() + timedelta(seconds=settings.SCORING_LEASE_SECONDS),
            last_sign_at=at,
            started_at=at,
            stage="prepare",
            rows_done=0,
        ):
            claim.attempt, claim.owner = claim.attempt + 1, owner
            return claim
    return None


def change(claim: Evaluation, **columns: Any) -> None:
    """The fence: write these columns if the row still runs under this claim. Raises LeaseLost."""
    rows = Evaluation.objects.filter(
        pk=claim.pk, state=State.RUNNING, owner=claim.owner, attempt=claim.attempt
    )
    if rows.update(**columns) != 1:
        raise LeaseLost(str(claim.pk))


def heartbeat(claim: Evaluation, **progress: Any) -> None:
    """Renew the lease and say how far the work is. Raises LeaseLost."""
    lease_until = Now() + timedelta(seconds=settings.SCORING_LEASE_SECONDS)
    change(claim, lease_until=lease_until, last_sign_at=Now(), **progress)


def wait_again(
    claim: Evaluation, *, after: timedelta = timedelta(0), is_spent: bool = False
) -> None:
    """Return the row to the queue; the attempt counts only if `is_spent`. Raises LeaseLost."""
    attempt = claim.attempt if is_spent else claim.attempt - 1
    change(claim, **WAITING, attempt=attempt, not_before=Now() + after)


def cancel_waiting(submission_id: UUID) -> bool:
    """Take back all evaluations of a submission. False when any was under way: then roll back."""
    rows = Evaluation.objects.filter(submission=submission_id)
    number = rows.count()
    return rows.filter(state=State.QUEUED).update(state=State.CANCELLED) == number > 0


def exhausted() -> QuerySet[Evaluation]:
    """Rows whose last allowed attempt ended without a sign: the sweeper fails them."""
    return Evaluation.objects.filter(ABANDONED, attempt__gte=settings.SCORING_MAX_ATTEMPTS)


def save(*, claim: Evaluation, report: Report, at: datetime) -> None:
    """Running to done with all numbers, once. Raises LeaseLost when the claim no longer counts."""
    progress = {"stage": "rank", "rows_done": report.rows, "rows_total": report.rows}
    change(claim, state=State.DONE, finished_at=at, **ENDED, **progress)
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


def claimable() -> QuerySet[Evaluation]:
    """Rows that anybody may take: waiting ones, and running ones whose lease ran out."""
    return Evaluation.objects.filter(
        Q(state=State.QUEUED) & DUE | ABANDONED, attempt__lt=settings.SCORING_MAX_ATTEMPTS
    )


def in_order(rows: QuerySet[Evaluation] | None = None) -> QuerySet[Evaluation]:
    """These, or all that waits: live first, teams with fewer running first, then by time."""
    if rows is None:
        rows = Evaluation.objects.filter(
            Q(state=State.QUEUED) | ABANDONED, attempt__lt=settings.SCORING_MAX_ATTEMPTS
        )
    rehearsal_last = Case(
        When(scoring_version__state=ScoringVersion.State.LIVE, then=Value(0)),
        default=Value(1),
        output_field=IntegerField(),
    )
    running = Case(
        *(When(submission__team=team, then=number) for team, number in _running_teams().items()),
        default=Value(0),
        output_field=IntegerField(),
    )
    return rows.annotate(rehearsal=rehearsal_last, team_running=running).order_by(*ORDER)


def place_in_queue(evaluation: Evaluation) -> int | None:
    """1 for the head of the queue, None for what does not wait. Counted, not laid out."""
    waiting = in_order()
    own = waiting.filter(pk=evaluation.pk).values(*ORDER).first()
    if own is None:
        return None
    ahead, alike = Q(), Q()
    for key in ORDER:
        ahead |= alike & Q(**{f"{key}{LOOKUP_SEP}lt": own[key]})
        alike &= Q(**{key: own[key]})
    return waiting.order_by().filter(ahead).count() + 1


def _running_teams() -> dict[UUID, int]:
    """How many evaluations run of each team that has any: no more than there are workers."""
    running = Evaluation.objects.filter(state=State.RUNNING, lease_until__gte=Now())
    return Counter(running.values_list("submission__team", flat=True))


def head(versions: Sequence[ScoringVersion]) -> Evaluation | None:
    """The next evaluation of one of these versions that may be claimed now.

    The first in order, found without laying out all that waits: thousands do after new references
    or before a deadline, and every claim asks.
    """
    busy = list(_running_teams()) if versions else []
    for is_live in (True, False):
        alike = [one.pk for one in versions if (one.state == ScoringVersion.State.LIVE) == is_live]
        if not alike:
            continue
        rows = Evaluation.objects.filter(
            scoring_version__in=alike, attempt__lt=settings.SCORING_MAX_ATTEMPTS
        ).select_related("submission", "scoring_version")
        by_time = rows.exclude(submission__team__in=busy).order_by("received_at", "pk")
        # Asked one by one: a database walks along the index of one state, and not of either.
        queued, abandoned = by_time.filter(DUE, state=State.QUEUED), by_time.filter(ABANDONED)
        if found := [row for row in (queued.first(), abandoned.first()) if row is not None]:
            return min(found, key=lambda row: (row.received_at, row.pk))
        ready = claimable().filter(scoring_version__in=alike)
        ready = ready.select_related("submission", "scoring_version")
        if busy and (of_busy_team := in_order(ready).first()) is not None:
            return of_busy_team
    return None


def files_wait() -> bool:
    """Whether there is a file that a worker of this software could score now."""
    return head(versions_with_work()) is not None


def versions_with_work(*, supported: bool = True) -> list[ScoringVersion]:
    """Versions that anything waits or runs under, but for those whose references lately failed.

    Those that this process can score, or those that it cannot: readiness names them.
    """
    waiting = Evaluation.objects.filter(state__in=(State.QUEUED, State.RUNNING))
    failed = KeptFailure.objects.filter(work=KeptFailure.Work.GOLDS, again_at__gt=Now())
    versions = ScoringVersion.objects.filter(pk__in=waiting.values("scoring_version"))
    versions = versions.exclude(pk__in=failed.values("scoring_version"))
    found = versions.select_related("reference_set")
    return [version for version in found if is_supported(version) == supported]


def is_supported(version: ScoringVersion) -> bool:
    """Whether this process's code and packages would print the version's signature.

    An upgraded analyzer prints another signature, so its worker leaves the old version alone and
    two analyzers can never mix on one board.
    """
    key = version.pk, version.signature
    if key not in _supported:  # neither it nor this process's packages ever change
        profile = version.profile()
        _supported[key] = (
            tokenizers.available(profile.tokenizer)
            and version.reference_set.signature_under(profile) == version.signature
        )
    return _supported[key]


_supported: dict[tuple[UUID, str], bool] = {}


def ask(
    *,
    submissions: Sequence[Submission],
    versions: Sequence[ScoringVersion],
    rows: int,
    not_before: datetime | None = None,
) -> None:
    """Queue one evaluation of each submission under each version; asking again changes nothing."""
    Evaluation.objects.bulk_create(
        [
            Evaluation(
                submission=submission,
                scoring_version=version,
                received_at=submission.received_at,
                not_before=not_before,
                rows_total=rows,
            )
            for submission in submissions
            for version in versions
        ],
        ignore_conflicts=True,
        batch_size=500,
    )


def ask_anew(*, submissions: Sequence[Submission], version: ScoringVersion) -> None:
    """Queue these under the version; they wait from now on. The database's clock is read once."""
    now = ScoringVersion.objects.annotate(now=Now()).values_list("now", flat=True)
    ask(
        submissions=submissions,
        versions=[version],
        rows=version.reference_set.rows,
        not_before=now.get(pk=version.pk),
    )


PART = 500  # submissions in memory at a time; a rehearsal asks for all there are


def ask_missing(*, at: datetime, since: datetime | None = None) -> int:
    """Queue what live and rehearsing versions lack of what came `since`; answers how many."""
    return sum(ask_under(version, at=at, since=since) for version in scored_versions())


def ask_under(version: ScoringVersion, *, at: datetime, since: datetime | None = None) -> int:
    """Queue what this version lacks of all received until `at`; cancelled ones never."""
    asked_for = Evaluation.objects.filter(submission=OuterRef("pk"), scoring_version=version)
    missing = Submission.objects.filter(
        ~Exists(asked_for),
        cancellation=None,
        team__competition=version.competition_id,
        received_at__lte=at,
    )
    if since is not None:
        missing = missing.filter(received_at__gte=since)
    rows = missing.only("received_at").order_by("pk")

    asked, last = 0, UUID(int=0)
    while part := list(rows.filter(pk__gt=last)[:PART]):
        ask_anew(submissions=part, version=version)
        asked += len(part)
        last = part[-1].pk
        if len(part) < PART:
            break
    return asked
