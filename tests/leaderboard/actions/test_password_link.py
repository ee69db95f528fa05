"""A new password without a mail server: one link, one use, one day."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.contrib.auth.hashers import make_password
from django.core.exceptions import ValidationError
from django.test import Client

from leaderboard.accounts.models import PasswordLink, User
from leaderboard.actions.people import make_password_link, use_password_link
from leaderboard.audit.models import AuditEvent
from leaderboard.refusals import Refused
from tests.leaderboard.at_once import all_at_once
from tests.leaderboard.builders import NOON, user

pytestmark = pytest.mark.django_db
DAY = timedelta(hours=24)
MOMENT = timedelta(microseconds=1)
GOOD = "a-long-new-one-7"


def link(name: str = "alice") -> str:
    return make_password_link(user=user(name), made_by=None, at=NOON)


def use(token: str, password: str = GOOD, at: object = NOON) -> User:
    return use_password_link(token=token, password=password, at=at)


def test_a_link_sets_a_password_once_and_neither_row_nor_log_holds_it() -> None:
    token = link()
    assert use(token).check_password("alice-secret"), "the row as it was found"
    assert user("alice").check_password(GOOD)
    with pytest.raises(Refused, match="link_unusable"):
        use(token, "another-long-one-7")
    assert user("alice").check_password(GOOD)
    kept = PasswordLink.objects.values_list("token_sha256", flat=True).get()
    assert token not in kept
    events = AuditEvent.objects.filter(kind__startswith="account.").order_by("at", "kind")
    assert [event.kind for event in events] == [
        "account.password_link_made",
        "account.password_link_used",
    ]
    told = "".join(f"{event.before}{event.after}{event.reason}" for event in events)
    assert all(secret not in told for secret in (token, kept, GOOD))


def test_a_link_ends_with_a_newer_one_and_after_exactly_a_day() -> None:
    older, token = link(), link()
    for one, at in ((older, NOON), (token, NOON + DAY)):
        with pytest.raises(Refused, match="link_unusable"):
            use(one, at=at)
    assert use(token, at=NOON + DAY - MOMENT)


def by_the_account_page() -> None:
    browser = Client()
    assert browser.login(username="alice", password="alice-secret")
    sent = {"oldpassword": "alice-secret", "password1": GOOD, "password2": GOOD}
    assert browser.post("/accounts/password/change/", sent).status_code == 302


def by_the_administrators_page() -> None:
    User.objects.filter(pk=user("sue").pk).update(is_superuser=True, is_staff=True)
    browser = Client()
    browser.force_login(user("sue"), "django.contrib.auth.backends.ModelBackend")
    sent = {"password1": GOOD, "password2": GOOD, "usable_password": "true"}
    where = f"/admin/accounts/user/{user('alice').pk}/password/"
    assert browser.post(where, sent).status_code == 302


def by_the_shell() -> None:
    alice = user("alice")
    alice.set_password(GOOD)
    alice.save()


@pytest.mark.parametrize("change", [by_the_account_page, by_the_administrators_page, by_the_shell])
def test_a_link_dies_with_the_password_that_it_was_made_for(change: Callable[[], None]) -> None:
    token = link()
    change()
    assert user("alice").check_password(GOOD)
    assert Client().get("/accounts/password/link", {"token": token}).status_code == 404
    with pytest.raises(Refused, match="link_unusable"):
        use(token, "another-long-one-7")
    assert user("alice").check_password(GOOD)
    assert use(link(), "another-long-one-7"), "one that is made for the new password works"


def test_a_password_changed_while_the_link_is_used_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    token = link()

    def hashed(password: str) -> str:
        by_the_shell()  # in between the look at the link and the change
        return make_password(password)

    monkeypatch.setattr("leaderboard.actions.people.make_password", hashed)
    with pytest.raises(Refused, match="link_unusable"):
        use(token, "another-long-one-7")
    assert user("alice").check_password(GOOD)


def test_a_weak_password_leaves_the_link_usable_and_a_good_one_ends_every_session() -> None:
    browser = Client()
    browser.force_login(user("alice"), "django.contrib.auth.backends.ModelBackend")
    token = link()
    for weak in ("short7", "12345678901", "password123", "alices-1"):
        with pytest.raises(ValidationError):
            use(token, weak)
    assert browser.get("/inbox").status_code == 200
    assert use(token)
    assert browser.get("/inbox").status_code == 302


def test_only_administrators_make_links_and_only_for_who_may_sign_in() -> None:
    with pytest.raises(Refused, match="not_an_administrator"):
        make_password_link(user=user("alice"), made_by=user("olivia"), at=NOON)
    token = link()
    User.objects.filter(username="alice").update(is_active=False)
    with pytest.raises(Refused, match="inactive"):
        link()
    with pytest.raises(Refused, match="link_unusable"):
        use(token)


@pytest.mark.django_db(transaction=True)
def test_of_two_uses_at_once_one_wins() -> None:
    token = link()
    tries = [partial(use, token, password) for password in ("first-one-72", "second-one-72")]
    assert all_at_once(*tries) == {"done": 1, "link_unusable": 1}
    assert AuditEvent.objects.filter(kind="account.password_link_used").count() == 1
