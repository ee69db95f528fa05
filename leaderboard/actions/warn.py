"""An organizer warns a team; nothing else changes."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.ruling import locked_team, reason_within, tell_team
from leaderboard.audit.log import record
from leaderboard.inbox.models import Notification
from leaderboard.teams.models import Team

REASON_LENGTH = 500


def warn(*, team: Team, user: User, reason: str, at: datetime) -> None:
    """Tell every member why, and keep it in the log. Raises Refused."""
    reason = reason_within(reason, REASON_LENGTH)
    with transaction.atomic():
        locked = locked_team(team, user)
        event = record(
            kind="team.warned",
            actor=user,
            at=at,
            competition=locked.competition_id,
            subject=locked.pk,
            after={"team": str(locked.pk)},
            reason=reason,
        )
        tell_team(
            locked,
            Notification.Kind.WARNED,
            event,
            ko="주최자가 팀에 경고했습니다.",
            en="An organizer warned your team.",
            reason=reason,
        )
