"""Reads of evaluations: how far a submission is, whether scoring is healthy, and what an organizer
looks through: how scoring stands, and all that was handed in.
"""

import re
import statistics
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, get_args
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet
from numpy.typing import NDArray

from leaderboard.competitions.models import Competition
from leaderboard.evaluation.claim import claimable, place_in_queue, versions_with_work
from leaderboard.evaluation.health import last_ended, stalled
from leaderboard.evaluation.models import Evaluation, ExampleScores
from leaderboard.references.models import Example, ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.teams.queries import among, teams_of
from scoring.pipeline import read_example_blob

State = Evaluation.State

SHOWN = {state: state.value for state in State} | {State.QUEUED: "waiting"}
RECENT = 50  # durations that the expected wait is taken from


def evaluation_under_live(submission: Submission) -> Evaluation | None:
    """The evaluation that is the submission's state: the one under the live version."""
    return Evaluation.objects.filter(
        submission=submission, scoring_version__state=ScoringVersion.State.LIVE
    ).first()


def progress(submission: Submission, *, at: datetime) -> dict[str, Any]:
    """Where this submission stands, as its team may know it.

    While it waits: `waited_seconds` since it was received, and what to expect from then on, which
    is never less. Nothing is expected while scoring stands still. Without an evaluation yet it
    waits; the sweeper makes one.
    """
    found = evaluation_under_live(submission)
    if found is None:
        found = Evaluation(submission=submission, received_at=submission.received_at)
    waits = found.state == State.QUEUED
    place = place_in_queue(found) if waits else None
    stall = stalled(at) if waits or found.state == State.RUNNING else None
    waited = max(0, int((at - found.received_at).total_seconds())) if waits else None
    columns = ("rows_done", "rows_total", "attempt", "finished_at")
    return {
        **{name: getattr(found, name) for name in columns},
        "state": SHOWN[State(found.state)],
        "is_over": found.state in (State.DONE, State.FAILED, State.CANCELLED),
        "stage": "queued" if waits else found.stage,
        "place_in_queue": place,
        "waited_seconds": waited,
        # Those that passed, and those that the queue needs.
        "expected_wait_seconds": (
            waited + expected_wait(place)
            if waited is not None and place is not None and stall is None
            else None
        ),
        "stall": stall,
        "reference_id": str(found.pk)[:8] if found.state == State.FAILED else None,
        "ids_changed": found.failure == Evaluation.IDS_CHANGED,  # not failed by us
        "out_of_time": found.failure == Evaluation.TEXT_TIME_LIMIT,
    }


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


def under_way(team: Team) -> QuerySet[Evaluation]:
    """The team's evaluations under the live version that have not ended, the oldest first."""
    unended = Evaluation.objects.filter(
        submission__team=team, state__in=(State.QUEUED, State.RUNNING)
    )
    live = unended.filter(scoring_version__state=ScoringVersion.State.LIVE)
    return live.select_related("submission").order_by("received_at")


def waits_since(since: datetime) -> int:
    """How many evaluations were received before `since` and may be claimed now."""
    return claimable().filter(received_at__lt=since).count()


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
        "unsupported": [str(version.pk) for version in versions_with_work(supported=False)],
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
    """Those of one version, in the order of these submissions; KeyError for one that has none."""
    for start in range(0, len(submissions), READ_AT_ONCE):
        part = submissions[start : start + READ_AT_ONCE]
        known = row_values(part, [version])
        yield from (known[submission, version] for submission in part)


def rows_in_order(reference_set_id: UUID) -> list[tuple[str, str]]:
    """Id and split of each row, in the order of the stored values."""
    rows = Example.objects.filter(reference_set=reference_set_id).order_by("position")
    return list(rows.values_list("example_id", "split"))


SCORED = (ScoringVersion.State.LIVE, ScoringVersion.State.REHEARSING)
A_DAY = timedelta(days=1)


def scoring(competition: Competition) -> dict[str, Any]:
    """One contest's scoring, the live version first; a few queries for any number of files."""
    scored = ScoringVersion.objects.filter(competition=competition, state__in=SCORED)
    versions = list(scored.order_by("state", "-draft_number"))  # "live" before "rehearsing"
    rows = Evaluation.objects.filter(scoring_version__in=versions).order_by()
    queued = rows.filter(state=State.QUEUED)
    failures = rows.filter(state=State.FAILED).values(code=F("failure"))
    return {
        "versions": versions,
        "failures": failures.annotate(number=Count("pk")).order_by("-number", "code"),
        **queued.aggregate(waiting=Count("pk"), oldest_waiting_at=Min("received_at")),
        "unsupported": [
            one
            for one in versions_with_work(supported=False)
            if one.competition_id == competition.pk
        ],
    }


