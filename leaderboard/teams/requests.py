"""Asking to join a contest with approval, and what was decided."""

from dataclasses import dataclass
from datetime import datetime

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import Viewer
from leaderboard.teams.models import JoinRequest, Membership


def request_of(user: Viewer, competition: Competition) -> JoinRequest | None:
    """What this person asked of this contest, if they did."""
    if not isinstance(user, User):
        return None
    return JoinRequest.objects.filter(user=user, competition=competition).first()


def requests(competition: Competition) -> list[JoinRequest]:
    """Everybody who asked: those who wait first, each in the order they came."""
    rows = JoinRequest.objects.filter(competition=competition)
    found = rows.select_related("user", "decided_by").order_by("asked_at", "pk")
    return sorted(found, key=lambda row: row.approved is not None)


def waiting(competition: Competition) -> int:
    """How many wait for a decision."""
    return JoinRequest.objects.filter(competition=competition, approved=None).count()


def ask(*, user: User, competition: Competition, team_name: str, at: datetime) -> JoinRequest:
    """Keep the question; asking again answers the first one."""
    request, _ = JoinRequest.objects.get_or_create(
        user=user, competition=competition, defaults={"team_name": team_name, "asked_at": at}
    )
    return request


def answer(*, request: JoinRequest, approved: bool, by: User, at: datetime) -> None:
    """Write the decision down. The competition's row is locked by the caller."""
    request.approved = approved
    request.decided_by = by
    request.decided_at = at
    request.save(update_fields=["approved", "decided_by", "decided_at"])


@dataclass(frozen=True)
class ListedPerson:
    """An address of the list, and the account that came in with it.

    `typed`: the person typed it, and nothing proves that it is theirs.
    """

    email: str
    username: str | None
    typed: bool = False


def who_came_by_address(competition: Competition) -> list[ListedPerson]:
    """Every listed address with the participant whose account has or typed it, if there is one."""
    rows = Membership.objects.filter(competition=competition)
    people = rows.values_list("user__email", "typed_email", "user__username")
    own = {email.lower(): username for email, _, username in people if email}
    typed = {email: username for _, email, username in people if email}
    return [
        ListedPerson(email, own.get(email) or typed.get(email), email in typed.keys() - own.keys())
        for email in competition.allowed_emails.values_list("email", flat=True)
    ]
