"""The desk's schedule and announcements, and what participants then see."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.actions.references import upload_dev_set, upload_dialogues
from leaderboard.audit.models import AuditEvent
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.inbox.models import Notification
from leaderboard.references.models import DialogueSet, Release
from leaderboard.submissions.queries import Upload
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, confirmed, hand_in, running

pytestmark = pytest.mark.django_db

SCHEDULE, SAY = "/c/talk/desk/schedule", "/c/talk/desk/announcements"
DEV = "/c/talk/desk/dev-set"
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
    assert confirmed(client, SCHEDULE, {"verb": verb, **sent}).status_code == 302
    return client


def test_the_dates_are_shown_and_read_in_the_contests_zone() -> None:
    contest = running(zone="America/New_York")
    client = browser("olivia")
    written = fields(contest)
    page = client.get(SCHEDULE).text
    assert all(f'value="{value}"' in page for value in written.values())
    assert "America/New_York" in page
    moved = fields(contest, closes_at=contest.closes_at + HOUR)
    answer = confirmed(client, SCHEDULE, {"verb": "reschedule", "reason": "정전", **moved})
    assert answer.status_code == 302
    before = contest.closes_at
    contest.refresh_from_db()
    # To the minute, as typed; what was not touched keeps its seconds.
    assert contest.closes_at == (before + HOUR).replace(second=0, microsecond=0)
    assert Announcement.objects.get().text.startswith("일정이 바뀌었습니다: 마감 ")


def test_a_moved_close_is_shown_as_it_is_announced_and_to_how_many() -> None:
    contest = running()
    hand_in(builders.team(contest, "alice", "bob"))
    builders.team(contest, "charlie")
    sent = {"verb": "reschedule", "reason": "정전"}
    page = browser("olivia").post(
        SCHEDULE, {**sent, **fields(contest, closes_at=contest.closes_at - 3 * HOUR)}
    )
    assert page.status_code == 200
    assert "일정이 바뀌었습니다: 마감" in page.text
    assert "The schedule has changed: close" in page.text
    assert "3명의 알림함으로 보냅니다." in page.text


def _rows() -> list[object]:
    tables = (Competition, Announcement, AuditEvent, Notification, Release, DialogueSet)
    return [list(table._default_manager.order_by("pk").values()) for table in tables]


def _decisions(contest: Competition) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Each that cannot be taken back or reaches every inbox, in an order in which all may be."""
    moved = fields(contest, closes_at=contest.closes_at - HOUR)
    dev, talks = contest.reference_sets.get(public_rows=0), contest.dialogue_sets.get()
    yield "moving dates", SCHEDULE, {"verb": "reschedule", "reason": "", **moved}
    yield "pausing", SCHEDULE, {"verb": "pause", "reason": "점검"}
    yield "going on", SCHEDULE, {"verb": "resume"}
    yield "holding", SCHEDULE, {"verb": "hold"}
    yield "not holding", SCHEDULE, {"verb": "release"}
    yield "announcing", SAY, {"text": "내일 점검합니다", "audience": "all"}
    said = str(Announcement.objects.get(text="내일 점검합니다").pk)
    yield "correcting", SAY, {"verb": "correct", "id": said, "text": "모레 점검합니다"}
    yield "releasing golds", DEV, {"verb": "release", "id": str(dev.pk)}
    yield "releasing dialogues", DEV, {"verb": "release_dialogues", "id": str(talks.pk)}
    file = hand_in(contest.teams.get())
    reason = {"reason": "규칙 위반"}
    yield "excluding", f"/c/talk/desk/submissions/{file.pk}", {"verb": "exclude", **reason}
    yield "disqualifying", f"/c/talk/desk/teams/{file.team_id}", {"verb": "disqualify", **reason}
    yield "archiving", "/c/talk/desk/ending", {"verb": "archive"}


