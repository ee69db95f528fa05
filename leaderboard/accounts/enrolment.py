"""Making accounts for people who did not sign up themselves."""

from collections.abc import Iterable, Mapping, Sequence

from django.db.models.functions import Lower

from leaderboard.accounts.class_list import Person
from leaderboard.accounts.models import User


def open_accounts(*, people: Sequence[Person], encoded: Mapping[str, str]) -> dict[str, User]:
    """New accounts by username, each with the stored form of its password, to be changed at once.

    Raises IntegrityError if a name was taken meanwhile.
    """
    made = User.objects.bulk_create(
        User(
            username=person.username,
            first_name=person.name,
            email=person.email,
            password=encoded[person.username],
            must_change_password=True,
        )
        for person in people
    )
    return {user.username: user for user in made}


def known(usernames: Iterable[str]) -> dict[str, User]:
    """Accounts that have these names, whatever their case, by the name in lower case."""
    wanted = {name.lower() for name in usernames}
    rows = User.objects.annotate(lowered=Lower("username")).filter(lowered__in=wanted)
    return {user.username.lower(): user for user in rows}
