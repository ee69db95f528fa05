"""The desk's last page, the list of archived contests, one's own data, and what is kept."""

import io
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from leaderboard.actions.ending import delete_competition, erase, holdings
from leaderboard.competitions.models import Competition
from leaderboard.logs import turn_over
from leaderboard.web.contest import submissions as submission_pages
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.pages import confirmed, csv_file
from tests.leaderboard.web.stage import build, clients, stop_clock

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("ignore:No directory at")]
PAGE = "/c/talk/desk/ending"


def test_an_archived_contest_leaves_the_list_and_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build()
    stop_clock(monkeypatch, NOON)
    browsers = clients()
    assert "?archived" not in browsers["visitor"].get("/").text
    confirmed(browsers["olivia"], PAGE, {"verb": "archive"})
    for role in ("visitor", "alice", "olivia", "sue"):
        first = browsers[role].get("/").text
        assert "/c/talk/" not in first
        assert 'href="/?archived"' in first
        assert "/c/talk/" in browsers[role].get("/?archived").text
        assert "보관한 대회입니다." in browsers[role].get("/c/talk/").text
    assert browsers["alice"].get("/c/talk/submissions").status_code == 200
    refused = browsers["alice"].post(
        "/c/talk/forum/new", {"kind": "talk", "title": "이야기", "text": "안녕"}
    )
    assert refused.status_code == 403
    assert "보관한 대회입니다." in browsers["alice"].get("/c/talk/submit").text
    browsers["sue"].post(PAGE, {"verb": "reopen"})
    assert "/c/talk/" in browsers["visitor"].get("/").text


def test_deleting_takes_the_address_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    contest = build().contest
    stop_clock(monkeypatch, NOON)
    browsers = clients()
    shown = browsers["olivia"].get(PAGE).text
    assert f"파일 {holdings(contest)['files']}개" in shown
    wrong = browsers["olivia"].post(PAGE, {"verb": "delete", "address": "walk"})
    assert wrong.status_code == 422
    assert Competition.objects.filter(slug="talk").exists()
    done = browsers["olivia"].post(PAGE, {"verb": "delete", "address": "talk"})
    assert done["Location"] == "/"
    for role in ("visitor", "alice", "olivia", "sue"):
        assert browsers[role].get("/c/talk/").status_code == 404
        assert "/c/talk/" not in browsers[role].get("/").text
    assert browsers["alice"].get("/inbox").status_code == 200
    gone = Competition.every.get(pk=contest.pk)
    assert contest.pk.hex not in gone.slug, "somebody may have taken that address"
    for where in (f"/c/{gone.slug}/submit", f"/c/{gone.slug}/submit/check"):
        sent = browsers["alice"].post(where, {"file": csv_file(), "key": "late"})
        assert sent.status_code == 404


def test_ones_own_data_comes_as_a_file_and_not_all_day(monkeypatch: pytest.MonkeyPatch) -> None:
    build()
    stop_clock(monkeypatch, NOON)
    alice = clients()["alice"]
    answers = [alice.post("/settings", {"verb": "export"}) for _ in range(7)]
    assert [one.status_code for one in answers] == [200] * 6 + [429]
    with zipfile.ZipFile(io.BytesIO(b"".join(answers[0]))) as archive:
        assert "data.json" in archive.namelist()


def test_what_is_kept_is_said_from_the_settings() -> None:
    visitor = clients()["visitor"]
    with override_settings(MESSAGE_DAYS=41, LOG_DAYS=42, CLOSED_NAME_DAYS=43):
        shown = visitor.get("/kept").text
    assert all(f"{days}일" in shown for days in (41, 42, 43))
    assert 'href="/kept"' in visitor.get("/").text


def test_no_line_of_a_log_gets_older_than_its_days(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    log.write_text("first\n")
    writer = log.open("a")
    assert turn_over(tmp_path, days=30, at=NOON) == 0
    earlier = tmp_path / "web.log.1"
    began = earlier.stat().st_mtime
    at = NOON.fromtimestamp(began, NOON.tzinfo)
    assert turn_over(tmp_path, days=30, at=at + timedelta(days=14)) == 0
    assert log.read_text() == "first\n"
    assert turn_over(tmp_path, days=30, at=at + timedelta(days=16)) == 1
    writer.write("second\n")  # the process that had it open goes on
    writer.close()
    assert (earlier.read_text(), log.read_text()) == ("first\n", "second\n")


def test_what_is_deleted_while_a_page_is_at_it_is_not_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = build()
    stop_clock(monkeypatch, NOON)
    browser = clients()["alice"]
    edit = submission_pages.actions.edit_note

    def too_late(**given: Any) -> None:
        sue = builders.user("sue")
        delete_competition(competition=stage.contest, user=sue, typed="talk", at=NOON)
        erase(stage.contest.pk)
        edit(**given)

    monkeypatch.setattr(submission_pages.actions, "edit_note", too_late)
    where = f"/c/talk/submissions/{stage.best.pk}/note"
    sent = browser.post(where, {"note": "", "method_name": "T5"})
    assert sent.status_code == 404
