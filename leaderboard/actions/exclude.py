"""An organizer takes a submission off the boards."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused, not_an_editor
from leaderboard.audit.log import record
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.standings import place_everywhere
from leaderboard.competitions.roles import may_edit
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from leaderboard.submissions.exclusion import mark_excluded
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.teams.queries import people

REASON_LENGTH = 300


def exclude(
    *, submission: Submission, user: User, reason: str, reason_shown: bool = True, at: datetime
) -> None:
    """Off the boards, live and rehearsing; file, scores, ledger and final choice stay.

    The team is told at once, with the reason if `reason_shown`. Raises Refused.
    """
    reason = reason.strip()
    if not reason or len(reason) > REASON_LENGTH:
        raise Refused(
            "reason_length",
            ko=f"까닭을 1자부터 {REASON_LENGTH}자까지 적어 주세요.",
            en=f"Give a reason of 1 to {REASON_LENGTH} characters.",
            status=422,
        )
    with transaction.atomic():
        team = locked_team(submission, user)
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
            submission,
            event,
            ko=f"주최자가 제출 {submission.file_name} 파일을 순위표에서 뺐습니다.{why_ko}",
            en=f"An organizer took the submission {submission.file_name} off the boards.{why_en}",
        )


def locked_team(submission: Submission, user: User) -> Team:
    """The team's row, locked in this transaction. Raises Refused for all but editors."""
    team = (
        Team.objects.select_for_update(of=("self",))
        .select_related("competition")
        .get(pk=submission.team_id)
    )
    if not may_edit(user, team.competition):
        raise not_an_editor()
    return team


def tell_team(team: Team, submission: Submission, event: AuditEvent, *, ko: str, en: str) -> None:
    """One inbox row a decision: the same submission may be excluded twice."""
    tell(
        users=people(team),
        kind=Notification.Kind.ANNOUNCED,
        subject=event.pk,
        competition=team.competition_id,
        competition_slug=team.competition.slug,
        data={"ko": ko, "en": en, "submission": str(submission.pk)},
        at=event.at,
    )
