"""Who is told of what: once, to be mailed or not."""

from uuid import UUID

import pytest
from django.conf import LazySettings

from leaderboard.accounts.models import User
from leaderboard.inbox.models import Notification
from leaderboard.inbox.tell import tell
from tests.leaderboard.builders import mail_address, user
from tests.leaderboard.material import NOON

pytestmark = pytest.mark.django_db
Kind = Notification.Kind


def told(
    kind: Kind, *people: User, subject: int = 1, again: bool = False
) -> dict[str, Notification]:
    tell(
        users=people,
        kind=kind,
        subject=UUID(int=subject),
        competition=UUID(int=9),
        competition_slug="talk",
        data={},
        at=NOON,
        again=again,
    )
    rows = Notification.objects.filter(kind=kind, subject=UUID(int=subject))
    return {row.user.username: row for row in rows.select_related("user")}


def test_only_a_confirmed_address_gets_mail_and_no_scores(
    settings: LazySettings,
) -> None:
    people = [user(name) for name in ("alice", "bob", "carol", "dana", "erin")]
    mail_address("alice")
    mail_address("bob")
    mail_address("carol", confirmed_at=None)
    mail_address("dana", every="never")

    def mailed(kind: Kind, subject: int = 1) -> list[str]:
        rows = told(kind, *people, subject=subject)
        return sorted(name for name, row in rows.items() if row.to_mail)

    assert mailed(Kind.FAILED) == []  # there is no mail server
    settings.MAIL_ON = True
    assert mailed(Kind.FAILED, 2) == ["alice", "bob"]
    assert mailed(Kind.ANSWERED) == ["alice", "bob"]
    assert mailed(Kind.SCORED) == []
    Notification.objects.update(to_mail=False)
    assert mailed(Kind.ANSWERED) == []
    told(Kind.ANSWERED, *people, again=True)
    assert mailed(Kind.ANSWERED) == ["alice", "bob"]
