"""An owner gives somebody a role in running the contest, or another role."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.owning import locked_for_owning, refuse_losing_the_last_owner
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.organizers import give_role
from leaderboard.competitions.roles import role_of
from leaderboard.teams.queries import team_of


def appoint(
    *, competition: Competition, user: User, username: str, role: str, at: datetime
) -> None:
    """Make the person of this username owner, editor or assistant. Raises Refused.

    Who takes part cannot help to run the contest, and one owner always remains. The same role
    again changes nothing.
    """
    if role not in Organizer.Role.values:
        raise Refused(
            "unknown_role", ko="그런 역할이 없습니다.", en="There is no such role.", status=422
        )
    with transaction.atomic():
        locked = locked_for_owning(competition, user)
        found = lock(User.objects.filter(username=username.strip(), is_active=True))
        if not found:
            raise Refused(
                "unknown_person",
                ko="그 이름의 계정이 없습니다.",
                en="There is no account of that name.",
                next_ko="먼저 가입한 사람만 주최자로 올릴 수 있습니다.",
                next_en="They have to sign up first.",
                status=404,
            )
        person = found[0]
        before = role_of(person, locked)
        if before == role:
            return
        if team_of(person, locked) is not None:
            raise Refused(
                "participant",
                ko="이 대회에 참가한 사람은 주최자가 될 수 없습니다.",
                en="Who takes part in a competition cannot help to run it.",
            )
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
