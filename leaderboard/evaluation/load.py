"""How scoring is doing, for everybody to read: counts and instants, no names and no texts."""

import statistics
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F, Max, Min, Q, QuerySet

from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queue import abandoned, unsupported_versions
from leaderboard.evaluation.stall import Stall, stalled
from leaderboard.references.models import ScoringVersion

State = Evaluation.State
SPAN = timedelta(hours=1)  # what "lately" means


@dataclass(frozen=True)
class Load:
    """The state of scoring under live versions, of one contest or of all.

    `median_seconds` is from received to scored, of the `scored` evaluations of the last hour;
    what was scored anew is not among them.
    `stall` is of the whole server: whoever hands in next would wait as well. `unsupported`:
    numbers of live versions with waiting work that this server's packages would score differently.
    """

    waiting: int
    running: int
    oldest_waiting_at: datetime | None
    scored: int
    median_seconds: float | None
    last_scored_at: datetime | None
    last_failed_at: datetime | None
    stall: Stall | None
    unsupported: tuple[int, ...]


def load(at: datetime, competition: Competition | None = None) -> Load:
    """How scoring stands at `at`; without a competition, of the whole server."""
    own = Evaluation.objects.filter(scoring_version__state=ScoringVersion.State.LIVE)
    if competition is not None:
        own = own.filter(scoring_version__competition=competition)
    # Whoever held these is gone; the next worker takes them up again.
    waiting = own.filter(Q(state=State.QUEUED) | abandoned())
    running = own.filter(state=State.RUNNING).exclude(abandoned()).count()
    oldest: datetime | None = waiting.aggregate(oldest=Min("received_at"))["oldest"]
    spans = upload_to_score(own.filter(finished_at__gt=at - SPAN, finished_at__lte=at))
    return Load(
        waiting=waiting.count(),
        running=running,
        oldest_waiting_at=oldest,
        scored=len(spans),
        median_seconds=statistics.median(spans) if spans else None,
        last_scored_at=_last(own, State.DONE),
        last_failed_at=_last(own, State.FAILED),
        stall=stalled(at),
        unsupported=tuple(
            version.number
            for version in unsupported_versions()
            if version.state == ScoringVersion.State.LIVE
            and version.number is not None
            and (competition is None or version.competition_id == competition.pk)
        ),
    )


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


def _last(own: QuerySet[Evaluation], state: str) -> datetime | None:
    last: datetime | None = own.filter(state=state).aggregate(last=Max("finished_at"))["last"]
    return last
