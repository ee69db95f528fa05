"""Somebody writes for long into the default database: pages that only read notice nothing."""

import sqlite3
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.person import Person
from tests.stack import DATABASE, Stack

pytestmark = pytest.mark.faults
READERS = 16  # as many as the default web server has threads


def pages_of(stack: Stack, *, whole: bool) -> dict[str, list[str]]:
    """Every GET address by role, of a contest that is built now; not `whole`, each page once."""
    return dict(stack.drive("faults.every_page", *([] if whole else ["some"])))


def walk(asks: list[tuple[Person, str]]) -> list[tuple[str, int, float]]:
    """Who asked for what, the status, and the seconds it took; sixteen ask at once."""

    def ask(one: tuple[Person, str]) -> tuple[str, int, float]:
        person, page = one
        began = time.monotonic()
        status = person.copy().get(page).status
        return f"{person.name} {page}", status, time.monotonic() - began

    with ThreadPoolExecutor(READERS) as readers:
        return list(readers.map(ask, asks))


@pytest.mark.parametrize(
    "seconds",
    [
        pytest.param(0, id="short"),
        pytest.param(26, id="26s", marks=pytest.mark.slow),
        pytest.param(60, id="60s", marks=pytest.mark.slow),
    ],
)
def test_every_page_answers_as_ever_while_another_process_holds_the_write_lock(
    seconds: int,
) -> None:
    """It is held until every page has answered, so a page that wanted it would answer otherwise."""
    with Stack(only=("web",)) as stack:
        pages = pages_of(stack, whole=seconds > 0)
        people = {
            role: Person(stack.url, role)
            if role == "visitor"
            else Person.signed_in(stack.url, role)
            for role in pages
        }
        asks = [(people[role], page) for role, some in pages.items() for page in some]
        free = walk(asks)
        before = {asked: status for asked, status, _ in free}
        stack.kill("web", tree=True)
        stack.restart("web")  # no thread of these has asked the database anything yet
        during: list[tuple[str, int, float]] = []
        with closing(sqlite3.connect(stack.folder / DATABASE)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            began = time.monotonic()
            while not during or time.monotonic() - began < seconds:
                during += walk(asks)
            held = time.monotonic() - began
            writer.rollback()
        after = {asked: status for asked, status, _ in walk(asks)}
    slowest, usual = (max(wait for _, _, wait in one) for one in (during, free))
    print(f"{len(during)} in a lock of {held:.0f} s: slowest {slowest:.2f} s, else {usual:.2f} s")
    assert max(before.values()) < 500
    assert Counter((asked, status) for asked, status, _ in during).keys() == before.items()
    assert after == before
