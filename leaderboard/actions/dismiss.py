"""An owner takes somebody's role in running the contest away."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.owning import locked_for_owning, refuse_losing_the_last_owner
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from leaderboard.competitions.organizers import take_role
from leaderboard.competitions.roles import role_of


def dismiss(*, competition: Competition, user: User, username: str, at: datetime) -> None:
    """Let this person run the contest no more; an owner may go too, but never the last one.

    Raises Refused.
    """
    with transaction.atomic():
        locked = locked_for_owning(competition, user)
        person = User.objects.filter(username=username.strip()).first()
        before = role_of(person, locked) if person else None
        if person is None or before is None:
            raise Refused(
                "not_an_organizer",
                ko="그 이름의 주최자가 없습니다.",
                en="There is no organizer of that name.",
                status=404,
            )
        refuse_losing_the_last_owner(locked, person)
        take_role(competition=locked, user=person)
        record(
            kind="organizer.dismissed",
            actor=user,
            at=at,
            competition=locked.pk,
            before={"role": before},
            after={"role": None, "username": person.username},
        )
