"""What the sweeper mends between rooms."""

from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef

from leaderboard.evaluation.intake import ask_all
from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission

PART = 500  # submissions in memory at a time; a rehearsal asks for all there are
States = ScoringVersion.State


def ask_missing(*, at: datetime) -> int:
    """Queue the evaluations that live and rehearsing versions lack; answers how many."""
    versions = ScoringVersion.objects.filter(state__in=(States.LIVE, States.REHEARSING))
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
        asked += ask_all(submissions=part, version=version)
        last = part[-1].pk
        if len(part) < PART:
            break
    return asked
