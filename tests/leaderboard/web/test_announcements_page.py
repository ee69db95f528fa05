"""Announcements in Markdown, with a trace of each correction."""

import re
import unicodedata
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.actions.announcements import announce, correct_announcement
from leaderboard.community.models import Announcement, plain
from leaderboard.competitions.models import Competition, Organizer
from tests.leaderboard import builders
from tests.leaderboard.builders import user
from tests.leaderboard.web.pages import browser, confirmed, running

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
        assert "수정 전 내용 2개" in desk
        assert desk.index("셋째 글") < desk.index("둘째 글") < desk.index("처음 &lt;b&gt;글")
        assert "First words" in desk
    page = browser("alice").get("/c/talk/").text
    assert ("셋째 글" in page, "둘째 글" in page, "처음" in page) == (True, False, False)
    assert "고침" in page or "수정" in page


def test_chosen_teams_are_never_told_to_everybody() -> None:
    contest = running()
    builders.team(contest, "alice", "bob", called="두괄식")
    builders.team(contest, "charlie")
    sent = {"text": "두괄식에게만", "audience": "all", "teams": "두괄식"}
    assert browser("olivia").post(SAY, sent).status_code == 422
    assert not Announcement.objects.exists()
    shown = browser("olivia", "en").post(SAY, {**sent, "audience": "teams"}).text
    assert re.search(r"Recipient: <b>Chosen teams</b>: <b [^>]*>두괄식</b>", shown)
    assert "It will be sent to 2 inboxes." in shown
    shown = browser("olivia").post(SAY, {"text": "다들", "audience": "all"}).text
    assert "받는 사람: <b>모두</b>" in shown


def test_teams_are_chosen_by_typing_their_names_however_these_are_composed() -> None:
    contest = running()
    for number in range(3):
        builders.team(contest, f"s{number}", called=f"Team {number}모둠")
    olivia = browser("olivia", "en")
    assert "0모둠" not in olivia.get(SAY).text, "the page costs the same with ten thousand"
    typed = [unicodedata.normalize("NFD", "team  0모둠"), "", " Team 2모둠", "Team 2모둠"]
    sent = {"text": "둘에게", "audience": "teams", "teams": "\r\n".join(typed)}
    shown = olivia.post(SAY, {**sent, "teams": f"{sent['teams']}\r\nTeam 9<b>모둠"})
    assert shown.status_code == 422
    assert "There is no team called Team 9&lt;b&gt;모둠." in shown.text
    assert confirmed(olivia, SAY, sent).status_code == 302
    said = Announcement.objects.get()
    assert [team.name for team in said.teams.all()] == ["Team 0모둠", "Team 2모둠"]


def test_an_audience_of_nobody_is_refused_and_a_notice_to_all_is_not() -> None:
    contest = running()
    olivia = browser("olivia")
    answer = olivia.post(SAY, {"text": "아직 안 낸 팀에게", "audience": "no_submission"})
    assert answer.status_code == 422
    empty = builders.team(contest, "alice", called="빈 팀")
    empty.memberships.all().delete()
    sent = {"text": "빈 팀에게", "audience": "teams", "teams": "빈 팀"}
    assert olivia.post(SAY, sent).status_code == 422
    assert not Announcement.objects.exists()
    assert confirmed(olivia, SAY, {"text": "모두에게", "audience": "all"}).status_code == 302
