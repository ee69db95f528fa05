"""The server page: what it says is what the rows say, and nothing about whose they are."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.accounts.models import User
from leaderboard.evaluation import health
from leaderboard.evaluation.health import load
from leaderboard.evaluation.models import Evaluation, Worker
from leaderboard.references.models import ScoringVersion
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.web.pages import HTMX, browser, hand_in, running

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def alices() -> Team:
    return builders.team(running(), "alice", called="두괄식")


def test_an_idle_server_says_so() -> None:
    running()
    page = browser().get("/status").text
    assert "대기 없음" in page
    assert "지난 한 시간 동안 채점한 제출이 없습니다" in page
    assert 'href="/c/talk/status"' in browser().get("/c/talk/").text
    assert 'href="/status"' in browser().get("/").text


def test_the_median_is_of_the_last_hour_from_received_to_scored() -> None:
    ours = alices()
    now = timezone.now()
    # Scored after 2, 4 and 9 seconds; the fourth was scored more than an hour ago.
    for seconds, ago in ((2, 1), (4, 2), (9, 3), (50, 61)):
        handed_in = builders.hand_in(ours, at=now - timedelta(hours=3))
        finished = now - ago * MINUTE
        Evaluation.objects.filter(submission=handed_in).update(
            state="done",
            received_at=finished - timedelta(seconds=seconds),
            finished_at=finished,
        )
    found = load(now)
    assert (found["scored"], found["median_seconds"]) == (3, 4.0)
    assert found["last_scored_at"] == now - MINUTE
    assert "지난 한 시간 3개의 중앙값" in browser().get("/status").text


def test_a_team_reads_how_long_scoring_takes_and_what_is_under_way_of_its_own() -> None:
    ours = alices()
    waits, over = hand_in(ours), hand_in(ours)
    Evaluation.objects.filter(submission=over).update(state="done", finished_at=timezone.now())
    theirs = hand_in(builders.team(ours.competition, "bob"))
    page = browser("alice").get("/c/talk/status").text
    for submission, shown in ((waits, True), (over, False), (theirs, False)):
        assert (str(submission.pk) in page) == shown
    assert '<dl class="bigs' not in page
    assert re.search(r'class="lead[^>]*>[^<]*[0-9]', page)


def test_what_waits_too_long_while_nothing_runs_is_told() -> None:
    ours = alices()
    now = timezone.now()
    first = builders.hand_in(ours, at=now - 3 * MINUTE)
    builders.hand_in(ours, at=now - MINUTE)
    found = load(now)
    assert (found["waiting"], found["running"]) == (2, 0)
    assert found["stall"] is not None
    assert found["oldest_waiting_at"] == found["stall"].since == now - 3 * MINUTE
    assert "가장 오래된 것 3분" in browser().get("/status").text
    page = browser().get("/c/talk/status").text
    assert "채점이 멈춘 것 같습니다" in page
    assert 'class="lead' not in page
    held = Evaluation.objects.filter(submission=first)
    held.update(state="running", lease_until=now + MINUTE, last_sign_at=now)
    assert (load(now)["waiting"], load(now)["running"], load(now)["stall"]) == (1, 1, None)
    # A worker that died: its lease has run out, so the evaluation waits again.
    held.update(lease_until=now - MINUTE, last_sign_at=now - 2 * MINUTE)
    assert (load(now)["waiting"], load(now)["running"]) == (2, 0)
    assert load(now)["stall"] is not None


def test_a_standstill_is_told_on_every_page_of_the_desk_and_on_all_status_pages() -> None:
    """Also to who has the page open: it asks again every four seconds, for that part alone."""
    banner = "채점이 멈춘 것 같습니다"
    for_organizers = "서버 운영자에게 알려 주세요."
    ours = alices()
    waiting = Evaluation.objects.filter(submission=hand_in(ours))
    olivia, everybody = browser("olivia"), browser()
    desk = ("/c/talk/desk/", "/c/talk/desk/golds", "/c/talk/desk/announcements")
    open_to_all = ("/status", "/c/talk/status")
    asked = [(olivia, path) for path in desk] + [(everybody, path) for path in open_to_all]
    for who, path in asked:
        page = who.get(path).text
        assert banner not in page, path
        assert 'hx-trigger="every 4s"' in page, path
    waiting.update(received_at=timezone.now() - timedelta(seconds=31))
    for who, path in asked:
        page = who.get(path).text
        assert banner in page, path
        assert (for_organizers in page) == (who is olivia), path
    for who, path in ((olivia, "/c/talk/desk/"), *((everybody, path) for path in open_to_all)):
        part = who.get(path, headers=HTMX).text
        assert banner in part, path
        assert "<html" not in part, path
    waiting.update(state="running", last_sign_at=timezone.now())
    for who, path in asked:
        assert banner not in who.get(path).text, path
    assert browser().get("/c/talk/status", headers=HTMX).text.strip() == ""


def test_staff_reads_workers_queue_and_failures_and_nobody_else() -> None:
    health.sign(name="celery@host:7", queue="score")
    health.sign(name="celery@host:8", queue="score")
    Worker.objects.filter(name="celery@host:8").update(last_sign_at=timezone.now() - 5 * MINUTE)
    ours = alices()
    hand_in(ours)
    Evaluation.objects.filter(submission=hand_in(ours)).update(
        state="failed", finished_at=timezone.now() - MINUTE, failure="MemoryError"
    )
    User.objects.filter(pk=builders.user("sue").pk).update(is_staff=True)
    page = browser("sue").get("/status").text
    living, silent = page.partition("celery@host:7")[2].split("celery@host:8")
    assert "실행 중" in living
    assert "응답 없음" in silent
    assert "5분 전" in silent
    for word in ("talk", "MemoryError"):
        assert word in silent
    for who in (None, "alice", "olivia"):
        page = browser(who).get("/status").text
        for word in ("celery@host", "MemoryError"):
            assert word not in page


def test_a_version_of_another_analyzer_is_named_to_its_contest() -> None:
    hand_in(alices())
    running("other")
    ScoringVersion.objects.filter(competition__slug="talk").update(signature="older")
    assert load(timezone.now())["unsupported"] == [1]
    assert "채점할 수 없는 기준" in browser().get("/c/talk/status").text
    assert "채점할 수 없는 기준" not in browser().get("/c/other/status").text


def test_the_page_names_nobody() -> None:
    ours = alices()
    handed_in = hand_in(ours)
    Evaluation.objects.filter(submission=handed_in).update(
        state="failed", finished_at=timezone.now() - MINUTE, failure="worker_lost"
    )
    for where in ("/status", "/c/talk/status"):
        page = browser().get(where).text
        assert ("1분 전" in page) == (where == "/status")
        for word in ("두괄식", "alice", "predictions.csv", str(handed_in.pk), "worker_lost"):
            assert word not in page
