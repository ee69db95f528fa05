"""The ledger's lines and what they leave."""

from datetime import datetime, timedelta

import pytest

from leaderboard.competitions.schedule import day
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import allowance, by_day, entries, refund
from leaderboard.submissions.models import QuotaEntry
from leaderboard.teams.models import Team
from tests.leaderboard.builders import NOON, hand_in, open_competition, team

pytestmark = pytest.mark.django_db


def give_back(submission: object, at: datetime = NOON) -> None:
    refund(submission=submission, at=at, reason=QuotaEntry.Reason.FAILED)  # type: ignore[arg-type]


def give(by: Team, amount: int, at: datetime = NOON) -> None:
    on = day(by.competition, at).date
    QuotaEntry.objects.create(
        team=by, kind=QuotaEntry.Kind.GRANT, amount=amount, day=on, at=at, words="정전"
    )


def test_a_refund_goes_back_to_the_day_it_was_taken_from() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    given = hand_in(alices, at=NOON)
    tomorrow = NOON + timedelta(days=1)
    give_back(given, tomorrow)
    give_back(given, tomorrow)  # twice is once
    assert QuotaEntry.objects.filter(kind="refund").count() == 1
    assert allowance(alices, contest, NOON).left_today == 12
    assert allowance(alices, contest, tomorrow).left_today == 12


def test_entries_say_what_was_left_after_each_line() -> None:
    alices = team(open_competition(), "alice")
    first = hand_in(alices)
    hand_in(alices, at=NOON + timedelta(minutes=1))
    give_back(first, NOON + timedelta(minutes=2))
    lines = entries(alices)
    assert [(line.amount, line.left_after) for line in lines] == [(1, 11), (-1, 10), (-1, 11)]


def test_a_grant_raises_the_whole_for_good() -> None:
    contest = open_competition(daily_limit=9, total_limit=2)
    alices = team(contest, "alice")
    hand_in(alices)
    hand_in(alices)
    assert allowance(alices, contest, NOON).total_left == 0
    give(alices, 2)
    left = allowance(alices, contest, NOON)
    assert (left.left_today, left.total_left, left.granted) == (2, 2, 2)
    hand_in(alices)
    # What was not used on the granted day may be used within the limit of another.
    tomorrow = allowance(alices, contest, NOON + timedelta(days=1))
    assert (tomorrow.left_today, tomorrow.total_left) == (1, 1)


def test_the_refusal_speaks_of_the_limit_that_was_met() -> None:
    contest = open_competition(daily_limit=1, total_limit=2)
    alices = team(contest, "alice")
    give(alices, 1)
    hand_in(alices)
    hand_in(alices)
    with pytest.raises(Refused, match="daily_limit"):  # 3 of the whole, 2 of them used
        hand_in(alices)
    hand_in(alices, at=NOON + timedelta(days=1))
    with pytest.raises(Refused, match="total_limit") as caught:
        hand_in(alices, at=NOON + timedelta(days=2))
    assert "3회" in caught.value.message("ko")


def test_days_of_the_ledger_sum_up_their_lines() -> None:
    contest = open_competition(daily_limit=2, total_limit=9)
    alices = team(contest, "alice")
    first = hand_in(alices)
    tomorrow = NOON + timedelta(days=1)
    hand_in(alices, at=tomorrow)
    give(alices, 3, tomorrow)
    give_back(first, tomorrow + timedelta(minutes=1))
    found = [
        (one["date"].day, one["granted"], one["used"], one["left"], len(one["lines"]))
        for one in by_day(alices)
    ]
    assert found == [(21, 3, 1, 4, 2), (20, 0, 0, 2, 2)]
    # The whole: 9, then 8, 7, 10 and 11 again with what came back.
    assert [line.total_left_after for line in entries(alices)] == [11, 10, 7, 8]


@pytest.mark.parametrize(
    ("limit", "total", "granted", "used", "left", "of_today", "of_total"),
    [
        (3, None, 0, 1, 2, 3, None),
        (3, None, 2, 2, 3, 5, None),  # 3 of 5 left: never "3 / 3"
        (5, 3, 0, 2, 1, 3, 3),  # the whole contest's limit is the nearer one
        (5, 3, 2, 2, 3, 5, 5),
    ],
)
def test_what_is_left_and_what_was_used_add_up_to_what_is_printed_beside_them(
    limit: int,
    total: int | None,
    granted: int,
    used: int,
    left: int,
    of_today: int,
    of_total: int | None,
) -> None:
    contest = open_competition(daily_limit=limit, total_limit=total, max_waiting=9)
    alices = team(contest, "alice")
    if granted:
        give(alices, granted)
    for _ in range(used):
        hand_in(alices)
    found = allowance(alices, contest, NOON)
    assert (found.left_today, found.of_today, found.of_total) == (left, of_today, of_total)
    assert found.ends_with_total == (of_today < limit + granted)
    assert found.granted_today == granted
    tomorrow = allowance(alices, contest, NOON + timedelta(days=1))
    assert tomorrow.left_today == min(limit, limit if of_total is None else of_total - used)


def test_a_limit_that_was_lowered_still_adds_up() -> None:
    contest = open_competition(daily_limit=5, max_waiting=9)
    alices = team(contest, "alice")
    for _ in range(4):
        hand_in(alices)
    contest.daily_limit = 3
    contest.save(update_fields=["daily_limit"])
    found = allowance(alices, contest, NOON)
    assert (found.used_today, found.left_today, found.of_today) == (4, 0, 4)
    (day_of,) = by_day(Team.objects.get())
    assert (day_of["used"], day_of["allowed"]) == (4, 4)
