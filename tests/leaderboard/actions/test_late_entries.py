"""Late entries: taken after the close where the contest says so, marked, never before or paused."""

import re
from datetime import timedelta

import pytest
from django.core.management import call_command

from leaderboard.actions.schedule import pause, reschedule
from leaderboard.actions.submissions import choose_finals
from leaderboard.refusals import Refused
from leaderboard.submissions.ledger import allowance, by_day, entries
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user
from tests.leaderboard.material import CLOSES, GOLDS, NOON, OPENS, REVEALS
from tests.leaderboard.web.pages import browser
from tests.leaderboard.web.stage import stop_clock

pytestmark = pytest.mark.django_db
TICK = timedelta(microseconds=1)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
# What stands over every contest's page: the count of unread notices among it, which does change.
ABOVE = re.compile(r'^.*<section class="contest"', re.DOTALL)


def test_a_late_file_is_taken_and_marked_from_the_close_on() -> None:
    alices = team(open_competition(late_entries=True), "alice")
    at = {"just in time": CLOSES - TICK, "late": CLOSES, "after the reveal": REVEALS + DAY}
    with pytest.raises(Refused, match="not_open"):
        hand_in(alices, at=OPENS - TICK)
    taken = {when: hand_in(alices, at=instant) for when, instant in at.items()}
    assert {when: one.is_late for when, one in taken.items()} == {
        "just in time": False,
        "late": True,
        "after the reveal": True,
    }


@pytest.mark.parametrize("at", [NOON, CLOSES])
def test_a_pause_holds_for_late_entries_too(at: object) -> None:
    contest = open_competition(late_entries=True)
    alices = team(contest, "alice")
    pause(competition=contest, user=user("olivia"), reason="점검", at=NOON)
    with pytest.raises(Refused, match="paused") as caught:
        hand_in(alices, at=at)
    assert "점검" in caught.value.message("ko")


def test_late_files_have_the_days_limit_for_themselves() -> None:
    contest = open_competition(late_entries=True, daily_limit=1, total_limit=1)
    alices = team(contest, "alice")
    hand_in(alices, at=CLOSES - TICK)  # 19:00 in Seoul: the same day as the two that follow
    late = allowance(alices, contest, CLOSES)
    assert (late.left_today, late.total_left) == (1, None)
    hand_in(alices, at=CLOSES)
    with pytest.raises(Refused, match="daily_limit"):
        hand_in(alices, at=CLOSES + timedelta(hours=1))
    assert hand_in(alices, at=CLOSES + DAY)


def test_a_late_file_takes_nothing_from_a_contest_that_opens_again() -> None:
    contest = open_competition(late_entries=True, daily_limit=2, total_limit=2)
    alices = team(contest, "alice")
    hand_in(alices, at=CLOSES - TICK)
    hand_in(alices, at=CLOSES)
    later = {"closes_at": REVEALS - timedelta(hours=1)}
    reschedule(competition=contest, user=user("olivia"), dates=later, at=CLOSES + HOUR)
    contest.refresh_from_db()
    left = allowance(alices, contest, CLOSES + HOUR)
    assert (left.used_today, left.left_today, left.total_used, left.total_left) == (1, 1, 1, 1)
    days = [(day["late"], day["used"], day["left"]) for day in by_day(alices)]
    assert days == [(True, 1, 1), (False, 1, 1)], "each list adds up by itself"
    whole = [line.total_left_after for line in entries(alices)]
    assert whole == [None, 1]


def test_a_late_file_is_no_final_even_if_the_contest_opens_again() -> None:
    contest = open_competition(late_entries=True)
    alices = team(contest, "alice")
    on_time, late = hand_in(alices, at=CLOSES - HOUR), hand_in(alices, at=CLOSES)
    score_all(CLOSES)
    later = {"closes_at": REVEALS - TICK}
    reschedule(competition=contest, user=user("olivia"), dates=later, at=CLOSES + HOUR)
    choosing = {"user": user("alice"), "at": CLOSES + HOUR}
    alices.refresh_from_db()
    with pytest.raises(Refused, match="late_final"):
        choose_finals(team=alices, submission_ids=[on_time.pk, late.pk], **choosing)
    choose_finals(team=alices, submission_ids=[on_time.pk], **choosing)


# Every page and file that reads standings, marks or history, for a stranger, a rival and the team.
ROADS = (
    "leaderboard",
    "leaderboard?board=public",
    "leaderboard?board=private",
    "leaderboard?board=public&at=2026-12-11",
    "leaderboard?board=public&sort=entries",
    "leaderboard?board=public&sort=last",
    "leaderboard.csv",
    "leaderboard.csv?board=private",
    "leaderboard.json",
    "leaderboard.json?board=private",
    "shake-up",
    "shake-up.csv",
)


@pytest.mark.whole
@pytest.mark.parametrize("rule", ["finals", pytest.param("best", marks=pytest.mark.again)])
def test_a_late_file_moves_no_board_mark_history_or_export(
    monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    contest = open_competition(late_entries=True, finals_rule=rule)
    alices, bobs = team(contest, "alice"), team(contest, "bob")
    poor = dict.fromkeys(GOLDS, "아무 말이나 적었다.")
    first = hand_in(alices, poor)
    hand_in(bobs, {**poor, "talk_1": GOLDS["talk_1"][0], "talk_2": GOLDS["talk_2"][0]})
    score_all()
    at = REVEALS + 2 * DAY

    def seen() -> dict[tuple[str | None, str], str]:
        stop_clock(monkeypatch, at)
        pages = {
            (name, road): browser(name).get(f"/c/talk/{road}").text
            for name in (None, "bob", "alice")
            for road in ROADS
        }
        return {key: ABOVE.sub("", text) for key, text in pages.items()}

    before = seen()
    assert "아직 점수가 없습니다" not in "".join(before.values())
    late = hand_in(alices, at=CLOSES + HOUR)  # without a mistake: it would be first on both boards
    score_all(CLOSES + HOUR)
    call_command("rebuild_standings", "--check")
    after = seen()
    assert [key for key in before if before[key] != after[key]] == []
    own = browser("alice").get("/c/talk/submissions").text
    best, other = (own[own.index(f"submissions/{one.pk}") :] for one in (first, late))
    assert "우리 팀 최고" in best[: best.index("</tr>")]
    assert "우리 팀 최고" not in other[: other.index("</tr>")]
    csv = browser("alice").get("/c/talk/submissions.csv").text
    assert [line.split(",")[8] for line in csv.splitlines() if str(late.pk) in line] == ["yes"]