@pytest.mark.whole
def test_what_reaches_every_inbox_or_stays_is_looked_at_before_it_is_done() -> None:
    """Neither a first click nor one on a page that showed something else does anything."""
    contest = running()
    builders.team(contest, "alice")
    olivia = builders.user("olivia")
    now = timezone.now()
    golds = [Upload("dev.csv", builders.gold_csv({"dev_1": ("산에 간다.",)}, None))]
    upload_dev_set(competition=contest, user=olivia, files=golds, at=now)
    talks = Upload("talks.csv", builders.texts_csv({"dev_1": "가: 산에 갈래?"}, "dialogue"))
    upload_dialogues(competition=contest, user=olivia, upload=talks, at=now)
    client, done = browser("olivia"), 0
    for name, where, sent in _decisions(contest):
        before = _rows()
        for unseen in ({}, {"seen": ""}, {"seen": "0" * 64}):
            shown = client.post(where, {**sent, **unseen})
            assert shown.status_code == 200, name
            assert "아직 저장하지 않았습니다" in shown.text, name
            assert _rows() == before, name
        assert confirmed(client, where, sent).status_code == 302, name
        assert _rows() != before, name
        done += 1
    assert done == 12


def test_a_correction_is_told_as_one_and_the_log_keeps_what_was_said() -> None:
    contest = running()
    builders.team(contest, "alice")
    client, alice = browser("olivia"), browser("alice")
    confirmed(client, SAY, {"text": "마감은 12일입니다", "text_en": "12th", "audience": "all"})
    alice.post("/inbox")
    said = Announcement.objects.get()
    words = {"verb": "correct", "id": str(said.pk), "text": "마감은 13일입니다", "text_en": "13th"}
    shown = client.post(SAY, words)
    assert "1명의 알림함으로 보냅니다." in shown.text
    assert confirmed(client, SAY, words).status_code == 302
    for where in ("/c/talk/", "/inbox"):
        page = alice.get(where).text
        assert "마감은 13일입니다" in page
        assert "마감은 12일입니다" not in page
    assert "에 수정" in alice.get("/c/talk/").text
    inbox = alice.get("/inbox").text
    assert "수정된 공지" in inbox
    assert inbox.count('class="new"') == 1
    log = client.get("/c/talk/desk/audit").text
    assert "공지를 수정함" in log
    assert "마감은 12일입니다" in log
    event = AuditEvent.objects.get(kind="announcement.corrected")
    assert event.before == {"text": "마감은 12일입니다", "text_en": "12th"}
    same = client.post(SAY, words)
    assert same.status_code == 422


def test_an_assistant_corrects_own_words_and_nobody_elses() -> None:
    contest = running()
    Organizer.objects.create(competition=contest, user=builders.user("ada"), role="assistant")
    for name, text in (("olivia", "주최자의 말"), ("ada", "조교의 말")):
        confirmed(browser(name), SAY, {"text": text, "audience": "all"})
    ids = {one.text: str(one.pk) for one in Announcement.objects.all()}

    def correct(by: str, text: str) -> dict[str, str]:
        return {"verb": "correct", "id": ids[text], "text": f"{text}, {by}"}

    assert browser("ada").get(SAY).text.count('value="correct"') == 1
    refused = browser("ada").post(SAY, correct("ada", "주최자의 말"))
    assert refused.status_code == 403
    confirmed(browser("ada"), SAY, correct("ada", "조교의 말"))
    assert {one.text for one in Announcement.objects.all()} == {"주최자의 말", "조교의 말, ada"}
    elsewhere = running("other")
    assert (
        browser("olivia")
        .post(f"/c/{elsewhere.slug}/desk/announcements", correct("x", "주최자의 말"))
        .status_code
        == 404
    )


def test_dates_that_came_before_the_rule_stay_until_they_are_changed() -> None:
    contest = running(opens_at=timezone.now() + 2 * HOUR)
    close = contest.closes_at.replace(second=0, microsecond=0)
    Competition.objects.update(closes_at=close, reveals_at=close)
    contest.refresh_from_db()
    change("reschedule", **fields(contest, opens_at=contest.opens_at - HOUR))
    sent = {"verb": "reschedule", **fields(contest, reveals_at=close + timedelta(minutes=9))}
    assert browser("olivia").post(SCHEDULE, sent).status_code == 422
    change("reschedule", **fields(contest, reveals_at=close + timedelta(minutes=10)))


def test_line_breaks_count_as_one_character_as_in_the_browser() -> None:
    running()
    text = "\r\n".join(["가" * 999, "나" * 1000])
    sent = {"text": text, "audience": "all"}
    assert confirmed(browser("olivia"), SAY, sent).status_code == 302
