"""An organizer approves or declines somebody who asked to join."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.join import found_team
from leaderboard.actions.joining import refuse_latecomers_and_organizers
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from leaderboard.teams.membership import free_name
from leaderboard.teams.models import JoinRequest
from leaderboard.teams.queries import team_of
from leaderboard.teams.requests import answer


def decide_request(
    *, request: JoinRequest, user: User, approve: bool, reason: str = "", at: datetime
) -> JoinRequest:
    """Let the person in, with a team of one, or decline; they read it in their inbox.

    Deciding the same again changes nothing. A declined request may still be approved; an approved
    one is a team by then and cannot be declined. Raises Refused.
    """
    with transaction.atomic():
        competition = locked_for_editing(request.competition, user)
        locked = JoinRequest.objects.select_related("user").filter(pk=request.pk).first()
        if locked is None:
            raise Refused(
                "unknown_request",
                ko="그런 신청이 없습니다. 신청한 사람이 탈퇴했을 수 있습니다.",
                en="There is no such request. The person may have closed the account.",
                status=404,
            )
        if locked.approved is approve:
            return locked
        if locked.approved:
            raise Refused(
                "approved",
                ko="이미 승인해 참가한 사람입니다.",
                en="This person was approved and takes part already.",
                next_ko="대회에서 빼려면 팀 화면을 써 주세요.",
                next_en="Use the page “Teams” instead.",
            )
        if approve and team_of(locked.user, competition) is None:
            refuse_latecomers_and_organizers(competition, locked.user, at)
            # The name was free when they asked; by now somebody else may have it.
            name = free_name(competition=competition, wanted=locked.team_name)
            found_team(locked.user, competition, name, at)
        answer(request=locked, approved=approve, by=user, at=at)
        decision = record(
            kind="join.approved" if approve else "join.declined",
            actor=user,
            at=at,
            competition=competition.pk,
            after={"username": locked.user.username},
            reason=reason.strip(),
        )
        _tell(competition, locked, decision, approve=approve)
    return locked


def _tell(
    competition: Competition, request: JoinRequest, decision: AuditEvent, *, approve: bool
) -> None:
    """One notice a decision: who is approved after all reads that too."""
    reason = decision.reason
    korean = "참가 신청이 승인됐습니다." if approve else "참가 신청이 받아들여지지 않았습니다."
    english = "You were let in." if approve else "Your request to join was declined."
    tell(
        users=[request.user],
        kind=Notification.Kind.ANNOUNCED,
        subject=decision.pk,
        competition=competition.pk,
        competition_slug=competition.slug,
        data={
            "about": "join",
            "ko": f"{korean} {reason}".strip(),
            "en": f"{english} {reason}".strip(),
        },
        at=decision.at,
    )
