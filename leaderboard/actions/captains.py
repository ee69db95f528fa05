"""A captain who gives no sign of life is replaced by the majority of the others."""

from datetime import datetime, timedelta

from leaderboard.accounts import sessions
from leaderboard.accounts.models import User
from leaderboard.actions.membership import deciding_in_team, member_of, rule_among
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import stamp
from leaderboard.inbox.models import News
from leaderboard.submissions.queries import last_received
from leaderboard.teams import membership
from leaderboard.teams.models import CaptainVote, Team


def last_sign(team: Team) -> datetime:
    """When the captain was last here: signed in, handed something in, or came into the team.

    Of a team without a captain, when it was made.
    """
    captain = team.captain
    if captain is None:
        return team.created_at
    joined = team.memberships.filter(user=captain).values_list("joined_at", flat=True).first()
    signs = (joined, sessions.last_seen(captain), last_received(team, captain))
    return max((sign for sign in signs if sign is not None), default=team.created_at)


def silent_from(team: Team, competition: Competition) -> datetime | None:
    """From when on the others may replace the captain unless there is a sign of life before; None
    where the contest does not let them."""
    if competition.captain_silent_days is None:
        return None
    return last_sign(team) + timedelta(days=competition.captain_silent_days)


def votes(team: Team) -> dict[str, int]:
    """How many votes each candidate has since the captain's last sign of life."""
    rows = CaptainVote.objects.filter(
        voter__team=team, candidate__team=team, at__gt=last_sign(team)
    ).exclude(voter__user=team.captain)
    counted: dict[str, int] = {}
    for username in rows.values_list("candidate__user__username", flat=True):
        counted[username] = counted.get(username, 0) + 1
    return counted


def vote(*, team: Team, user: User, username: str, at: datetime) -> bool:
    """Whether this member leads the team now: more than half of all besides the captain want it.

    A second vote of the same person replaces the first. Raises Refused while the captain was here
    lately.
    """
    with deciding_in_team(team, user, at) as decision:
        locked, competition = decision.team, decision.competition
        since = silent_from(locked, competition)
        if since is None:
            raise Refused("captain_stays")
        here = at if locked.captain_id == user.pk else last_sign(locked)
        if at < since or here == at:
            days = competition.captain_silent_days
            raise Refused("captain_was_here", seen=stamp(here, competition), days=days)
        before = locked.captain
        candidate = member_of(locked, username, besides=before)
        own = member_of(locked, user.username)
        CaptainVote.objects.update_or_create(voter=own, defaults={"candidate": candidate, "at": at})
        others = locked.memberships.exclude(user=before).count()
        if 2 * votes(locked)[username] <= others:
            return False
        membership.hand_over(team=locked, captain=candidate.user)
        was = {"captain": before.username if before else ""}
        news = News("new_captain", username=username)
        rule_among(decision, "team.captain_replaced", news, before=was, after={"captain": username})
        return True
