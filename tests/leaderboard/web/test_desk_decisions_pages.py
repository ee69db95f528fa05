"""The desk's schedule and announcements, and what participants then see."""

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition, Organizer
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db

SCHEDULE, SAY = "/c/talk/desk/schedule", "/c/talk/desk/announcements"
HOUR = timedelta(hours=1)


def fields(contest: Competition, **moved: datetime) -> dict[str, str]:
    """The three dates as a browser sends them: the contest's clock, to the minute."""
    dates = {
        name: moved.get(name, getattr(contest, name))
        for name in ("opens_at", "closes_at", "reveals_at")
    }
    return {name: f"{at.astimezone(contest.zoneinfo):%Y-%m-%dT%H:%M}" for name, at in dates.items()}


def change(verb: str, by: str = "olivia", **sent: str) -> Client:
    client = browser(by)
    assert client.post(SCHEDULE, {"verb": verb, **sent}).status_code == 302
    return client


def test_the_dates_are_shown_and_read_in_the_contests_zone() -> None:
    contest = running(zone="America/New_York")
    client = browser("olivia")
    written = fields(contest)
    page = client.get(SCHEDULE).text
    assert all(f'value="{value}"' in page for value in written.values())
    assert "America/New_York" in page
    moved = fields(contest, closes_at=contest.closes_at + HOUR)
    answer = client.post(SCHEDULE, {"verb": "reschedule", "reason": "정전", **moved})
    assert answer.status_code == 302
    before = contest.closes_at
    contest.refresh_from_db()
    # To the minute, as typed; what was not touched keeps its seconds.
    assert contest.closes_at == (before + HOUR).replace(second=0, microsecond=0)
    assert Announcement.objects.get().text.startswith("일정이 바뀌었습니다: 마감 ")


def test_a_preview_says_what_would_be_announced_and_changes_nothing() -> None:
    contest = running()
    moved = fields(contest, closes_at=contest.closes_at + HOUR)
    page = browser("olivia").post(SCHEDULE, {"verb": "preview", "reason": "정전", **moved})
    assert page.status_code == 200
    assert "일정이 바뀌었습니다: 마감" in page.text
    assert "The schedule has changed: close" in page.text
    same = browser("olivia").post(SCHEDULE, {"verb": "preview", **fields(contest)})
    assert "바뀌는 시각이 없습니다" in same.text
    assert not Announcement.objects.exists()
    before = contest.closes_at
    contest.refresh_from_db()
    assert contest.closes_at == before


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"closes_at": "2020-01-01T00:00"}, "순서여야"),
        ({"closes_at": "soon"}, ""),
        ({"reveals_at": "9999-12-31T23:59"}, ""),
        ({"opens_at": "0001-01-01T00:00"}, ""),
    ],
)
def test_impossible_dates_come_back_with_the_form(sent: dict[str, str], said: str) -> None:
    contest = running()
    answer = browser("olivia").post(
        SCHEDULE, {"verb": "reschedule", **fields(contest), "reason": "왜냐하면", **sent}
    )
    assert answer.status_code == 422
    assert said in answer.text
    assert "왜냐하면" in answer.text


def test_an_unknown_verb_is_a_bad_request() -> None:
    running()
    assert browser("olivia").post(SCHEDULE, {"verb": "delete"}).status_code == 400
    assert browser("olivia").post(SCHEDULE).status_code == 400


def test_a_pause_is_seen_everywhere_with_its_reason() -> None:
    builders.team(running(), "alice")
    change("pause", reason="정답을 <b>다시</b> 봅니다")
    alice = browser("alice")
    for where in ("/c/talk/", "/c/talk/submit", "/c/talk/leaderboard"):
        page = alice.get(where).text
        assert '<span class="badge look">멈춤</span>' in page
        assert "정답을 &lt;b&gt;다시" in page
    assert "파일 확인은 지금도 할 수 있고" in alice.get("/c/talk/submit").text
    assert "멈춤" in browser().get("/").text
    assert "제출을 잠시 멈췄습니다" in alice.get("/inbox").text
    change("resume")
    assert "멈춤</span>" not in alice.get("/c/talk/").text


def test_a_held_reveal_says_so_and_promises_no_date() -> None:
    contest = running()
    builders.team(contest, "alice")
    change("hold")
    now = timezone.now()
    Competition.objects.update(closes_at=now - 2 * HOUR, reveals_at=now - HOUR)
    for where in ("/c/talk/", "/"):
        assert "결과 확인 중 (공개 미룸)" in browser("alice").get(where).text
    board = browser("alice").get("/c/talk/leaderboard?board=private")
    assert board.status_code == 404
    assert "결과 공개를 미룹니다" in board.text
    assert "에 공개합니다" not in board.text
    change("release")
    assert browser("alice").get("/c/talk/leaderboard?board=private").status_code == 200
    answer = browser("olivia").post(SCHEDULE, {"verb": "hold"})
    assert answer.status_code == 409
    assert "다시 감출 수 없습니다" in answer.text


def test_an_announcement_is_plain_text_on_the_overview_and_in_the_inbox() -> None:
    contest = running()
    builders.team(contest, "alice")
    Organizer.objects.create(competition=contest, user=builders.user("ada"), role="assistant")
    text = "첫 줄 <script>alert(1)</script>\r\n둘째 줄"
    sent = {"text": text, "text_en": "First line", "audience": "all", "pinned": "on"}
    assert browser("ada").post(SAY, sent).status_code == 302
    page = browser("alice").get("/c/talk/").text
    assert "첫 줄 &lt;script&gt;alert(1)&lt;/script&gt;<br>둘째 줄" in page
    assert "<script>alert" not in page
    inbox = browser("alice").get("/inbox").text
    assert "/c/talk/#announcements" in inbox
    assert "<script>alert" not in inbox
    assert "First line" in browser("alice", "en").get("/c/talk/").text
    assert "First line" in browser("alice", "en").get("/inbox").text


def test_what_is_said_to_some_teams_is_read_by_them_and_the_desk() -> None:
    contest = running()
    ours = builders.team(contest, "alice", called="두괄식")
    builders.team(contest, "charlie")
    client = browser("olivia")
    sent = {"text": "두괄식에게만", "audience": "teams"}
    answer = client.post(SAY, sent)
    assert answer.status_code == 422
    assert "받을 팀을 골라 주세요" in answer.text
    assert client.post(SAY, {**sent, "teams": [str(ours.pk)]}).status_code == 302
    assert "두괄식에게만" in browser("alice").get("/c/talk/").text
    for stranger in (None, "charlie"):
        assert "두괄식에게만" not in browser(stranger).get("/c/talk/").text
    assert "두괄식에게만" in client.get(SAY).text


@pytest.mark.parametrize("length", [0, 2001])
def test_a_text_of_no_or_too_many_characters_is_refused(length: int) -> None:
    running()
    answer = browser("olivia").post(SAY, {"text": "가" * length, "audience": "all"})
    assert answer.status_code == 422
    assert not Announcement.objects.exists()


def test_line_breaks_count_as_one_character_as_in_the_browser() -> None:
    running()
    text = "\r\n".join(["가" * 999, "나" * 1000])
    assert browser("olivia").post(SAY, {"text": text, "audience": "all"}).status_code == 302


def test_another_contests_team_cannot_be_told() -> None:
    running()
    theirs = builders.team(running("other"), "dana")
    sent = {"text": "x", "audience": "teams", "teams": [str(theirs.pk)]}
    assert browser("olivia").post(SAY, sent).status_code == 422
