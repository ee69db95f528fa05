"""An organizer takes a disqualification back."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.disqualify import REASON_LENGTH
from leaderboard.actions.refusals import Refused
from leaderboard.actions.ruling import locked_team, tell_team
from leaderboard.audit.log import record
from leaderboard.boards.standings import place_everywhere
from leaderboard.inbox.models import Notification
from leaderboard.teams.discipline import mark_reinstated
from leaderboard.teams.models import Team


def reinstate(*, team: Team, user: User, reason: str = "", at: datetime) -> None:
    """Put the team back where its scores belong; it may submit again. Raises Refused."""
    reason = reason.strip()[:REASON_LENGTH]
    with transaction.atomic():
        locked = locked_team(team, user)
        before = {
            "disqualified_at": locked.disqualified_at and locked.disqualified_at.isoformat(),
            "reason": locked.disqualify_reason,
        }
        if not mark_reinstated(team=locked):
            raise Refused(
                "not_disqualified",
                ko="실격된 팀이 아닙니다.",
                en="This team is not disqualified.",
            )
        place_everywhere(team=locked)
        event = record(
            kind="team.reinstated",
            actor=user,
            at=at,
            competition=locked.competition_id,
            subject=locked.pk,
            before=before,
            after={"team": str(locked.pk)},
            reason=reason,
        )
        tell_team(
            locked,
            Notification.Kind.REINSTATED,
            event,
            ko="실격이 풀렸습니다. 순위표에 다시 나오고 다시 낼 수 있습니다.",
            en="Your team is no longer disqualified. It is on the boards and may submit again.",
            reason=reason,
        )
