"""An organizer puts an excluded submission back on the boards."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_team_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.actions.ruling import tell_team
from leaderboard.audit.log import record
from leaderboard.boards.standings import place_everywhere
from leaderboard.inbox.models import Notification
from leaderboard.submissions.exclusion import exclusion_of, mark_restored
from leaderboard.submissions.models import Submission


def restore(*, submission: Submission, user: User, reason: str = "", at: datetime) -> None:
    """As if it had never been off; the log keeps both decisions. Raises Refused."""
    with transaction.atomic():
        team = locked_team_for_editing(submission.team_id, user)
        was = exclusion_of(submission.pk)
        if was is None or not mark_restored(submission=submission):
            raise Refused(
                "not_excluded",
                ko="순위표에서 뺀 제출이 아닙니다.",
                en="This submission is not off the boards.",
            )
        place_everywhere(team=team, since=submission.received_at)
        event = record(
            kind="submission.restored",
            actor=user,
            at=at,
            competition=team.competition_id,
            subject=submission.pk,
            before={"excluded_at": was.at.isoformat(), "reason": was.reason},
            after={"team": str(team.pk), "file": submission.file_name},
            reason=reason.strip(),
        )
        tell_team(
            team,
            Notification.Kind.ANNOUNCED,
            event,
            ko=f"주최자가 제출 {submission.file_name} 파일을 순위표에 되돌렸습니다.",
            en=f"An organizer put the submission {submission.file_name} back on the boards.",
            submission=str(submission.pk),
        )
