"""A scoring that did not work out: tried again, or ended and paid back."""

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction

from leaderboard.competitions.schedule import came_with_a_file
from leaderboard.evaluation.claim import Claim, exhausted, retry_later
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.results import end_failed
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.ledger import refund
from leaderboard.submissions.models import Submission
from leaderboard.teams.membership import locked
from leaderboard.teams.models import Team
from leaderboard.teams.queries import people

REASON_KO = "우리 쪽 장애로 채점하지 못함"
REASON_EN = "Scoring failed on our side"


def fail(*, claim: Claim, failure: str, at: datetime) -> bool:
    """Queue the evaluation again, or end it after the last attempt. True if it ended.

    `failure` is a short code for us, never a message. Raises LeaseLost and then writes nothing.
    """
    if claim.attempt < settings.SCORING_MAX_ATTEMPTS:
        retry_later(claim, after=timedelta(seconds=2 ** (claim.attempt - 1)))
        return False
    with transaction.atomic():
        team = locked(claim.team_id)
        end_failed(claim=claim, failure=failure, at=at)
        _pay_back(team, claim.submission_id, claim.scoring_version_id, at)
    return True


def end_with_changed_ids(*, claim: Claim, at: datetime) -> None:
    """End an evaluation of a file that lacks ids of the golds: no other try, nothing paid back.

    The team had its score under the golds that its file was made for. Raises LeaseLost.
    """
    with transaction.atomic():
        locked(claim.team_id)
        end_failed(claim=claim, failure=Evaluation.IDS_CHANGED, at=at)


def fail_exhausted(*, at: datetime) -> int:
    """End every evaluation whose last attempt fell silent; answers how many. Safe to run twice."""
    ended = 0
    for row in exhausted().select_related("submission"):
        with transaction.atomic():
            team = locked(row.submission.team_id)
            hit = (
                exhausted()
                .filter(pk=row.pk, attempt=row.attempt)
                .update(
                    state=Evaluation.State.FAILED,
                    finished_at=at,
                    owner=None,
                    lease_until=None,
                    failure="worker_lost",
                )
            )
            if hit == 1:
                _pay_back(team, row.submission_id, row.scoring_version_id, at)
                ended += 1
    return ended


def _pay_back(team: Team, submission_id: UUID, version_id: UUID, at: datetime) -> None:
    version = ScoringVersion.objects.get(pk=version_id)
    if version.state != ScoringVersion.State.LIVE:  # a rehearsal has no side effects
        return
    submission = Submission.objects.select_related("team__competition").get(pk=submission_id)
    refund(submission=submission, at=at, reason_ko=REASON_KO, reason_en=REASON_EN)
    if came_with_a_file(submission.team.competition, submission.received_at):
        return
    tell(
        users=people(team),
        kind=Notification.Kind.FAILED,
        subject=submission.pk,
        competition=submission.team.competition_id,
        competition_slug=submission.team.competition.slug,
        data={},
        at=at,
    )
