"""Late entries: taken after the close where the contest says so, marked, never before or paused."""

from datetime import timedelta

import pytest

from leaderboard.actions.pause import pause
from leaderboard.actions.refusals import Refused
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import Submission
from tests.leaderboard.builders import (
    CLOSES,
    NOON,
    OPENS,
    REVEALS,
    hand_in,
    open_competition,
    team,
    user,
)

pytestmark = pytest.mark.django_db
TICK = timedelta(microseconds=1)
DAY = timedelta(days=1)


def test_a_late_file_is_taken_and_marked_from_the_close_on() -> None:
    alices = team(open_competition(late_entries=True), "alice")
    at = {"just in time": CLOSES - TICK, "late": CLOSES, "after the reveal": REVEALS + DAY}
    taken = {when: hand_in(alices, at=instant) for when, instant in at.items()}
    assert {when: one.is_late for when, one in taken.items()} == {
        "just in time": False,
        "late": True,
        "after the reveal": True,
    }


def test_a_late_file_is_refused_where_the_contest_takes_none() -> None:
    alices = team(open_competition(), "alice")
    with pytest.raises(Refused, match="closed"):
        hand_in(alices, at=CLOSES)
    assert not Submission.objects.exists()


def test_late_entries_do_not_open_a_contest_early() -> None:
    alices = team(open_competition(late_entries=True), "alice")
    with pytest.raises(Refused, match="not_open"):
        hand_in(alices, at=OPENS - TICK)


@pytest.mark.parametrize("at", [NOON, CLOSES - TICK, CLOSES, REVEALS])
def test_a_pause_holds_for_late_entries_too(at: object) -> None:
    contest = open_competition(late_entries=True)
    alices = team(contest, "alice")
    pause(competition=contest, user=user("olivia"), reason="점검", at=NOON)
    with pytest.raises(Refused, match="paused") as caught:
        hand_in(alices, at=at)
    assert "점검" in caught.value.message("ko")


def test_late_entries_use_the_days_slots() -> None:
    contest = open_competition(late_entries=True, daily_limit=2)
    alices = team(contest, "alice")
    hand_in(alices, at=CLOSES - TICK)  # 19:00 in Seoul: the same day as the two that follow
    hand_in(alices, at=CLOSES)
    assert allowance(alices, contest, CLOSES).left_today == 0
    with pytest.raises(Refused, match="daily_limit"):
        hand_in(alices, at=CLOSES + timedelta(hours=1))
    assert hand_in(alices, at=CLOSES + DAY)
