"""An owner gives somebody a role in running the contest, or another role."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.owning import (
    locked_for_owning,
    refuse_all_but_owners,
    refuse_losing_the_last_owner,
)
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.organizers import give_role
from leaderboard.competitions.roles import role_of
from leaderboard.teams.models import Membership
from leaderboard.teams.queries import known_memberships, team_of

SHOWN_TEAMS = 5


@dataclass(frozen=True)
class Candidate:
    """Whom a name stands for, so that nobody appoints a lookalike.

    `before` is the role they have now; `memberships` are the newest in contests that whoever asks
    may know of, `elsewhere` counts all others.
    """

    person: User
    role: str
    before: str | None
    memberships: tuple[Membership, ...]
    elsewhere: int


def preview_appointment(
    *, competition: Competition, user: User, username: str, role: str
) -> Candidate:
    """Who would get the role. Changes nothing; raises Refused where `appoint` would."""
    _check_role(role)
    refuse_all_but_owners(competition, user)
    person = _person(competition, username)
    known = known_memberships(person, viewer=user)
    return Candidate(
        person=person,
        role=role,
        before=role_of(person, competition),
        memberships=tuple(known[:SHOWN_TEAMS]),
        elsewhere=person.memberships.count() - min(known.count(), SHOWN_TEAMS),
    )


def appoint(
    *,
    competition: Competition,
    user: User,
    username: str,
    role: str,
    seen: int | None = None,
    at: datetime,
) -> None:
    """Make the person of this username owner, editor or assistant. Raises Refused.

    Who takes part cannot help to run the contest, and one owner always remains. The same role
    again changes nothing. With `seen`, the key of the account that a preview showed, nobody else
    who has the name by now is appointed.
    """
    _check_role(role)
    with transaction.atomic():
        locked = locked_for_owning(competition, user)
        lock(User.objects.filter(username=username.strip(), is_active=True))
        person = _person(locked, username)
        if seen is not None and person.pk != seen:
            raise Refused(
                "changed",
                ko="확인한 뒤에 그 이름의 계정이 바뀌었습니다.",
                en="The name belongs to another account than the one you looked at.",
                next_ko="다시 확인해 주세요.",
                next_en="Look again.",
            )
        before = role_of(person, locked)
        if before == role:
            return
        refuse_losing_the_last_owner(locked, person)
        give_role(competition=locked, user=person, role=role)
        record(
            kind="organizer.appointed",
            actor=user,
            at=at,
            competition=locked.pk,
            before={"role": before},
            after={"role": role, "username": person.username},
        )


def _check_role(role: str) -> None:
    if role not in Organizer.Role.values:
        raise Refused(
            "unknown_role", ko="그런 역할이 없습니다.", en="There is no such role.", status=422
        )


def _person(competition: Competition, username: str) -> User:
    person = User.objects.filter(username=username.strip(), is_active=True).first()
    if person is None:
        raise Refused(
            "unknown_person",
            ko="그 이름의 계정이 없습니다.",
            en="There is no account of that name.",
            next_ko="먼저 가입한 사람만 주최자로 올릴 수 있습니다.",
            next_en="They have to sign up first.",
            status=404,
        )
    if team_of(person, competition) is not None:
        raise Refused(
            "participant",
            ko="이 대회에 참가한 사람은 주최자가 될 수 없습니다.",
            en="Who takes part in a competition cannot help to run it.",
        )
    return person
