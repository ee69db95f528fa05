"""Steps that the verbs of a contest's owners share."""

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.organizers import owners
from leaderboard.competitions.roles import role_of


def locked_for_owning(competition: Competition, user: User) -> Competition:
    """The contest's row, locked in this transaction. Raises Refused for all but its owners.

    The role is read under the lock: two owners who dismiss each other do not both succeed.
    """
    locked = lock_one(Competition.objects.filter(pk=competition.pk))
    refuse_all_but_owners(locked, user)
    return locked


def refuse_all_but_owners(competition: Competition, user: User) -> None:
    """Raises Refused for a person who is no owner of the contest."""
    if role_of(user, competition) != Organizer.Role.OWNER:
        raise Refused(
            "not_an_owner",
            ko="이 대회의 소유자만 할 수 있습니다.",
            en="Only owners of this competition may do this.",
            status=403,
        )


def refuse_losing_the_last_owner(competition: Competition, person: User) -> None:
    """Raises Refused if this person is the only owner. The competition's row is locked."""
    if role_of(person, competition) == Organizer.Role.OWNER and owners(competition) == 1:
        raise Refused(
            "last_owner",
            ko="마지막 소유자의 역할은 바꾸거나 뺄 수 없습니다.",
            en="The last owner keeps the role.",
            next_ko="먼저 다른 사람을 소유자로 올려 주세요.",
            next_en="Make somebody else an owner first.",
        )
