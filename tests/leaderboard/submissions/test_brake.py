"""The brake: so many an hour, whoever counts, and never an error."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from leaderboard.submissions import brake
from leaderboard.submissions.brake import LIMITS, Kind, is_full, press, seconds_left
from leaderboard.submissions.models import BrakeCount
from leaderboard.teams.models import Team
from tests.leaderboard.builders import NOON, competition, team

HOUR = timedelta(hours=1)
TICK = timedelta(microseconds=1)


@pytest.fixture
def alices(db: None) -> Team:
    return team(competition(), "alice")


def presses(by: Team, number: int, kind: Kind = Kind.CHECK) -> list[bool]:
    return [press(team=by, kind=kind, at=NOON + TICK * n) for n in range(number)]


@pytest.mark.parametrize(("kind", "limit"), [(Kind.CHECK, 60), (Kind.REFUSED, 30)])
def test_the_hour_takes_its_number_and_no_more(alices: Team, kind: Kind, limit: int) -> None:
    assert not is_full(team=alices, kind=kind, at=NOON)
    assert presses(alices, limit + 2, kind) == [True] * limit + [False, False]
    assert is_full(team=alices, kind=kind, at=NOON + HOUR - TICK)
    assert BrakeCount.objects.get().number == limit


def test_the_next_hour_begins_empty_and_takes_the_old_row_away(alices: Team) -> None:
    presses(alices, LIMITS[Kind.CHECK])
    assert not press(team=alices, kind=Kind.CHECK, at=NOON + HOUR - TICK)
    assert press(team=alices, kind=Kind.CHECK, at=NOON + HOUR)
    assert [(row.hour, row.number) for row in BrakeCount.objects.all()] == [(NOON + HOUR, 1)]


def test_another_team_and_another_kind_count_for_themselves(alices: Team) -> None:
    bobs = team(alices.competition, "bob")
    presses(alices, LIMITS[Kind.CHECK])
    assert press(team=bobs, kind=Kind.CHECK, at=NOON)
    assert press(team=alices, kind=Kind.REFUSED, at=NOON)


def test_a_full_hour_is_refused_without_a_write(
    alices: Team, django_assert_num_queries: object
) -> None:
    presses(alices, LIMITS[Kind.CHECK])
    with django_assert_num_queries(1):
        press(team=alices, kind=Kind.CHECK, at=NOON)


def test_the_wait_is_until_the_hour_is_over() -> None:
    assert seconds_left(NOON) == 3600
    assert seconds_left(NOON + timedelta(minutes=59, seconds=30)) == 30
    assert seconds_left(NOON + HOUR - TICK) == 1


@pytest.fixture
def before_noon(transactional_db: None) -> Team:
    """A team with a row of the hour before, so that a race also begins an hour."""
    alices = team(competition(), "alice")
    assert press(team=alices, kind=Kind.CHECK, at=NOON - HOUR)
    return alices


def test_many_at_once_are_counted_exactly_and_none_raises(before_noon: Team) -> None:
    def one(_: int) -> bool:
        try:
            return press(team=before_noon, kind=Kind.CHECK, at=NOON)
        finally:
            connection.close()

    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(one, range(96)))
    assert sum(answers) == brake.LIMITS[Kind.CHECK]
    assert [(row.hour, row.number) for row in BrakeCount.objects.all()] == [(NOON, 60)]
