"""Invitations into a team: made, found by their code, used up, taken back."""

import hashlib
from datetime import datetime

from django.db.models import F, Q, QuerySet

from leaderboard.accounts.models import User
from leaderboard.accounts.passwords import ALPHABET, LENGTH
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import lets_teams_grow
from leaderboard.inbox.tell import withdraw
from leaderboard.teams.models import Invitation, Team
from scoring.characters import nfkc

LISTED = 200


def is_code(text: str) -> bool:
    """Whether this has the form of our codes; a contest's own code seldom has."""
    letters = tidy(text)
    return len(letters) == LENGTH and set(letters) <= set(ALPHABET)


def tidy(code: str) -> str:
    """A code as it is compared: however its letters were typed, and whatever stands between."""
    folded = nfkc(code).casefold()
    return "".join(letter for letter in folded if letter.isalnum())


def hashed(code: str) -> str:
    """What is kept of a code."""
    return hashlib.sha256(tidy(code).encode()).hexdigest()


def by_code(code: str) -> Invitation | None:
    """The invitation with this code, whether it can be used or not."""
    rows = Invitation.objects.select_related("team__competition", "created_by")
    return rows.filter(code_sha256=hashed(code)).first()


def open_at(at: datetime) -> QuerySet[Invitation]:
    """Those that can still be used, as far as it lies in themselves."""
    unused = Q(max_uses=None) | Q(uses__lt=F("max_uses"))
    return Invitation.objects.filter(unused, revoked_at=None, declined_at=None, expires_at__gt=at)


def of_team(team: Team, at: datetime) -> list[Invitation]:
    """Those of a team that can still be used or were declined; the newest 200, newest first."""
    declined = ~Q(declined_at=None) & Q(revoked_at=None)
    rows = Invitation.objects.filter(Q(pk__in=open_at(at)) | declined, team=team)
    return list(rows.select_related("invitee")[:LISTED])


def of_person(user: User, competition: Competition, at: datetime) -> list[Invitation]:
    """What this person was asked in a contest and has not answered."""
    rows = open_at(at).filter(invitee=user, team__competition=competition)
    return list(rows.select_related("team"))


def takes_people(team: Team, at: datetime) -> bool:
    """Whether one more may enter a team that ranks: by the dates and the number of people."""
    room = team.competition.max_team_size - team.memberships.count()
    return (
        team.kind == Team.Kind.PARTICIPANT
        and team.disqualified_at is None
        and team.merged_into_id is None
        and team.captain_id is not None
        and room > 0
        and lets_teams_grow(team.competition, at)
    )


def is_usable(invitation: Invitation, at: datetime) -> bool:
    """Whether somebody may come in by it at `at`."""
    is_open = open_at(at).filter(pk=invitation.pk).exists()
    return is_open and takes_people(invitation.team, at)


def end_for_members(team: Team, at: datetime) -> None:
    """End the invitations by name of who came in by another road, declined ones too: one would
    keep the captain from asking them again, should they leave."""
    people = team.memberships.order_by().values("user")
    end(Invitation.objects.filter(team=team, uses=0, invitee__in=people), at)


def end(rows: QuerySet[Invitation], at: datetime) -> None:
    """Let nobody come in by these any more, and take them out of the inboxes."""
    keys = list(rows.filter(revoked_at=None).values_list("pk", flat=True))
    Invitation.objects.filter(pk__in=keys).update(revoked_at=at)
    withdraw(subjects=keys)


def about(user: User) -> QuerySet[Invitation]:
    """What a person sent and was sent."""
    return Invitation.objects.filter(Q(created_by=user) | Q(invitee=user))
