"""The log of a contest, as its editors read it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.actions.assigning import assign_teams
from leaderboard.actions.discipline import warn
from leaderboard.actions.schedule import reschedule
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db
LOG = "/c/talk/desk/audit"
HOUR = timedelta(hours=1)


def note(contest: Competition, number: int) -> None:
    record(
        kind="test.noted",
        actor=builders.user("olivia"),
        at=timezone.now() + timedelta(minutes=number),
        competition=contest.pk,
        reason=f"<i>까닭 {number:03}</i>",
    )


def test_a_decision_is_shown_with_who_what_before_after_and_why() -> None:
    contest = running()
    dates = {name: getattr(contest, name) + HOUR for name in ("closes_at", "reveals_at")}
    reschedule(
        competition=contest,
        user=builders.user("olivia"),
        dates=dates,
        reason="정전",
        at=timezone.now(),
    )
    page = browser("olivia").get(LOG).text
    assert "일정을 바꿈" in page
    assert "정전" in page
    closes = [
        f"{at.astimezone(contest.zoneinfo):%Y-%m-%d %H:%M:%S KST}"
        for at in (contest.closes_at, dates["closes_at"])
    ]
    assert f"{closes[0]} → {closes[1]}" in page
    # What did not move is not among the changes.
    line = page[page.index("일정을 바꿈") :].split("</tr>")[0]
    assert closes[1] in line
    assert f"{contest.opens_at.astimezone(contest.zoneinfo):%Y-%m-%d %H:%M:%S KST}" not in line
    assert "Changed the schedule" in browser("olivia", "en").get(LOG).text


def test_teams_are_named_and_truth_values_are_words() -> None:
    contest = running()
    ours = builders.team(contest, "alice", called="두괄식")
    put = {"competition": contest, "user": builders.user("olivia"), "at": timezone.now()}
    assign_teams(text=f"username,team\n{builders.user('bob')},{ours}\n", **put)  # type: ignore[arg-type]
    record(
        kind="announced",
        actor=None,
        at=timezone.now(),
        competition=contest.pk,
        after={
            "audience": "all",
            "pinned": True,
            "team": "00000000-0000-0000-0000-000000000007",
            "odd": {"a": [1]},
            "team_merge_until": "2026-12-11T10:00:00+00:00",
        },
    )
    page = browser("olivia").get(LOG).text
    assert "사람을 팀에 배정함" in page
    assert "두괄식" in page
    assert "받는 사람</span> 모두" in page
    assert "00000000-0000-0000-0000-000000000007" in page
    assert "odd" not in page, "what has no words is left out"
    assert "2026-12-11 19:00:00 KST" in page


def test_the_log_is_read_in_pages_of_a_hundred_newest_first() -> None:
    contest = running()
    for number in range(100):
        note(contest, number)
    first, second = (browser("olivia").get(f"{LOG}?page={page}").text for page in (1, 2))
    assert first.index("까닭 099") < first.index("까닭 000")
    assert "<i>까닭" not in first
    assert "정답을 올림" not in first
    assert "정답을 올림" in second
    for odd in ("0", "99", "x"):
        assert browser("olivia").get(f"{LOG}?page={odd}").status_code == 200


def test_the_log_is_searched_by_decision_person_reason_and_team() -> None:
    contest = running()
    note(contest, 7)
    ours = builders.team(contest, "alice", called="두괄식")
    who = {"user": builders.user("olivia"), "at": timezone.now()}
    warn(team=ours, reason="같은 파일", **who)  # type: ignore[arg-type]
    for query in ("경고", "olivia", "같은", "두괄"):
        assert "팀에 경고함" in browser("olivia").get(LOG, {"q": query}).text
    found = browser("olivia").get(LOG, {"q": "까닭 007"}).text
    assert "까닭 007" in found
    assert "팀에 경고함" not in found


def test_another_contests_log_is_not_shown() -> None:
    running()
    note(running("other"), 1)
    assert "까닭 001" not in browser("olivia").get(LOG).text
