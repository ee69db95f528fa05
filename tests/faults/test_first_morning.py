"""Signing in through two real web processes, guessed at from everywhere.

A class that comes at once from behind one address: tests/leaderboard/web/test_sign_in_limits.py.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import pytest

from tests.person import Answer, Person
from tests.stack import Stack

pytestmark = pytest.mark.faults
LOGIN, PASSWORD, HOME = "/accounts/login/", "purple-otter-9", "192.0.2.1"
ACCOUNTS = """
from leaderboard.accounts.models import User
from leaderboard.accounts.passwords import hashed
User.objects.create(username="alice", password=hashed("purple-otter-9"))
"""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("sqlite", marks=pytest.mark.slow),
        pytest.param("postgres", marks=pytest.mark.services),
    ],
)
def web(request: pytest.FixtureRequest) -> Iterator[Stack]:
    """Two web processes behind one proxy, which the tests play."""
    db: Literal["sqlite", "postgres"] = request.param
    with Stack(db, only=("web",), env={"TRUSTED_PROXIES": "1", "WEB_WORKERS": "2"}) as stack:
        stack.manage("shell", "--no-imports", "-c", ACCOUNTS)
        yield stack


def sign_in(person: Person, password: str = PASSWORD) -> Answer:
    return person.send(LOGIN, {"login": person.name, "password": password})


def at_once(number: int, each: Callable[[int], Answer]) -> list[Answer]:
    """What `number` threads got that began together."""
    gate = threading.Barrier(number)

    def one(index: int) -> Answer:
        gate.wait(60)
        return each(index)

    with ThreadPoolExecutor(number) as threads:
        return list(threads.map(one, range(number)))


def test_the_owner_comes_in_on_a_known_device_whoever_guesses(web: Stack) -> None:
    known = Person(web.url, "alice", address=HOME)
    assert sign_in(known).status == 302
    assert known.send("/accounts/logout/", {}).status == 302

    def guess(address: str) -> Callable[[int], Answer]:
        def one(number: int) -> Answer:
            return sign_in(Person(web.url, "alice", address=address.format(number)), "guessed")

        return one

    one_address = Counter(answer.status for answer in at_once(40, guess("198.51.100.7")))
    assert one_address == {200: 5, 429: 35}
    assert sign_in(Person(web.url, "alice", address=HOME)).status == 302  # nobody was there
    spread = Counter(answer.status for answer in at_once(40, guess("203.0.113.{}")))
    assert spread == {200: 25, 429: 15}  # thirty for an account over all addresses
    print(f"one address {dict(one_address)}, forty {dict(spread)}")

    new = sign_in(Person(web.url, "alice", address=HOME))
    assert (new.status, 0 < (new.retry_after or 0) <= 900) == (429, True)
    assert sign_in(known).status == 302
