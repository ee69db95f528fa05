"""Making accounts for people who did not sign up themselves."""

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Q

from leaderboard.accounts.class_list import Person
from leaderboard.accounts.models import User
from leaderboard.accounts.skeletons import skeleton


def open_accounts(*, people: Sequence[Person], encoded: Mapping[str, str]) -> dict[str, User]:
    """New accounts by username, each with the stored form of its password, to be changed at once.

    Raises IntegrityError if a name was taken meanwhile.
    """
    made = User.objects.bulk_create(
        (
            User(
                username=person.username,
                first_name=person.name,
                email=person.email,
                password=encoded[person.username],
                must_change_password=True,
            )
            # In order: of two classes with the same new names one waits, and then is told so.
            for person in sorted(people, key=lambda person: person.username)
        ),
        batch_size=500,
    )
    return {user.username: user for user in made}


def known(usernames: Iterable[str]) -> dict[str, User]:
    """By name, the account that has it, or else the one whose name looks like it."""
    looks = {name: skeleton(name) for name in usernames}
    rows = list(User.objects.filter(Q(username__in=looks) | Q(skeleton__in=looks.values())))
    having = {user.username: user for user in rows}
    alike = {user.skeleton: user for user in rows}
    found = {name: having.get(name) or alike.get(look) for name, look in looks.items()}
    return {name: user for name, user in found.items() if user is not None}
