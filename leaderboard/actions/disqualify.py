"""An organizer disqualifies a team: it keeps everything, stands on no board and may not submit."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.actions.ruling import locked_team, reason_within, tell_team
from leaderboard.audit.log import record
from leaderboard.boards.standings import place_everywhere
from leaderboard.inbox.models import Notification
from leaderboard.teams.discipline import mark_disqualified
from leaderboard.teams.models import Team

REASON_LENGTH = 300


def disqualify(*, team: Team, user: User, reason: str, at: datetime) -> None:
    """Take the team off every board, past ones too, and tell its members why. Raises Refused.

    Files, scores, finals and ledger stay; what waits is scored. `reinstate` undoes it whole.
    """
    reason = reason_within(reason, REASON_LENGTH)
    with transaction.atomic():
        locked = locked_team(team, user)
        if not mark_disqualified(team=locked, reason=reason, at=at):
            raise Refused(
                "already_disqualified",
                ko="이미 실격된 팀입니다.",
                en="This team is disqualified already.",
            )
        place_everywhere(team=locked)
        event = record(
            kind="team.disqualified",
            actor=user,
            at=at,
            competition=locked.competition_id,
            subject=locked.pk,
            after={"team": str(locked.pk)},
            reason=reason,
        )
        tell_team(
            locked,
            Notification.Kind.DISQUALIFIED,
            event,
            ko="팀이 실격됐습니다. 순위표에 나오지 않고 더 낼 수 없습니다.",
            en="Your team was disqualified. It is off the boards and cannot submit any more.",
            reason=reason,
        )
