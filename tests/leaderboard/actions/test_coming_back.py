"""Who left a team and comes back with a new one: attempts count once, whoever brings them."""

from datetime import timedelta

import pytest

from leaderboard.actions.membership import leave
from leaderboard.actions.merging import union_of
from leaderboard.actions.submissions import cancel
from leaderboard.competitions.models import Competition
from leaderboard.submissions.ledger import allowance, by_day, entries
from leaderboard.teams.models import Team
from tests.leaderboard.actions.test_merging import merge
from tests.leaderboard.builders import NOON, hand_in, open_competition, team, user

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture
def contest() -> Competition:
    return open_competition(daily_limit=5, total_limit=9)


@pytest.fixture
def alices(contest: Competition) -> Team:
    """Three people, two files of yesterday and two of today."""
    made = team(contest, "alice", "bob", "carol", called="햇살")
    for at in (NOON - DAY, NOON - DAY, NOON, NOON):
        hand_in(made, at=at)
    return made


def used(by: Team) -> tuple[int, int]:
    """Today and in all, as the team reads it; its ledger says the same line by line."""
    found = allowance(by, by.competition, NOON)
    lines = entries(by)
    assert -sum(line.amount for line in lines) == found.total_used
    days = {each["date"]: each["used"] for each in by_day(by)}
    assert days.get(NOON.date(), 0) == found.used_today
    if lines:
        assert lines[0].total_left_after == found.total_left
    return found.used_today, found.total_used


@pytest.mark.parametrize("stays", ["old", "new"])
def test_what_was_carried_along_is_not_counted_a_second_time(alices: Team, stays: str) -> None:
    new = leave(team=alices, user=user("bob"), at=NOON)
    hand_in(new)
    assert (used(alices), used(new)) == ((2, 4), (3, 5))
    pair = (alices, new) if stays == "old" else (new, alices)
    found = union_of(*pair, NOON)
    limits = found.today, found.total, found.members
    assert [(one.together, one.shared) for one in limits] == [(3, 2), (5, 4), (3, 0)]
    merge(*pair)
    assert used(pair[0]) == (3, 5)


def test_two_who_left_the_same_team_brought_the_same(alices: Team) -> None:
    """The earlier one is a part of what the later one brought, and so is a copy of a copy."""
    bobs = leave(team=alices, user=user("bob"), at=NOON)
    hand_in(alices)
    carols = leave(team=alices, user=user("carol"), at=NOON)
    hand_in(bobs)
    assert (used(bobs), used(carols)) == ((3, 5), (3, 5))
    merge(bobs, carols)
    assert used(bobs) == (4, 6)
    again = leave(team=bobs, user=user("carol"), at=NOON)
    assert used(again) == (4, 6)
    merge(alices, again)  # whose file is no part of it
    assert used(alices) == (4, 6)
    merge(alices, bobs)
    assert used(alices) == (4, 6)


def test_what_came_back_to_the_team_before_is_not_charged_to_who_comes_back(
    alices: Team,
) -> None:
    taken_back = hand_in(alices)
    new = leave(team=alices, user=user("bob"), at=NOON)
    cancel(submission=taken_back, user=user("alice"), at=NOON)
    assert (used(alices), used(new)) == ((2, 4), (3, 5))
    merge(alices, new)
    assert used(alices) == (2, 4)
