"""Who is told of what: once, counted as unread or not, to be mailed or not."""

from uuid import UUID

import pytest
from django.conf import LazySettings

from leaderboard.accounts.models import User
from leaderboard.inbox.models import Notification, Preference
from leaderboard.inbox.tell import tell, tell_anew, unread_count
from tests.leaderboard.builders import mail_address, user
from tests.leaderboard.material import NOON

pytestmark = pytest.mark.django_db
Kind = Notification.Kind


def told(kind: Kind, *people: User, subject: int = 1) -> dict[str, Notification]:
    tell(
        users=people,
        kind=kind,
        subject=UUID(int=subject),
        competition=UUID(int=9),
        competition_slug="talk",
        data={},
        at=NOON,
    )
    rows = Notification.objects.filter(kind=kind, subject=UUID(int=subject))
    return {row.user.username: row for row in rows.select_related("user")}


def test_what_somebody_does_not_want_counted_is_there_as_read() -> None:
    alice, bob = user("alice"), user("bob")
    Preference.objects.create(user=alice, kind=Kind.SCORED, app=False, mail=False)
    assert told(Kind.SCORED, alice, bob)["alice"].read_at == NOON
    assert told(Kind.SCORED, alice, bob)["bob"].read_at is None
    assert told(Kind.FAILED, alice)["alice"].read_at is None
    assert (unread_count(alice), unread_count(bob)) == (1, 1)
    tell_anew(kind=Kind.SCORED, subject=UUID(int=1), data={}, at=NOON)
    assert (unread_count(alice), unread_count(bob)) == (1, 1)


def test_only_a_confirmed_address_and_a_kind_that_is_wanted_are_mailed(
    settings: LazySettings,
) -> None:
    people = [user(name) for name in ("alice", "bob", "carol", "dana", "erin")]
    mail_address("alice")
    mail_address("bob")
    mail_address("carol", confirmed_at=None)
    mail_address("dana", every="never")
    Preference.objects.create(user=user("bob"), kind=Kind.FAILED, app=True, mail=False)
    Preference.objects.create(user=user("bob"), kind=Kind.SCORED, app=True, mail=True)

    def mailed(kind: Kind, subject: int = 1) -> list[str]:
        rows = told(kind, *people, subject=subject)
        return sorted(name for name, row in rows.items() if row.to_mail)

    assert mailed(Kind.FAILED) == []  # there is no mail server
    settings.MAIL_ON = True
    assert mailed(Kind.FAILED, 2) == ["alice"]
    assert mailed(Kind.ANSWERED) == ["alice", "bob"]
    assert mailed(Kind.SCORED) == ["bob"]
    Notification.objects.update(to_mail=False)
    tell_anew(kind=Kind.ANSWERED, subject=UUID(int=1), data={}, at=NOON)
    assert mailed(Kind.ANSWERED) == ["alice", "bob"]