def server_scoring(at: datetime) -> dict[str, Any]:
    """The whole server's: contests with the oldest file first, and the failures of a day."""
    contest, states = F("scoring_version__competition__slug"), (State.QUEUED, State.RUNNING)
    queued, live = Q(state=State.QUEUED), Q(scoring_version__state=ScoringVersion.State.LIVE)
    queue = (
        Evaluation.objects.filter(state__in=states)
        .values(slug=contest)
        .annotate(
            waiting=Count("pk", filter=queued & live),
            rehearsals=Count("pk", filter=queued & ~live),
            running=Count("pk", filter=~queued),
            oldest_at=Min("received_at"),
        )
        .order_by("oldest_at", "slug")
    )
    failures = (
        Evaluation.objects.filter(state=State.FAILED, finished_at__gt=at - A_DAY)
        .values(slug=contest, code=F("failure"))
        .annotate(number=Count("pk"), last_at=Max("finished_at"))
        .order_by("-last_at", "slug", "code")
    )
    return {
        "queue": list(queue),
        "failures": list(failures),
        "last_scored_at": last_ended(State.DONE),
    }


Kind = Literal["waiting", "running", "done", "failed", "cancelled", "excluded", "late", "baseline"]
KINDS: tuple[Kind, ...] = get_args(Kind)
HEX = re.compile(r"[0-9a-f]{4,64}")
NEWEST = 1000  # files of which one may lack its evaluation
SHORTEST_ID = 8  # as many as a failure tells its team to quote


def search(competition: Competition, *, query: str = "", kind: str = "") -> QuerySet[Submission]:
    """Submissions by team, person, file name, hash or id, newest first.

    `kind` is one of KINDS: a state under the live version (`failed`: under a rehearsing one too),
    or what was decided about it. An unknown one finds nothing.
    """
    matching = of_competition(competition)
    if query.strip():
        matching = matching.filter(_words(competition, query.strip()))
    return matching.filter(_kind(competition, kind)) if kind else matching


def of_competition(competition: Competition) -> QuerySet[Submission]:
    """Everything that was handed in, baselines too, newest first."""
    return Submission.objects.filter(team__competition=competition).select_related(
        "team__competition", "submitted_by", "exclusion", "cancellation", "final_choice"
    )


def evaluations_of(submissions: list[UUID]) -> dict[UUID, list[Evaluation]]:
    """The evaluations of these submissions, newest version first, in one query."""
    rows = Evaluation.objects.filter(submission__in=submissions)
    found: dict[UUID, list[Evaluation]] = {}
    for row in rows.select_related("scoring_version").order_by("-scoring_version__draft_number"):
        found.setdefault(row.submission_id, []).append(row)
    return found


def retriable(competition: Competition) -> QuerySet[Evaluation]:
    """What failed on our side under a version that is scored now; cancelled ones never."""
    failed = Evaluation.objects.filter(
        state=State.FAILED,
        scoring_version__competition=competition,
        scoring_version__state__in=SCORED,
        submission__cancellation=None,
    ).exclude(failure=Evaluation.IDS_CHANGED)
    return failed.select_related("scoring_version", "submission__team__competition")


def _words(competition: Competition, query: str) -> Q:
    named = Team.objects.filter(competition=competition, name__icontains=query)
    wanted = among("team", named.values_list("pk", flat=True)) | among(
        "team", teams_of(competition, query)
    )
    of_file = Q(file_name__icontains=query)
    digits = query.lower().replace("-", "")
    if HEX.fullmatch(digits):
        # By its beginning. A range, for its index: hexadecimal digits are in order everywhere.
        of_file |= Q(sha256__gte=digits, sha256__lt=f"{digits}g")
        if SHORTEST_ID <= len(digits) <= 32:
            # An id by its beginning. A range, because databases write ids in different ways.
            ids = (UUID(hex=digits.ljust(32, "0")), UUID(hex=digits.ljust(32, "f")))
            scored = Evaluation.objects.filter(pk__range=ids)
            wanted |= Q(pk__range=ids) | among("pk", scored.values_list("submission", flat=True))
    files = Submission.objects.filter(of_file).values_list("pk", flat=True)
    return wanted | among("pk", files, of_file)


def _kind(competition: Competition, kind: str) -> Q:
    live = Evaluation.objects.filter(
        submission=OuterRef("pk"), scoring_version__state=ScoringVersion.State.LIVE
    )
    match kind:
        case "waiting":
            queued = Evaluation.objects.filter(
                scoring_version__competition=competition,
                scoring_version__state=ScoringVersion.State.LIVE,
                state=State.QUEUED,
            )
            # An upload brings its evaluation. One that was lost is asked for by the sweeper, at
            # once if its file is new: a million files are not looked through for it.
            newest = Submission.objects.filter(team__competition=competition).values("pk")[:NEWEST]
            lacking = Submission.objects.filter(~Exists(live), pk__in=newest)
            return Q(cancellation=None) & (
                among("pk", queued.values_list("submission", flat=True))
                | among("pk", lacking.values_list("pk", flat=True))
            )
        case "running" | "done":
            return Q(Exists(live.filter(state=kind)))
        case "failed":
            failed = Evaluation.objects.filter(
                scoring_version__competition=competition,
                scoring_version__state__in=SCORED,
                state=State.FAILED,
            )
            return among("pk", failed.values_list("submission", flat=True))
        case "cancelled":
            return Q(cancellation__isnull=False)
        case "excluded":
            return Q(exclusion__isnull=False)
        case "late":
            return Q(is_late=True)
        case "baseline":
            return Q(team__kind=Team.Kind.BASELINE)
        case _:
            return Q(pk=None)
