"""Steps that what people do for their own team share."""

from uuid import UUID

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.teams.membership import locked
from leaderboard.teams.models import Team


def locked_own_team(team_id: UUID, user: User) -> Team:
    """The team's row, locked in this transaction. Raises Refused for all but its members.

    Read under the lock: an organizer may have moved the person while they waited, and then their
    team of one is gone.
    """
    try:
        team = locked(team_id)
    except Team.DoesNotExist:
        raise not_a_member() from None
    if not team.memberships.filter(user=user).exists():
        raise not_a_member()
    return team


def not_a_member() -> Refused:
    """For somebody who does something for a team that they are not in, or no longer."""
    return Refused(
        "not_a_member",
        ko="이 팀의 팀원이 아닙니다.",
        en="You are not a member of this team.",
        status=403,
    )
