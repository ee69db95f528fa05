"""Writes of teams: who is in one, who asked to be, which one is disqualified."""

from collections.abc import Iterator
from datetime import datetime
from itertools import chain, count
from typing import Any

from leaderboard.accounts.models import User
from leaderboard.accounts.skeletons import skeleton
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import Anyone
from leaderboard.teams.invitations import end_for_members
from leaderboard.teams.models import JoinRequest, Membership, Team


def people(team: Team) -> list[User]:
    """The members as users, to be told something."""
    return [row.user for row in team.memberships.select_related("user")]


def open_team(*, competition: Competition, captain: User, name: str, at: datetime) -> Team:
    """Make a team without people, whose captain comes in next. Raises IntegrityError."""
    return Team.objects.create(competition=competition, name=name, captain=captain, created_at=at)


def free_name(*, competition: Competition, wanted: str) -> str:
    """The first of `free_names`."""
    return next(free_names(competition=competition, wanted=wanted))


def free_names(*, competition: Competition, wanted: str) -> Iterator[str]:
    """`wanted`, `wanted 2`, … without those that look like a team's name, cut to fit."""
    start = skeleton(beginning(wanted))
    names = Team.objects.filter(competition=competition, skeleton__startswith=start)
    taken = set(names.values_list("skeleton", flat=True))
    for name in chain([wanted], (_numbered(wanted, number) for number in count(2))):
        if skeleton(name) not in taken:
            yield name


def beginning(wanted: str) -> str:
    """What every name that `free_name` makes of this one begins with."""
    return _cut(wanted, " 9999")


def is_made_of(name: str, wanted: str) -> bool:
    """Whether `free_name` could have made the name of this one."""
    number = name.rpartition(" ")[2]
    return name == wanted or (number.isdecimal() and name == _numbered(wanted, int(number)))


def _numbered(wanted: str, number: int) -> str:
    return _cut(wanted, f" {number}") + f" {number}"


def _cut(wanted: str, room: str) -> str:
    longest = Team._meta.get_field("name").max_length or len(wanted)
    return wanted[: longest - len(room)]


def move(*, membership: Membership, team: Team, at: datetime) -> None:
    """Put a person into another team of the same competition; an empty one is left behind."""
    membership.team = team
    membership.joined_at = at
    membership.save(update_fields=["team", "joined_at"])
    end_for_members(team, at)


def successor(team: Team, *, of: User) -> Membership | None:
    """Who leads the team if this person goes: of those who can sign in, the longest member."""
    others = team.memberships.exclude(user=of).select_related("user")
    return others.order_by("-user__is_active", "joined_at", "pk").first()


def hand_over(*, team: Team, captain: User | None) -> None:
    """Let another member lead the team; nobody, if nobody is left."""
    team.captain = captain
    team.save(update_fields=["captain"])


def disband(*, team: Team) -> None:
    """Delete a team without people, files or ledger, which the caller has locked."""
    lock(Team.objects.filter(pk=team.pk), to_delete=True)
    team.delete()


def enter(
    *, team: Team, user: User, at: datetime, typed_email: str = "", listed_name: str = ""
) -> Membership:
    """Put a person who is in no team of the contest into this one. Of an empty one they lead it."""
    if team.captain_id is None:
        hand_over(team=team, captain=user)
    entered = Membership.objects.create(
        team=team,
        competition=team.competition,
        user=user,
        joined_at=at,
        typed_email=typed_email,
        listed_name=listed_name,
    )
    end_for_members(team, at)
    return entered


def request_of(user: Anyone, competition: Competition) -> JoinRequest | None:
    """What this person asked of this contest, if they did."""
    if not isinstance(user, User):
        return None
    return JoinRequest.objects.filter(user=user, competition=competition).first()


def requests(competition: Competition) -> list[JoinRequest]:
    """Everybody who asked: those who wait first, each in the order they came."""
    rows = JoinRequest.objects.filter(competition=competition)
    found = rows.select_related("user", "decided_by").order_by("asked_at", "pk")
    return sorted(found, key=lambda row: row.approved is not None)


def waiting_requests(competition: Competition) -> int:
    """How many wait for a decision."""
    return JoinRequest.objects.filter(competition=competition, approved=None).count()


def answer_request(*, request: JoinRequest, approved: bool, by: User, at: datetime) -> None:
    """Write the decision down. The competition's row is locked by the caller."""
    request.approved = approved
    request.decided_by = by
    request.decided_at = at
    request.save(update_fields=["approved", "decided_by", "decided_at"])


def who_came_by_address(competition: Competition) -> list[dict[str, Any]]:
    """Every listed address with its participant; `typed`: nothing proves that it is theirs."""
    listed = list(competition.allowed_emails.values_list("email", flat=True))
    if not listed:
        return []
    rows = Membership.objects.filter(competition=competition).exclude(
        user__email="", typed_email=""
    )
    people = rows.values_list("user__email", "typed_email", "user__username")
    own = {email.lower(): username for email, _, username in people if email}
    typed = {email: username for _, email, username in people if email}
    return [
        {
            "email": email,
            "username": own.get(email) or typed.get(email),
            "typed": email in typed.keys() - own.keys(),
        }
        for email in listed
    ]
