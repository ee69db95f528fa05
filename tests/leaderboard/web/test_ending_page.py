"""The desk's last page, and the list of archived contests."""

import pytest

from leaderboard.actions.ending import holdings
from leaderboard.competitions.models import Competition
from tests.leaderboard.builders import NOON
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
    browsers["olivia"].post(PAGE, {"verb": "archive"})
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
    assert "보관한 대회입니다." in refused.text
    assert "보관한 대회입니다." in browsers["alice"].get("/c/talk/submit").text
    browsers["sue"].post(PAGE, {"verb": "reopen"})
    assert "/c/talk/" in browsers["visitor"].get("/").text


def test_deleting_takes_the_address_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    contest = build().contest
    stop_clock(monkeypatch, NOON)
    browsers = clients()
    shown = browsers["olivia"].get(PAGE).text
    assert f"{holdings(contest).files} (" in shown
    wrong = browsers["olivia"].post(PAGE, {"verb": "delete", "address": "walk"})
    assert wrong.status_code == 422
    assert Competition.objects.filter(slug="talk").exists()
    done = browsers["olivia"].post(PAGE, {"verb": "delete", "address": "talk"})
    assert done["Location"] == "/"
    for role in ("visitor", "alice", "olivia", "sue"):
        assert browsers[role].get("/c/talk/").status_code == 404
        assert "/c/talk/" not in browsers[role].get("/").text
    assert browsers["alice"].get("/inbox").status_code == 200


def test_administrators_find_it_among_the_tabs(monkeypatch: pytest.MonkeyPatch) -> None:
    build()
    stop_clock(monkeypatch, NOON)
    browsers = clients()
    assert PAGE in browsers["sue"].get("/c/talk/").text
    assert PAGE not in browsers["alice"].get("/c/talk/").text
    assert browsers["eddie"].get(PAGE).status_code == 404
    assert PAGE not in browsers["eddie"].get("/c/talk/desk").text
