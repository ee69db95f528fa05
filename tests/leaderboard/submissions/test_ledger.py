"""The ledger's lines and what they leave."""

from datetime import UTC, datetime, timedelta

import pytest

from leaderboard.submissions.ledger import allowance, entries, refund
from leaderboard.submissions.models import QuotaEntry
from tests.leaderboard.builders import NOON, hand_in, open_competition, team

pytestmark = pytest.mark.django_db


def give_back(submission: object, at: datetime = NOON) -> None:
    refund(submission=submission, at=at, reason_ko="우리 쪽 장애", reason_en="our fault")  # type: ignore[arg-type]


def test_a_refund_goes_back_to_the_day_it_was_taken_from() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    given = hand_in(alices, at=NOON)
    tomorrow = NOON + timedelta(days=1)
    give_back(given, tomorrow)
    assert allowance(alices, contest, NOON).left_today == 12
    assert allowance(alices, contest, tomorrow).left_today == 12


def test_a_second_refund_changes_nothing() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    given = hand_in(alices)
    give_back(given)
    give_back(given)
    assert QuotaEntry.objects.filter(kind="refund").count() == 1
    assert allowance(alices, contest, NOON).left_today == 12


def test_entries_say_what_was_left_after_each_line() -> None:
    alices = team(open_competition(), "alice")
    first = hand_in(alices)
    hand_in(alices, at=NOON + timedelta(minutes=1))
    give_back(first, NOON + timedelta(minutes=2))
    lines = entries(alices)
    assert [(line.amount, line.left_after) for line in lines] == [(1, 11), (-1, 10), (-1, 11)]


def test_slots_come_back_at_midnight_in_the_contest_zone() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    late = datetime(2026, 11, 20, 14, 59, 59, tzinfo=UTC)
    hand_in(alices, at=late)
    assert allowance(alices, contest, late).left_today == 11
    assert allowance(alices, contest, late).resets_at == late + timedelta(seconds=1)
    assert allowance(alices, contest, late + timedelta(seconds=1)).left_today == 12
