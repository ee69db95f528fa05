"""A captain who gives no sign of life is replaced by the majority of the others."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid5

from django.db.models import OuterRef

from leaderboard.accounts import sessions
from leaderboard.accounts.models import User
from leaderboard.actions.decisions import DecidingOnTeam
from leaderboard.actions.membership import deciding_in_team, member_of, rule_among
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import stamp
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import News
from leaderboard.submissions.queries import last_received
from leaderboard.teams import membership
from leaderboard.teams.models import CaptainVote, Team


def last_sign(team: Team) -> datetime:
    """When the captain was last here: signed in, handed something in, or came into the team.

    Of a team without a captain, when it was made.
    """
    found = team.memberships.filter(user=team.captain_id).values_list(
        "joined_at",
        sessions.seen_of_row(),
        last_received(OuterRef("team"), OuterRef("user")),
    )
    signs = found.first() or ()
    return max((sign for sign in signs if sign is not None), default=team.created_at)


def votes(team: Team, since: datetime) -> Counter[str]:
    """How many of the others want whom, by username. What was said before `since` is over."""
    rows = CaptainVote.objects.filter(voter__team=team, candidate__team=team, at__gt=since)
    others = rows.exclude(voter__user=team.captain_id)
    return Counter(others.values_list("candidate__user__username", flat=True))


@dataclass(frozen=True)
class Silence:
    """How long the captain has given no sign of life, and who is to follow.

    `until`: from then on votes are taken, unless the captain comes back before.
    """

    last_sign: datetime
    until: datetime
    votes: Counter[str]


def silence(team: Team, competition: Competition) -> Silence | None:
    """None where the contest lets no captain be replaced."""
    if competition.captain_silent_days is None:
        return None
    sign = last_sign(team)
    until = sign + timedelta(days=competition.captain_silent_days)
    return Silence(sign, until, votes(team, sign))


def vote(*, team: Team, user: User, username: str, at: datetime) -> bool:
    """Whether this member leads the team now: more than half of all besides the captain want it.

    A second vote of the same person replaces the first. The captain is told once that it began,
    but not by whom. Raises Refused while the captain was here lately.
    """
    with deciding_in_team(team, user, at) as decision:
        locked, competition = decision.team, decision.competition
        found = silence(locked, competition)
        if found is None:
            raise Refused("captain_stays")
        here = at if locked.captain_id == user.pk else found.last_sign
        if here == at or at < found.until:
            days = competition.captain_silent_days
            raise Refused("captain_was_here", seen=stamp(here, competition), days=days)
        before = locked.captain
        candidate = member_of(locked, username, besides=before)
        own = member_of(locked, user.username)
        CaptainVote.objects.update_or_create(voter=own, defaults={"candidate": candidate, "at": at})
        others = locked.memberships.exclude(user=before).count()
        if 2 * votes(locked, found.last_sign)[username] <= others:
            _tell_captain(decision, found.last_sign)
            return False
        membership.hand_over(team=locked, captain=candidate.user)
        was = {"captain": before.username if before else ""}
        news = News("new_captain", username=username)
        rule_among(decision, "team.captain_replaced", news, before=was, after={"captain": username})
        return True


def _tell_captain(decision: DecidingOnTeam, since: datetime) -> None:
    """Say that a vote began, and how it is stopped: once in a silence, which began at `since`."""
    captain = decision.team.captain
    told = [captain] if captain else []
    silence = uuid5(decision.team.pk, since.isoformat())
    news = News("vote_begun", team=decision.team.name)
    decision.tell(told, Notification.Kind.TEAM, silence, news.kept)
