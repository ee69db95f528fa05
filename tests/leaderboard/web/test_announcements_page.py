"""Announcements in Markdown, with a trace of each correction; all that was sent to one team."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.actions.announcements import announce, correct_announcement
from leaderboard.actions.discipline import warn
from leaderboard.community.models import Announcement, plain
from leaderboard.competitions.models import Competition, Organizer
from tests.leaderboard import builders
from tests.leaderboard.builders import user
from tests.leaderboard.web.pages import browser, hand_in, running

pytestmark = pytest.mark.django_db
SAY = "/c/talk/desk/announcements"
HOUR = timedelta(hours=1)
TEXT = "## 마감\n**내일** 끝납니다.\n[규칙](https://rules.example/x) <script>alert(1)</script>"


def say(contest: Competition, text: str = TEXT, **options: object) -> Announcement:
    wanted = {"user": user("olivia"), "at": timezone.now(), **options}
    return announce(competition=contest, text=text, **wanted)  # type: ignore[arg-type]


def test_markdown_is_shown_clean_and_each_line_break_is_one() -> None:
    contest = running()
    builders.team(contest, "alice")
    say(contest)
    page = browser("alice").get("/c/talk/").text
    assert "<strong>내일</strong> 끝납니다.<br>" in page
    assert "규칙</a> (rules.example)" in page
    assert "<script>alert" not in page
    inbox = browser("alice").get("/inbox").text
    assert "마감\n내일 끝납니다." in inbox
    assert plain("`a` * b\n- c\n> d ~~e~~ ![f](g)") == "a * b\nc\nd e f"


def test_who_corrected_what_is_for_organizers_and_when_for_all() -> None:
    contest = running()
    builders.team(contest, "alice")
    Organizer.objects.create(competition=contest, user=user("ada"), role="assistant")
    said = say(contest, "처음 <b>글</b>", text_en="First words")
    at = timezone.now()
    correct_announcement(announcement=said, user=user("olivia"), text="둘째 글", at=at)
    correct_announcement(announcement=said, user=user("olivia"), text="셋째 글", at=at + HOUR)
    for who in ("olivia", "ada"):
        desk = browser(who).get(SAY).text
        assert "고치기 전의 글 2개" in desk
        assert desk.index("셋째 글") < desk.index("둘째 글") < desk.index("처음 &lt;b&gt;글")
        assert "First words" in desk
    page = browser("alice").get("/c/talk/").text
    assert ("셋째 글" in page, "둘째 글" in page, "처음" in page) == (True, False, False)
    assert "고침" in page or "수정" in page


def test_what_would_be_read_before_the_opening_is_warned_of() -> None:
    now = timezone.now()
    dates = {"opens_at": now + HOUR, "closes_at": now + 2 * HOUR, "reveals_at": now + 3 * HOUR}
    builders.competition(**dates)
    olivia = browser("olivia")
    assert "지금 공지하면 그 전에 읽힙니다" in olivia.get(SAY).text
    shown = olivia.post(SAY, {"text": "곧 엽니다", "audience": "all"}).text
    assert "대회가 열리기 전에 읽히는 공지입니다" in shown
    Competition.objects.update(opens_at=now - HOUR)
    assert "읽힙니다" not in olivia.get(SAY).text
    shown = olivia.post(SAY, {"text": "열었습니다", "audience": "all"}).text
    assert "열리기 전에" not in shown


def test_the_desk_lists_all_that_was_sent_to_one_team() -> None:
    contest = running()
    alices, danas = builders.team(contest, "alice", "bob"), builders.team(contest, "dana")
    say(contest, "모두에게 **하는** 말")
    say(contest, "다나에게만", audience="teams", teams=[danas])
    now = timezone.now()
    warn(team=alices, user=user("olivia"), reason="같은 파일 <i>둘</i>", at=now)
    hand_in(alices)
    builders.score_all(at=now)
    browser("bob").post("/inbox", {"verb": "read"})
    olivia = browser("olivia")
    where = f"/c/talk/desk/teams/{alices.pk}/sent"
    assert where in olivia.get(f"/c/talk/desk/teams/{alices.pk}").text
    with CaptureQueriesContext(connection) as queries:
        page = olivia.get(where).text
    assert len(queries) <= 12
    assert "모두에게 <strong>하는</strong> 말" in page
    assert "같은 파일 &lt;i&gt;둘&lt;/i&gt;" in page
    assert "채점" in page
    assert "다나에게만" not in page
    assert len(re.findall(r"2명에게\s+·\s+1명이 읽지 않음", page)) == 3
    other = olivia.get(f"/c/talk/desk/teams/{danas.pk}/sent").text
    assert ("다나에게만" in other, "같은 파일" in other) == (True, False)
    for who in ("alice", "charlie"):
        assert browser(who).get(where).status_code == 404
