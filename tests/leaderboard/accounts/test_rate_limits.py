"""The one rate limiter: so many in a time, whoever counts at the same time, and never an error."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.accounts import rate_limits
from leaderboard.accounts.models import RateCount
from leaderboard.accounts.rate_limits import Limit, Use, give_back, take
from tests.leaderboard.builders import NOON

MINUTE = timedelta(minutes=1)
THREE = Limit("three", 3, 5 * MINUTE)
ALICE, BOB = Use(THREE, "alice"), Use(THREE, "bob")
BOTH = Use(Limit("both", 100, MINUTE), "everybody")


@pytest.mark.django_db
def test_a_limit_takes_its_number_and_says_how_long_to_wait() -> None:
    assert [take(ALICE, at=NOON + n * MINUTE) for n in range(5)] == [0, 0, 0, 120, 60]
    assert take(ALICE, at=NOON + 5 * MINUTE) == 0  # the time began with the first
    assert take(BOB, at=NOON) == 0
    assert take(Use(Limit("another kind", 1, MINUTE), "alice"), at=NOON) == 0


@pytest.mark.django_db
def test_all_uses_are_counted_or_none() -> None:
    for _ in range(3):
        take(ALICE, BOTH, at=NOON)
    assert take(BOTH, ALICE, at=NOON) == 300
    assert RateCount.objects.get(key=BOTH.digest).number == 3


@pytest.mark.django_db
def test_a_refusal_is_one_query_and_writes_nothing(django_assert_num_queries: object) -> None:
    for _ in range(3):
        take(ALICE, BOTH, at=NOON)
    with django_assert_num_queries(1):
        assert take(ALICE, BOTH, at=NOON)


@pytest.mark.django_db
def test_no_count_is_locked_while_another_is_made() -> None:
    """A class behind one address shares a count: in one transaction with the others, each waited
    for whole requests before it, on a busy machine up to the lock timeout."""
    with CaptureQueriesContext(connection) as asked:
        take(ALICE, BOTH, at=NOON)
        give_back(ALICE, BOTH, at=NOON)
    assert not [query for query in asked if "SAVEPOINT" in query["sql"]]


@pytest.mark.django_db
def test_what_was_good_is_given_back_and_never_below_none() -> None:
    take(ALICE, at=NOON)
    for _ in range(3):
        give_back(ALICE, BOB, at=NOON)
    assert [take(ALICE, at=NOON) for _ in range(4)] == [0, 0, 0, 300]


@pytest.mark.django_db
def test_what_has_ended_is_forgotten_and_nothing_else() -> None:
    take(ALICE, at=NOON)
    take(BOB, at=NOON + MINUTE)
    assert rate_limits.forget(at=NOON + 5 * MINUTE) == 1
    assert [row.key for row in RateCount.objects.all()] == [BOB.digest]
    assert rate_limits.forget(at=NOON + 5 * MINUTE) == 0


@pytest.mark.django_db
def test_neither_a_name_nor_an_address_is_stored() -> None:
    take(Use(THREE, "a password typed as a name 192.0.2.7"), at=NOON)
    row = RateCount.objects.values().get()
    assert "password" not in str(row)
    assert "192" not in row["key"]


@pytest.mark.django_db(transaction=True)
def test_many_at_once_are_counted_exactly_and_none_is_refused_for_waiting() -> None:
    """Also where they begin the count, and where an ended one is taken away meanwhile."""
    ten = Use(Limit("ten", 10, MINUTE), "alice")
    take(ten, at=NOON - 2 * MINUTE)

    def one(number: int) -> int:
        try:
            if number % 16 == 0:
                rate_limits.forget(at=NOON)
            uses = (ten, BOTH) if number % 2 else (BOTH, ten)
            return take(*uses, at=NOON)
        finally:
            connection.close()

    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(one, range(96)))
    assert sorted(answers) == [0] * 10 + [60] * 86
    assert RateCount.objects.get(key=BOTH.digest).number == 10
