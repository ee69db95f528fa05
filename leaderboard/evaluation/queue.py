"""The rows that ask for a scoring, and their order: "place in queue" is the same query."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import Case, Exists, IntegerField, OuterRef, Q, QuerySet, Value, When
from django.db.models.constants import LOOKUP_SEP
from django.db.models.functions import Now

from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from scoring import tokenizers
from scoring.signature import version_signature

State = Evaluation.State
ORDER = ("rehearsal", "team_running", "received_at", "pk")

# Running rows whose lease ran out by the database's clock: their worker is lost.
ABANDONED = Q(state=State.RUNNING, lease_until__lt=Now())
# Rows that nothing tells to wait, or no longer, by the database's clock.
DUE = Q(not_before=None) | Q(not_before__lte=Now())


def claimable() -> QuerySet[Evaluation]:
    """Rows that anybody may take: waiting ones, and running ones whose lease ran out."""
    return Evaluation.objects.filter(
        Q(state=State.QUEUED) & DUE | ABANDONED, attempt__lt=settings.SCORING_MAX_ATTEMPTS
    )


def in_order(rows: QuerySet[Evaluation] | None = None) -> QuerySet[Evaluation]:
    """These, or all that waits: live before rehearsing, teams with fewer running first, then by
    time."""
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
        alike = [version.pk for version in versions if version.is_live == is_live]
        if not alike:
            continue
        rows = Evaluation.objects.filter(
            scoring_version__in=alike, attempt__lt=settings.SCORING_MAX_ATTEMPTS
        ).select_related("submission")
        by_time = rows.exclude(submission__team__in=busy).order_by("received_at", "pk")
        # Asked one by one: a database walks along the index of one state, and not of either.
        firsts = (
            by_time.filter(DUE, state=State.QUEUED).first(),
            by_time.filter(ABANDONED).first(),
        )
        found = [row for row in firsts if row is not None]
        if found:
            return min(found, key=lambda row: (row.received_at, row.pk))
        ready = claimable().filter(scoring_version__in=alike).select_related("submission")
        if busy and (of_busy_team := in_order(ready).first()) is not None:
            return of_busy_team
    return None


def anything_waits() -> bool:
    """Whether a worker that is awake should wake another."""
    return Evaluation.objects.filter(state=State.QUEUED).exists()


def waiting_of_team(team: Team) -> int:
    """How many of a team's submissions wait or run under the live version."""
    return Evaluation.objects.filter(
        submission__team=team,
        state__in=(State.QUEUED, State.RUNNING),
        scoring_version__state=ScoringVersion.State.LIVE,
    ).count()


def versions_with_work() -> list[ScoringVersion]:
    """Versions that anything waits or runs under."""
    waiting = Evaluation.objects.filter(state__in=(State.QUEUED, State.RUNNING))
    return list(
        ScoringVersion.objects.filter(pk__in=waiting.values("scoring_version")).select_related(
            "reference_set"
        )
    )


def unsupported_versions() -> list[ScoringVersion]:
    """Versions with waiting work that this process cannot score; readiness names them."""
    return [version for version in versions_with_work() if not is_supported(version)]


def is_supported(version: ScoringVersion) -> bool:
    """Whether this process's code and packages would print the version's signature.

    An upgraded analyzer prints another signature, so its worker leaves the old version alone and
    two analyzers can never mix on one board.
    """
    profile = version.profile()
    if not tokenizers.available(profile.tokenizer):
        return False
    golds = version.reference_set
    own = version_signature(
        profile, references_sha256=golds.sha256, ngolds=(golds.golds_min, golds.golds_max)
    )
    return own == version.signature


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
    """Queue these under the version: they wait from now on, whenever their files were received.

    The database's clock is read once: an expression in each row of a hundred thousand would be kept
    in memory.
    """
    now = ScoringVersion.objects.annotate(now=Now()).values_list("now", flat=True)
    ask(
        submissions=submissions,
        versions=[version],
        rows=version.reference_set.rows,
        not_before=now.get(pk=version.pk),
    )


PART = 500  # submissions in memory at a time; a rehearsal asks for all there are


def ask_missing(*, at: datetime) -> int:
    """Queue the evaluations that live and rehearsing versions lack; answers how many."""
    states = (ScoringVersion.State.LIVE, ScoringVersion.State.REHEARSING)
    versions = ScoringVersion.objects.filter(state__in=states)
    return sum(ask_under(version, at=at) for version in versions.select_related("reference_set"))


def ask_under(version: ScoringVersion, *, at: datetime) -> int:
    """Queue what this version lacks of all received until `at`; cancelled ones never."""
    asked_for = Evaluation.objects.filter(submission=OuterRef("pk"), scoring_version=version)
    missing = Submission.objects.filter(
        ~Exists(asked_for),
        cancellation=None,
        team__competition=version.competition_id,
        received_at__lte=at,
    )
    rows = missing.only("received_at").order_by("pk")
    asked, last = 0, UUID(int=0)
    while part := list(rows.filter(pk__gt=last)[:PART]):
        ask_anew(submissions=part, version=version)
        asked += len(part)
        last = part[-1].pk
        if len(part) < PART:
            break
    return asked
