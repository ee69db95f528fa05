"""Queue order is a query, and "place in queue" is the same query."""

from collections.abc import Sequence
from uuid import UUID

from django.conf import settings
from django.db.models import Case, Count, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce, Now

from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from scoring import tokenizers
from scoring.signature import version_signature

State = Evaluation.State


def abandoned() -> Q:
    """Running rows whose lease ran out by the database's clock: their worker is lost."""
    return Q(state=State.RUNNING, lease_until__lt=Now())


def in_order() -> QuerySet[Evaluation]:
    """All that waits: live before rehearsing, teams with fewer running first, then by time."""
    running = (
        Evaluation.objects.filter(
            state=State.RUNNING,
            lease_until__gte=Now(),
            submission__team=OuterRef("submission__team"),
        )
        .order_by()
        .values("submission__team")
        .annotate(number=Count("*"))
        .values("number")
    )
    rehearsal_last = Case(
        When(scoring_version__state=ScoringVersion.State.LIVE, then=Value(0)),
        default=Value(1),
        output_field=IntegerField(),
    )
    return (
        Evaluation.objects.filter(
            Q(state=State.QUEUED) | abandoned(), attempt__lt=settings.SCORING_MAX_ATTEMPTS
        )
        .annotate(team_running=Coalesce(Subquery(running), 0), rehearsal=rehearsal_last)
        .order_by("rehearsal", "team_running", "received_at", "pk")
    )


def head(versions: Sequence[UUID]) -> Evaluation | None:
    """The next evaluation of one of these versions that may be claimed now."""
    ready = Q(not_before=None) | Q(not_before__lte=Now()) | Q(state=State.RUNNING)
    return (
        in_order().filter(ready, scoring_version__in=versions).select_related("submission").first()
    )


def supported_versions() -> list[UUID]:
    """Versions with waiting work whose signature this process would print itself.

    An upgraded analyzer prints another signature, so its worker leaves the old version alone and
    two analyzers can never mix on one board.
    """
    return [version.pk for version in _versions_with_work() if is_supported(version)]


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
