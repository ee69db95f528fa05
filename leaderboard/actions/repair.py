"""What the sweeper mends between rooms."""

from datetime import datetime

from django.db.models import Exists, OuterRef

from leaderboard.evaluation.intake import ask_all
from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission

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
    return ask_all(submissions=list(missing), version=version)
