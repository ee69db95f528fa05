"""Whether scoring goes well: signs of life, a standstill, and how long files wait.

A standstill is told by what was done and not by who says that he lives: a worker that hears no
message, or whose children hang, scores as little as none. All times of signs are the database's.
"""

import statistics
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, F, Min, Q, QuerySet
from django.db.models.functions import Coalesce, Now

from leaderboard.competitions.models import Competition
from leaderboard.evaluation.claim import ABANDONED, DUE, versions_with_work
from leaderboard.evaluation.models import Evaluation, Worker
from leaderboard.references.models import ScoringVersion

State = Evaluation.State

SIGN_SECONDS = 10.0
SILENT_AFTER = timedelta(seconds=3 * SIGN_SECONDS)
FORGOTTEN_AFTER = timedelta(days=1)


def sign(*, name: str, queue: str, **said: object) -> None:
    """This process lives, with further columns. A first sign forgets those silent for a day."""
    if not Worker.objects.filter(name=name).update(last_sign_at=Now(), **said):
        Worker.objects.filter(last_sign_at__lt=Now() - FORGOTTEN_AFTER).delete()
        first = {"queue": queue, "started_at": Now(), "last_sign_at": Now(), **said}
        Worker.objects.get_or_create(name=name, defaults=first)


def workers(at: datetime) -> list[Any]:
    """All that are known, each with whether it `lives`, the newest sign first."""
    rows = Worker.objects.annotate(lives=Q(last_sign_at__gte=at - SILENT_AFTER))
    return list(rows.order_by("-last_sign_at", "name"))


STALLED_AFTER = timedelta(seconds=30)


@dataclass(frozen=True)
class Stall:
    """Since when the oldest of the `waiting` could be scored and is not, while so many `workers`
    live."""

    waiting: int
    since: datetime
    workers: int


def stalled(at: datetime, *, rehearsals: bool = False) -> Stall | None:
    """Why people should know at `at`; None while all goes well, which costs one small question.

    Of live versions, or with `rehearsals` of those too, which no participant may learn of. What
    this process could not score is told in another way: no worker is what it waits for.
    """
    before = at - STALLED_AFTER
    versions = [ScoringVersion.State.LIVE]
    if rehearsals:
        versions.append(ScoringVersion.State.REHEARSING)
    # What waits and may begin, and what somebody began: whether he goes on is asked apart.
    unended = Evaluation.objects.filter(
        Q(state=State.QUEUED) & DUE | Q(state=State.RUNNING),
        state__in=(State.QUEUED, State.RUNNING),  # said once more for the index
        scoring_version__state__in=versions,
    )
    if not unended.filter(received_at__lt=before).exists():
        return None
    # Whether a worker went on with or ended anything. What the sweeper fails is no sign.
    at_work = Evaluation.objects.filter(state=State.RUNNING, last_sign_at__gte=before)
    ended = Evaluation.objects.filter(state=State.DONE, finished_at__gte=before)
    if at_work.exists() or ended.exists():
        return None
    able = unended.exclude(scoring_version__in=versions_with_work(supported=False))
    oldest = able.aggregate(since=Min(Coalesce("not_before", "received_at")))["since"]
    if oldest is None or oldest >= before:
        return None
    scoring = Worker.objects.filter(queue__contains=settings.CELERY_TASK_DEFAULT_QUEUE)
    lately = scoring.filter(last_sign_at__gte=at - SILENT_AFTER)
    return Stall(waiting=able.count(), since=oldest, workers=lately.count())


SPAN = timedelta(hours=1)  # what "lately" means


def load(at: datetime, competition: Competition | None = None) -> dict[str, Any]:
    """How scoring stands at `at` under live versions, of one contest or of the whole server.

    `median_seconds` is from received to scored, of the `scored` evaluations of the last hour.
    `stall` is of the whole server. `unsupported`: numbers of live versions with waiting work that
    this server's packages would score differently.
    """
    own = Evaluation.objects.filter(scoring_version__state=ScoringVersion.State.LIVE)
    if competition is not None:
        own = own.filter(scoring_version__competition=competition)
    # Whoever held these is gone; the next worker takes them up again.
    waiting = own.filter(Q(state=State.QUEUED) | ABANDONED)
    spans = upload_to_score(own.filter(finished_at__gt=at - SPAN, finished_at__lte=at))
    return {
        "waiting": waiting.count(),
        "running": own.filter(state=State.RUNNING).exclude(ABANDONED).count(),
        "oldest_waiting_at": waiting.aggregate(oldest=Min("received_at"))["oldest"],
        "scored": len(spans),
        "median_seconds": statistics.median(spans) if spans else None,
        "last_scored_at": last_ended(State.DONE, own),
        "last_failed_at": last_ended(State.FAILED, own),
        "stall": stalled(at),
        "unsupported": [
            version.number
            for version in versions_with_work(supported=False)
            if version.state == ScoringVersion.State.LIVE
            and competition in (None, version.competition)
        ],
    }


def ended_since(at: datetime) -> tuple[int, int]:
    """How many evaluations were done in the hour before `at`, and how many failed by our fault."""
    ended = Evaluation.objects.filter(
        state__in=(State.DONE, State.FAILED), finished_at__gt=at - SPAN, finished_at__lte=at
    ).exclude(failure=Evaluation.IDS_CHANGED)
    counted = dict(ended.order_by().values_list("state").annotate(Count("pk")))
    return counted.get(State.DONE, 0), counted.get(State.FAILED, 0)


def upload_to_score(evaluations: QuerySet[Evaluation]) -> list[float]:
    """Seconds from received to scored, of those of these whose team waited for them.

    What was handed in before the version went live, or came with an imported contest, was scored
    anew, days later: that says nothing about how long scoring takes.
    """
    version = "scoring_version__"
    waited_for = evaluations.filter(
        Q(**{f"{version}competition__imported_at": None})
        | Q(received_at__gte=F(f"{version}competition__imported_at")),
        state=State.DONE,
        received_at__gte=F(f"{version}made_live_at"),
    )
    return [
        (finished - received).total_seconds()
        for received, finished in waited_for.values_list("received_at", "finished_at")
        if finished is not None
    ]


def last_ended(state: str, rows: QuerySet[Evaluation] | None = None) -> datetime | None:
    """When the newest of these, or of all, came to this state.

    The newest first, along the index: a maximum over a join reads all there are.
    """
    found = Evaluation.objects.all() if rows is None else rows
    ended = found.filter(state=state, finished_at__isnull=False).order_by("-finished_at")
    return ended.values_list("finished_at", flat=True).first()
