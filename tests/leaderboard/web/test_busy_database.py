"""A database that others keep locked: the page says try again, and nothing was taken."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from django.db import connection

from leaderboard.submissions.models import Submission
from tests.leaderboard import builders
from tests.leaderboard.web.pages import HTMX, browser, csv_file, running

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def write_lock() -> Iterator[None]:
    """Another process in the middle of writing; ours gives up after 50 ms instead of 20 s."""
    if connection.vendor != "sqlite":
        pytest.skip("holds the lock in SQLite's way")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 50")
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.rollback()
            connection.close()  # the next connection has the usual patience


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
