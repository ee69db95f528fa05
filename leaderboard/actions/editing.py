"""Steps that the verbs of the organizer's desk share."""

from datetime import datetime
from uuid import UUID

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import not_an_editor
from leaderboard.audit.log import record
from leaderboard.community.announcements import announce
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import may_edit
from leaderboard.teams.membership import locked
from leaderboard.teams.models import Team


def locked_for_editing(competition: Competition, user: User) -> Competition:
    """The contest's row, locked in this transaction. Raises Refused for all but its editors."""
    if not may_edit(user, competition):
        raise not_an_editor()
    return Competition.objects.select_for_update().get(pk=competition.pk)


def locked_team_for_editing(team_id: UUID, user: User) -> Team:
    """The team's row, locked in this transaction. Raises Refused for all but its editors."""
    team = locked(team_id)
    if not may_edit(user, team.competition):
        raise not_an_editor()
    return team


def announce_decision(
    competition: Competition, user: User, kind: str, at: datetime, reason: str, *, ko: str, en: str
) -> None:
    """Announce to all what an organizer decided about the whole contest, and log it."""
    announce(competition=competition, author=user, text=ko, text_en=en, at=at)
    record(
        kind=f"competition.{kind}",
        actor=user,
        at=at,
        competition=competition.pk,
        subject=competition.pk,
        reason=reason,
    )
