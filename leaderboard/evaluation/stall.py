"""Whether scoring stands still: files wait, and for half a minute no worker did anything.

Told by what was done and not by who says that he lives: a worker that hears no message, or whose
children hang, scores as little as none.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Min, Q, QuerySet
from django.db.models.functions import Coalesce

from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queue import due, unsupported_versions
from leaderboard.evaluation.workers import living
from leaderboard.references.models import ScoringVersion

State = Evaluation.State
STALLED_AFTER = timedelta(seconds=30)


@dataclass(frozen=True)
class Stall:
    """Since when the oldest of the `waiting` evaluations could be scored and is not.

    `workers`: how many say that they live nevertheless.
    """

    waiting: int
    since: datetime
    workers: int


def stalled(at: datetime, *, rehearsals: bool = False) -> Stall | None:
    """Why people should know at `at`; None while all goes well, which costs one small question.

    Of live versions, or with `rehearsals` of those too, which no participant may learn of. What
    this process could not score is told in another way: it waits for new golds, not for a worker.
    """
    before = at - STALLED_AFTER
    unended = _unended(rehearsals=rehearsals)
    if not unended.filter(received_at__lt=before).exists() or _anything_done(before):
        return None
    able = unended.exclude(scoring_version__in=[one.pk for one in unsupported_versions()])
    oldest = able.aggregate(since=Min(Coalesce("not_before", "received_at")))["since"]
    if oldest is None or oldest >= before:
        return None
    return Stall(waiting=able.count(), since=oldest, workers=living(at))


def _unended(*, rehearsals: bool) -> QuerySet[Evaluation]:
    """What waits and may begin, and what somebody began: whether he goes on is asked apart."""
    versions = [ScoringVersion.State.LIVE]
    if rehearsals:
        versions.append(ScoringVersion.State.REHEARSING)
    return Evaluation.objects.filter(
        Q(state=State.QUEUED) & due() | Q(state=State.RUNNING),
        scoring_version__state__in=versions,
    )


def _anything_done(since: datetime) -> bool:
    """Whether a worker took, went on with or ended anything. What the sweeper fails is no sign."""
    at_work = Evaluation.objects.filter(state=State.RUNNING, last_sign_at__gte=since)
    ended = Evaluation.objects.filter(state=State.DONE, finished_at__gte=since)
    return at_work.exists() or ended.exists()
