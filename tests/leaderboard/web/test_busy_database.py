"""A database that others keep locked: what reads goes on, what writes says try again."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.utils import timezone

from leaderboard.accounts.models import User
from leaderboard.actions.people import make_password_link
from leaderboard.submissions.models import Submission
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.asks import pages
from tests.leaderboard.web.pages import HTMX, browser, csv_file, running
from tests.leaderboard.web.stage import build, clients, stop_clock

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = "PRAGMA busy_timeout = 50"  # ms, instead of 20 s


@contextmanager
def write_lock() -> Iterator[None]:
    """Another process in the middle of writing; ours gives up after 50 ms instead of 20 s."""
    if connection.vendor != "sqlite":
        pytest.skip("holds the lock in SQLite's way")
    with connection.cursor() as cursor:
        cursor.execute(PATIENCE)
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.rollback()
            connection.close()  # the next connection has the usual patience


@pytest.mark.whole
@pytest.mark.parametrize("role", ["visitor", "alice", "olivia"])
def test_every_page_is_shown_as_ever(role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that wanted to write would answer 503: what each answers else, the crawl asks."""
    stop_clock(monkeypatch, NOON)
    stage = build()
    browser, asked = clients()[role], pages(stage, role)
    browser.raise_request_exception = False
    with write_lock():
        found = {where: browser.get(where).status_code for where in asked if where != "/readyz"}
    assert len(found) > 30
    assert {where: status for where, status in found.items() if status >= 500} == {}


def test_a_session_that_cannot_be_ended_now_is_not_answered() -> None:
    """A password was changed elsewhere: the first page after it ends this session's row."""
    running()
    client = browser("alice")
    client.raise_request_exception = False
    alice = builders.user("alice")
    alice.set_password("another-one-7")
    alice.save()
    with write_lock():
        answer = client.get("/inbox")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert Session.objects.exists()
    assert client.get("/inbox").status_code == 302
    assert not Session.objects.exists()


def test_an_upload_during_a_long_write_is_told_to_come_back() -> None:
    builders.team(running(), "alice")
    client = browser("alice")
    client.raise_request_exception = False
    form = {"key": "k1"}
    with write_lock():
        answer = client.post("/c/talk/submit", form | {"file": csv_file()})
        part = client.post("/c/talk/submit", form | {"file": csv_file()}, headers=HTMX)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "몇 초 뒤에 다시" in answer.text
    assert part.status_code == 503
    assert "<html" not in part.text
    assert not Submission.objects.exists()
    again = client.post("/c/talk/submit", form | {"file": csv_file()})
    assert again.status_code == 302
    assert Submission.objects.count() == 1


def test_nobody_waits_for_a_password_that_is_being_hashed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Hashing takes as long as many writes; inside a transaction everybody's write waits for it.

    Forty people who signed up at once kept the lock for longer than the others' 20 s.
    """
    hashing = MD5PasswordHasher.encode
    held = []

    def encode(self: MD5PasswordHasher, password: str, salt: str) -> str:
        held.append(connection.in_atomic_block)
        hashed: str = hashing(self, password, salt)
        return hashed

    monkeypatch.setattr(MD5PasswordHasher, "encode", encode)
    client, secret = Client(), "purple-otter-9"
    form = {"username": "newcomer", "password1": secret, "password2": secret}
    assert client.post("/accounts/signup/", form).status_code == 302
    changed = {"oldpassword": secret, "password1": "amber-heron-4", "password2": "amber-heron-4"}
    assert client.post("/accounts/password/change/", changed).status_code == 302
    person = User.objects.get(username="newcomer")
    token = make_password_link(user=person, made_by=None, at=timezone.now())
    reader = Client()
    assert reader.post("/accounts/password/link", form | {"token": token}).status_code == 302
    entered = {"login": "newcomer", "password": secret}
    assert reader.post("/accounts/login/", entered).status_code == 302
    assert reader.post("/accounts/close", {"password": secret, "sure": "on"}).status_code == 302
    assert held != []
    assert not any(held)
