"""Taking back a submission that still waits; the attempt comes back."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.own_team import locked_own_team
from leaderboard.actions.refusals import Refused
from leaderboard.evaluation.claim import cancel_waiting
from leaderboard.submissions.choice import mark_cancelled
from leaderboard.submissions.ledger import refund
from leaderboard.submissions.models import Submission


def cancel(*, submission: Submission, user: User, at: datetime) -> None:
    """Cancel every waiting evaluation and refund the slot; twice is once. Raises Refused.

    A worker that claims at the same instant wins or loses whole: its claim and this are conditional
    updates of the same rows.
    """
    with transaction.atomic():
        locked_own_team(submission.team_id, user)
        if Submission.objects.filter(pk=submission.pk, cancellation__isnull=False).exists():
            return
        if not cancel_waiting(submission.pk):
            raise Refused(
                "not_waiting",
                ko="이미 채점을 시작해 취소할 수 없습니다.",
                en="Scoring has begun, so this can no longer be cancelled.",
                next_ko="결과를 기다려 주세요.",
                next_en="Please wait for the result.",
            )
        mark_cancelled(submission=submission, user=user, at=at)
        refund(
            submission=submission, at=at, reason_ko="팀이 취소함", reason_en="Cancelled by the team"
        )
