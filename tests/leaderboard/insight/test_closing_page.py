"""The closing report's two editions: who may take which, and from when on."""

import io
from datetime import timedelta

import pytest

from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.insight.closing_report import make_next_report
from scoring.insight.closing.verify import verify_bundle
from tests.leaderboard.builders import REVEALS
from tests.leaderboard.web.crawl import Probe, send
from tests.leaderboard.web.stage import CANARY, EDITORS, ROLES, build, clients, stop_clock

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("ignore:No directory at")]
PUBLIC = ("/c/talk/closing-report.html", "/c/talk/closing-bundle.zip")
DESK = "/c/talk/desk/closing"
HOUR = timedelta(hours=1)


def make_reports() -> None:
    while make_next_report(REVEALS):
        pass


def content(role: str, where: str) -> bytes:
    answer = clients()[role].get(where)
    assert answer.status_code == 200, (role, where)
    return b"".join(answer) if answer.streaming else answer.content


def test_everybody_takes_the_public_edition_after_the_reveal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build()
    browsers = clients()
    stop_clock(monkeypatch, REVEALS)
    assert {browsers["olivia"].get(where).status_code for where in PUBLIC} == {404}
    make_reports()
    for role in ("visitor", "alice", "olivia"):
        page, bundle = (content(role, where) for where in PUBLIC)
        assert CANARY.encode() not in page + bundle
        assert b'<html lang="ko" class="ko">' in page
        assert verify_bundle(io.BytesIO(bundle)).failed == ()
    shown = browsers["visitor"].get("/c/talk/shake-up").text
    assert all(where in shown for where in PUBLIC)
    stop_clock(monkeypatch, REVEALS - HOUR)
    assert {browsers[role].get(where).status_code for role in ROLES for where in PUBLIC} == {404}
    stop_clock(monkeypatch, REVEALS)
    Competition.objects.filter(slug="talk").update(reveal_held=True)
    assert {browsers[role].get(where).status_code for role in ROLES for where in PUBLIC} == {404}


def test_owners_alone_take_the_one_with_golds(monkeypatch: pytest.MonkeyPatch) -> None:
    build()
    stop_clock(monkeypatch, REVEALS)
    browsers = clients()
    assert browsers["olivia"].post(DESK, {"verb": "take"}).status_code == 404  # not made yet
    make_reports()
    found = {role: browsers[role].post(DESK, {"verb": "take"}).status_code for role in ROLES}
    right = dict.fromkeys(ROLES, 404) | {"visitor": 302, "eddie": 403, "olivia": 200}
    assert found == right
    event = AuditEvent.objects.get(kind="competition.closing_report_taken")
    assert event.actor.username == "olivia"
    answer = browsers["olivia"].post(DESK, {"verb": "take"})
    bundle = b"".join(answer)
    assert CANARY.encode() in bundle
    assert verify_bundle(io.BytesIO(bundle)).edition == "organizers"


def test_the_desk_says_whether_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    build()
    browsers = clients()
    stop_clock(monkeypatch, REVEALS - HOUR)
    assert "결과를 공개하면 보고서를 만듭니다" in browsers["eddie"].get(DESK).text
    stop_clock(monkeypatch, REVEALS)
    assert "보고서를 만드는 중입니다" in browsers["eddie"].get(DESK).text
    make_reports()
    for role in EDITORS:
        text = browsers[role].get(DESK).text
        assert "verify-bundle" in text
        assert ('value="take"' in text) == (role == "olivia")
    assert send("alice", browsers["alice"], Probe(DESK)).status == 404
