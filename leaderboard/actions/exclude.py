"""An organizer takes a submission off the boards."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_team_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.actions.ruling import reason_within, tell_team
from leaderboard.audit.log import record
from leaderboard.boards.standings import place_everywhere
from leaderboard.inbox.models import Notification
from leaderboard.submissions.exclusion import mark_excluded
from leaderboard.submissions.models import Submission

REASON_LENGTH = 300


def exclude(
    *, submission: Submission, user: User, reason: str, reason_shown: bool = True, at: datetime
) -> None:
    """Off the boards, live and rehearsing; file, scores, ledger and final choice stay.

    The team is told at once, with the reason if `reason_shown`. Raises Refused.
    """
    reason = reason_within(reason, REASON_LENGTH)
    with transaction.atomic():
        team = locked_team_for_editing(submission.team_id, user)
        marked = mark_excluded(
            submission=submission, user=user, reason=reason, reason_shown=reason_shown, at=at
        )
        if not marked:
            raise Refused(
                "already_excluded",
                ko="이미 순위표에서 뺀 제출입니다.",
                en="This submission is off the boards already.",
            )
        place_everywhere(team=team, since=submission.received_at)
        event = record(
            kind="submission.excluded",
            actor=user,
            at=at,
            competition=team.competition_id,
            subject=submission.pk,
            after={"team": str(team.pk), "file": submission.file_name, "shown": reason_shown},
            reason=reason,
        )
        why_ko, why_en = (f" 까닭: {reason}", f" Reason: {reason}") if reason_shown else ("", "")
        tell_team(
            team,
            Notification.Kind.ANNOUNCED,
            event,
            ko=f"주최자가 제출 {submission.file_name} 파일을 순위표에서 뺐습니다.{why_ko}",
            en=f"An organizer took the submission {submission.file_name} off the boards.{why_en}",
            submission=str(submission.pk),
        )
