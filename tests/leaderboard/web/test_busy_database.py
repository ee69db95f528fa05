"""A database that others keep locked: what reads goes on, what writes says try again."""

import re
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.cookies import SimpleCookie

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.test import Client
from django.utils import timezone

from leaderboard.accounts.models import User
from leaderboard.actions.people import make_password_link
from leaderboard.submissions.models import Submission
from tests.leaderboard import builders
from tests.leaderboard.web import stage
from tests.leaderboard.web.asks import pages
from tests.leaderboard.web.crawl import GUESS, content
from tests.leaderboard.web.pages import HTMX, browser, csv_file, running

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = "PRAGMA busy_timeout = 50"  # ms, instead of 20 s
READS = ("SELECT", "PRAGMA")
WRITES = re.compile(r"\b(INSERT|UPDATE|DELETE|REPLACE)\b")  # what may follow WITH
ASKING = ("visitor", "alice", "olivia", "sue")


def reads(statement: str) -> bool:
    start = statement.lstrip()
    return start.startswith(READS) or (start.startswith("WITH") and not WRITES.search(start))


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


@contextmanager
def overheard() -> Iterator[list[str]]:
    """What connections opened inside send to SQLite, what Django adds of its own included."""
    said: list[str] = []

    def listen(connection: BaseDatabaseWrapper, **_: object) -> None:
        connection.connection.execute(PATIENCE)
        connection.connection.set_trace_callback(said.append)

    connection_created.connect(listen)
    try:
        yield said
    finally:
        connection_created.disconnect(listen)


def walk(role: str, addresses: list[str], cookies: SimpleCookie) -> dict[str, int]:
    """The status of each of these pages, asked by this role on a connection of its own."""
    client = Client(raise_request_exception=False)
    client.cookies = cookies
    found = {}
    try:
        for address in addresses:
            answer = client.get(address)
            content(answer)
            found[f"{role} {address}"] = answer.status_code
    finally:
        connection.close()
    return found


def walk_all(
    addresses: dict[str, list[str]], browsers: dict[str, Client]
) -> tuple[dict[str, int], list[str]]:
    """Every page of every role, each role on a thread that asked nothing before; what was sent."""
    with overheard() as said, ThreadPoolExecutor(len(addresses)) as threads:
        walks = [
            threads.submit(walk, role, some, SimpleCookie(browsers[role].cookies))
            for role, some in addresses.items()
        ]
        found = {asked: status for one in walks for asked, status in one.result().items()}
    return found, said


@pytest.mark.crawl
@pytest.mark.slow  # `faults/test_write_lock.py` asks some of them with real processes
@pytest.mark.filterwarnings("ignore:No directory at")
def test_pages_that_only_read_neither_take_the_write_lock_nor_wait_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every GET address as everybody; a first look at JSON on a thread once waited for the lock,
    and a time-out was remembered there as "this database has no JSON"."""
    built = stage.build()
    stage.stop_clock(monkeypatch, builders.NOON)
    browsers = stage.clients()
    addresses = {role: pages(built, role, whole=True) for role in ASKING}
    connection.close()
    before, said = walk_all(addresses, browsers)
    assert [line for line in said if not reads(line)] == []
    assert max(before.values()) < 500
    with write_lock():
        during, _ = walk_all(addresses, browsers)
        assert during == before
    after, _ = walk_all(addresses, browsers)
    assert after == before


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


def test_a_guess_that_cannot_be_counted_is_not_answered() -> None:
    client = browser("alice")
    client.raise_request_exception = False
    with write_lock():
        answer = client.get(GUESS)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert client.get(GUESS).status_code == 404


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
