"""A list of 70,000 values in one statement: more than PostgreSQL and SQLite take parameters."""

import sqlite3
from collections.abc import Callable, Collection
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models import F, Value, prefetch_related_objects
from django.db.models.functions import Lower
from django.test.utils import CaptureQueriesContext

from leaderboard.accounts.models import User
from leaderboard.boards.models import StandingDay
from leaderboard.operations.apps import LONG
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from tests.leaderboard.builders import NOON, hand_in, open_competition, score_all, team

pytestmark = pytest.mark.django_db
MANY = 70_000


@pytest.fixture(autouse=True)
def usual_limit() -> None:
    """Debian's SQLite takes 250,000 parameters; the one that comes with most Pythons 32,766."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        connection.connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 32_766)


@pytest.fixture
def alice() -> Team:
    return team(open_competition(), "alice")


def ids(*more: UUID) -> list[UUID]:
    return [*(uuid4() for _ in range(MANY)), *more]


def by_id(one: Submission) -> Collection[object]:
    return Submission.objects.filter(pk__in=ids(one.pk))


def by_relation(one: Submission) -> Collection[object]:
    return Submission.objects.filter(team__in=ids(one.team_id))


def by_text(one: Submission) -> Collection[object]:
    return Submission.objects.filter(file__in=[*map(str, range(MANY)), str(one.file.name)])


def by_instant(one: Submission) -> Collection[object]:
    score_all()
    instants = [one.received_at + number * timedelta(seconds=1) for number in range(MANY)]
    days = StandingDay.objects.filter(board="public")
    return days.filter(last_submission_at__in=instants)


def in_bulk(one: Submission) -> Collection[object]:
    return Submission.objects.in_bulk(ids(one.pk))


def prefetched(one: Submission) -> Collection[object]:
    teams = [*(Team(pk=each) for each in ids()), one.team]
    prefetch_related_objects(teams, "submissions")
    return one.team.submissions.all()


@pytest.mark.parametrize(
    "find",
    [
        by_id,
        pytest.param(by_relation, marks=pytest.mark.again),
        by_text,
        pytest.param(by_instant, marks=pytest.mark.again),
        pytest.param(in_bulk, marks=pytest.mark.again),
        pytest.param(prefetched, marks=pytest.mark.again),
    ],
)
def test_seventy_thousand_values_find_the_one(
    alice: Team, find: Callable[[Submission], Collection[object]]
) -> None:
    assert len(find(hand_in(alice, at=NOON))) == 1


def test_a_short_list_stays_as_it_is(alice: Team) -> None:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        list(Team.objects.filter(pk__in=ids()[:LONG]))
        list(Team.objects.filter(pk__in=ids()[: LONG + 1]))
    short, long = (query["sql"] for query in asked.captured_queries)
    for word in ("unnest", "json_each"):
        assert word not in short
    assert "unnest" in long or "json_each" in long


def test_an_expression_in_a_long_list_is_kept(alice: Team) -> None:
    captain = alice.captain
    everybody = User.objects.filter(pk__in=[*range(10**9, 10**9 + LONG), F("pk")])
    assert everybody.count() == User.objects.count()
    names = [f"nobody-{number}" for number in range(LONG + 1)]
    assert list(User.objects.filter(username__in=[*names, Value(captain.username)])) == [captain]
    assert list(User.objects.filter(username__in=[*names, Lower(Value("ALICE"))])) == [captain]
