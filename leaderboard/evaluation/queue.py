"""The rows that ask for a scoring, and their order: "place in queue" is the same query."""

from collections import Counter
from collections.abc import Collection, Sequence
from uuid import UUID

from django.conf import settings
from django.db.models import Case, IntegerField, Q, QuerySet, Value, When
from django.db.models.constants import LOOKUP_SEP
from django.db.models.functions import Now

from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from scoring import tokenizers
from scoring.signature import version_signature

State = Evaluation.State
ORDER = ("rehearsal", "team_running", "received_at", "pk")


def abandoned() -> Q:
    """Running rows whose lease ran out by the database's clock: their worker is lost."""
    return Q(state=State.RUNNING, lease_until__lt=Now())


def due() -> Q:
    """Rows that nothing tells to wait, or no longer, by the database's clock."""
    return Q(not_before=None) | Q(not_before__lte=Now())


def claimable() -> QuerySet[Evaluation]:
    """Rows that anybody may take: waiting ones, and running ones whose lease ran out."""
    return Evaluation.objects.filter(
        Q(state=State.QUEUED) & due() | abandoned(), attempt__lt=settings.SCORING_MAX_ATTEMPTS
    )


def in_order() -> QuerySet[Evaluation]:
    """All that waits: live before rehearsing, teams with fewer running first, then by time."""
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
    return (
        Evaluation.objects.filter(
            Q(state=State.QUEUED) | abandoned(), attempt__lt=settings.SCORING_MAX_ATTEMPTS
        )
        .annotate(rehearsal=rehearsal_last, team_running=running)
        .order_by(*ORDER)
    )


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

    The first of `in_order`, found without laying out all that waits: thousands do after new golds
    or before a deadline, and every claim asks.
    """
    if not versions:
        return None
    live = [version.pk for version in versions if version.state == ScoringVersion.State.LIVE]
    others = [version.pk for version in versions if version.pk not in live]
    busy = list(_running_teams())
    found = (_head_of_alike(alike, busy) for alike in (live, others) if alike)
    return next((row for row in found if row is not None), None)


def _head_of_alike(versions: Collection[UUID], busy: Collection[UUID]) -> Evaluation | None:
    """Of versions that are all live, or all not; `busy` teams have something running."""
    ready = due() | Q(state=State.RUNNING)
    rows = Evaluation.objects.filter(
        ready, scoring_version__in=versions, attempt__lt=settings.SCORING_MAX_ATTEMPTS
    ).select_related("submission")
    of_idle_teams = rows.exclude(submission__team__in=busy)
    by_time = of_idle_teams.order_by("received_at", "pk")
    # Asked one by one: a database walks along the index of one state, and not of either.
    firsts = (by_time.filter(state=State.QUEUED).first(), by_time.filter(abandoned()).first())
    found = [row for row in firsts if row is not None]
    if found:
        return min(found, key=lambda row: (row.received_at, row.pk))
    of_busy_teams = in_order().filter(ready, scoring_version__in=versions)
    return of_busy_teams.select_related("submission").first()


def supported_versions() -> list[ScoringVersion]:
    """Versions with waiting work whose signature this process would print itself.

    An upgraded analyzer prints another signature, so its worker leaves the old version alone and
    two analyzers can never mix on one board.
    """
    return [version for version in _versions_with_work() if is_supported(version)]


def unsupported_versions() -> list[ScoringVersion]:
    """Versions with waiting work that this process cannot score; readiness names them."""
    return [version for version in _versions_with_work() if not is_supported(version)]


def is_supported(version: ScoringVersion) -> bool:
    """Whether this process's code and packages would print the version's signature."""
    profile = version.profile()
    if not tokenizers.available(profile.tokenizer):
        return False
    golds = version.reference_set
    own = version_signature(
        profile, references_sha256=golds.sha256, ngolds=(golds.golds_min, golds.golds_max)
    )
    return own == version.signature


def _versions_with_work() -> list[ScoringVersion]:
    waiting = Evaluation.objects.filter(state__in=(State.QUEUED, State.RUNNING))
    return list(
        ScoringVersion.objects.filter(pk__in=waiting.values("scoring_version")).select_related(
            "reference_set"
        )
    )


def ask(*, submission: Submission, versions: Sequence[ScoringVersion], rows: int) -> None:
    """Queue one evaluation for each version; asking again changes nothing."""
    Evaluation.objects.bulk_create(
        [
            Evaluation(
                submission=submission,
                scoring_version=version,
                received_at=submission.received_at,
                rows_total=rows,
            )
            for version in versions
        ],
        ignore_conflicts=True,
        batch_size=500,
    )


def ask_all(*, submissions: Sequence[Submission], version: ScoringVersion) -> int:
    """Queue one evaluation under this version for each submission; answers how many.

    They wait from now on (`not_before`), whenever their files were received. The database's clock
    is read once: an expression in each row of a hundred thousand would be kept in memory.
    """
    now = ScoringVersion.objects.annotate(now=Now()).values_list("now", flat=True)
    waits_from = now.get(pk=version.pk)
    Evaluation.objects.bulk_create(
        [
            Evaluation(
                submission=submission,
                scoring_version=version,
                received_at=submission.received_at,
                not_before=waits_from,
                rows_total=version.reference_set.rows,
            )
            for submission in submissions
        ],
        ignore_conflicts=True,
        batch_size=500,
    )
    return len(submissions)
