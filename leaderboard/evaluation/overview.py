"""How scoring stands: of one contest for its desk, of the whole server for staff."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Min, Q, QuerySet

from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queue import unsupported_versions
from leaderboard.references.models import ScoringVersion

State = Evaluation.State
SCORED = (ScoringVersion.State.LIVE, ScoringVersion.State.REHEARSING)
A_DAY = timedelta(days=1)


@dataclass(frozen=True)
class VersionStates:
    """How many evaluations of the live or a rehearsing version are in each state."""

    version: ScoringVersion
    waiting: int = 0
    running: int = 0
    done: int = 0
    failed: int = 0
    cancelled: int = 0


@dataclass(frozen=True)
class Failure:
    """How many evaluations of one version ended with one code, and when the last of them did."""

    code: str
    version: ScoringVersion
    number: int
    last_at: datetime | None


@dataclass(frozen=True)
class Scoring:
    """One contest's scoring. `waiting` counts all that is queued, under every version."""

    versions: tuple[VersionStates, ...]
    failures: tuple[Failure, ...]
    waiting: int
    oldest_waiting_at: datetime | None
    unsupported: tuple[ScoringVersion, ...]


def scoring(competition: Competition) -> Scoring:
    """The same few queries for any number of submissions."""
    rows = _rows(competition)
    queued = rows.filter(state=State.QUEUED).aggregate(number=Count("pk"), at=Min("received_at"))
    return Scoring(
        versions=tuple(_by_version(competition)),
        failures=tuple(_failures(rows)),
        waiting=queued["number"],
        oldest_waiting_at=queued["at"],
        unsupported=tuple(
            version
            for version in unsupported_versions()
            if version.competition_id == competition.pk
        ),
    )


def _rows(competition: Competition) -> QuerySet[Evaluation]:
    return Evaluation.objects.filter(
        scoring_version__competition=competition, scoring_version__state__in=SCORED
    ).order_by()


def _by_version(competition: Competition) -> list[VersionStates]:
    """The live version first, then the rehearsing ones, the newest first."""
    counts: dict[object, dict[str, int]] = {}
    grouped = _rows(competition).values_list("scoring_version", "state")
    for version_id, state, number in grouped.annotate(number=Count("pk")):
        name = "waiting" if state == State.QUEUED else state
        counts.setdefault(version_id, {})[name] = number
    versions = ScoringVersion.objects.filter(competition=competition, state__in=SCORED)
    return [
        VersionStates(version=version, **counts.get(version.pk, {}))
        for version in versions.order_by(
            "state", "-draft_number"
        )  # "live" stands before "rehearsing"
    ]


def _failures(rows: QuerySet[Evaluation]) -> list[Failure]:
    """By code and version, the most frequent first."""
    grouped = (
        rows.filter(state=State.FAILED)
        .values_list("failure", "scoring_version")
        .annotate(number=Count("pk"), last_at=Max("finished_at"))
    )
    versions = ScoringVersion.objects.in_bulk([version_id for _, version_id, *_ in grouped])
    return sorted(
        (Failure(code, versions[version_id], *rest) for code, version_id, *rest in grouped),
        key=lambda one: (-one.number, one.code, one.version.draft_number),
    )


@dataclass(frozen=True)
class ContestQueue:
    """What is not scored yet of one contest, which has something."""

    slug: str
    waiting: int
    rehearsals: int
    running: int
    oldest_at: datetime


@dataclass(frozen=True)
class ContestFailures:
    """How many evaluations of one contest ended with one code, and when the last of them did."""

    slug: str
    code: str
    number: int
    last_at: datetime


@dataclass(frozen=True)
class ServerScoring:
    """The whole server's: contests with the oldest file first, and the failures of a day."""

    queue: tuple[ContestQueue, ...]
    failures: tuple[ContestFailures, ...]
    last_scored_at: datetime | None


def server_scoring(at: datetime) -> ServerScoring:
    """Three queries for any number of contests."""
    contest, states = "scoring_version__competition__slug", (State.QUEUED, State.RUNNING)
    queued, live = Q(state=State.QUEUED), Q(scoring_version__state=ScoringVersion.State.LIVE)
    queue = (
        Evaluation.objects.filter(state__in=states)
        .values_list(contest)
        .annotate(
            waiting=Count("pk", filter=queued & live),
            rehearsals=Count("pk", filter=queued & ~live),
            running=Count("pk", filter=~queued),
            oldest=Min("received_at"),
        )
        .order_by("oldest", contest)
    )
    failures = (
        Evaluation.objects.filter(state=State.FAILED, finished_at__gt=at - A_DAY)
        .values_list(contest, "failure")
        .annotate(number=Count("pk"), last=Max("finished_at"))
        .order_by("-last", contest, "failure")
    )
    done = Evaluation.objects.filter(state=State.DONE)
    return ServerScoring(
        queue=tuple(ContestQueue(*values) for values in queue),
        failures=tuple(ContestFailures(*values) for values in failures),
        last_scored_at=done.aggregate(last=Max("finished_at"))["last"],
    )
