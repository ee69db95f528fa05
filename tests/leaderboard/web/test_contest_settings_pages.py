"""Making a contest, its settings and its files, on pages."""

import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from leaderboard.audit.models import AuditEvent
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition, DataFile, Organizer
from tests.leaderboard import builders
from tests.leaderboard.web.addresses import contest_settings
from tests.leaderboard.web.pages import browser, confirmed, running

pytestmark = pytest.mark.django_db
NEW = {
    "slug": "spring-2027",
    "title": "봄 대회",
    "zone": "America/New_York",
    "opens_at": "2027-03-02T10:00",
    "closes_at": "2027-03-30T19:00",
    "reveals_at": "2027-03-31T10:00",
    "daily_limit": "5",
    "max_waiting": "3",
    "preset": "max-sum",
    "tokenizer": "mecab-ko",
}
SETTINGS, DATA = "/c/talk/desk/settings", "/c/talk/desk/data"


# --- Making one ----------------------------------------------------------------------------------


def test_a_contest_is_made_and_the_desk_says_what_is_missing() -> None:
    builders.creator("olivia")
    olivia = browser("olivia")
    assert 'href="/contests/new"' in olivia.get("/").text
    assert olivia.get("/contests/new").status_code == 200
    answer = olivia.post("/contests/new", NEW, follow=True)
    assert answer.redirect_chain == [("/c/spring-2027/desk/", 302)]
    made = Competition.objects.get()
    # Ten in the morning in New York, five hours behind UTC before its summer time.
    assert made.opens_at.isoformat() == "2027-03-02T15:00:00+00:00"
    assert made.closes_at.isoformat() == "2027-03-30T23:00:00+00:00"
    assert re.search(r'class="btn"\s+href="/c/spring-2027/desk/golds"', answer.text)
    for way in ("golds", "schedule", "settings", "data"):
        assert f'href="/c/spring-2027/desk/{way}"' in answer.text
        assert olivia.get(f"/c/spring-2027/desk/{way}").status_code == 200


def test_what_cannot_be_comes_back_with_the_form() -> None:
    builders.competition()
    for wrong in [
        {"slug": "Spring"},
        {"slug": "a/b"},
        {"slug": "talk"},
        {"zone": "Mars/Olympus"},
        {"zone": "../../etc/passwd"},
        {"closes_at": "2027-03-01T10:00"},
        {"reveals_at": "2027-03-30T19:09"},  # nine minutes after the close
        {"opens_at": "2020-01-01T00:00", "closes_at": "2020-02-01T00:00"},
        {"daily_limit": "0"},
        {"daily_limit": "99999999999999999999"},
        {"preset": "none"},
        {"opens_at": "2027-03-14T02:30"},  # skipped by New York's clocks
    ]:
        answer = browser("olivia").post("/contests/new", {**NEW, **wrong})
        assert answer.status_code == 422
        assert "봄 대회" in answer.text
        assert 'role="alert"' in answer.text
        assert Competition.objects.count() == 1


def test_the_dates_that_are_proposed_make_a_contest_as_they_are() -> None:
    builders.creator("olivia")
    olivia = browser("olivia")
    page = olivia.get("/contests/new").text
    proposed = dict(re.findall(r'name="([a-z]+_at)" value="([^"]+)"', page))
    assert list(proposed) == ["opens_at", "closes_at", "reveals_at"]
    answer = olivia.post("/contests/new", {**NEW, "zone": "Asia/Seoul", **proposed})
    assert answer.status_code == 302
    made = Competition.objects.get()
    assert made.opens_at - timezone.now() > timedelta(days=2)
    assert made.opens_at.astimezone(made.zoneinfo).strftime("%a %H:%M") == "Mon 10:00"


# --- Settings ------------------------------------------------------------------------------------


def test_texts_are_saved_and_a_changed_rule_is_looked_at_first() -> None:
    contest = running(rules="- 하나  \n")
    olivia = browser("olivia")
    sent = {**contest_settings(contest), "verb": "save", "introduction": "## 소개\r\n\r\n**굵게**"}
    assert olivia.post(SETTINGS, sent).status_code == 302
    contest.refresh_from_db()
    assert contest.introduction == "## 소개\n\n**굵게**"
    event = AuditEvent.objects.get(kind="competition.edited")
    assert set(event.after) == {"introduction"}, "a text that was not touched is no change"
    sent["daily_limit"] = str(contest.daily_limit + 1)
    assert confirmed(olivia, SETTINGS, sent).status_code == 302
    assert Announcement.objects.count() == 1


# --- Files ---------------------------------------------------------------------------------------


def test_files_are_added_described_and_removed() -> None:
    contest = running()
    Organizer.objects.create(competition=contest, user=builders.user("eddie"), role="editor")
    builders.team(contest, "alice")
    olivia, eddie = browser("olivia"), browser("eddie")
    assert "sample_submission.csv" in olivia.get(DATA).text
    for name in ("a.csv", "b.csv"):
        file = SimpleUploadedFile(name, b"x" * 2048)
        sent = {"verb": "add", "file": file, "description": "대화", "description_en": "Talks"}
        assert eddie.post(DATA, sent).status_code == 302
    a = DataFile.objects.get(name="a.csv")
    page = olivia.get(DATA).text
    assert a.sha256[:8] in page
    shown = browser("alice").get("/c/talk/data").text
    assert shown.index("a.csv") < shown.index("b.csv")
    described = {"verb": "describe", "file_id": str(a.pk), "description": "<b>새</b>"}
    olivia.post(DATA, described)
    assert "&lt;b&gt;새&lt;/b&gt;" in browser("alice").get("/c/talk/data").text
    removing = {"verb": "remove", "file_id": str(a.pk)}
    assert eddie.post(DATA, removing).status_code == 403
    assert 'value="remove"' not in eddie.get(DATA).text
    assert olivia.post(DATA, removing).status_code == 302
    assert browser("alice").get(f"/c/talk/data/{a.pk}").status_code == 404


def test_odd_requests_change_no_file() -> None:
    running()
    other = running("other")
    olivia = browser("olivia")
    assert olivia.post(DATA, {"verb": "add"}).status_code == 422
    assert olivia.post(DATA, {"verb": "burn"}).status_code == 400
    file = SimpleUploadedFile("a.csv", b"x")
    olivia.post("/c/other/desk/data", {"verb": "add", "file": file})
    foreign = DataFile.objects.get(competition=other)
    for odd in (str(foreign.pk), "x", ""):
        assert olivia.post(DATA, {"verb": "remove", "file_id": odd}).status_code == 404
    again = SimpleUploadedFile("a.csv", b"y")
    answer = olivia.post("/c/other/desk/data", {"verb": "add", "file": again})
    assert answer.status_code == 409
