"""The server page: what it says is what the rows say, and nothing about whose they are."""

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.evaluation.load import load
from leaderboard.evaluation.models import Evaluation
from leaderboard.references.models import ScoringVersion
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, hand_in, running

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def alices() -> Team:
    return builders.team(running(), "alice", called="두괄식")


def test_an_idle_server_says_so() -> None:
    running()
    for where in ("/status", "/c/talk/status"):
        page = browser().get(where).text
        assert "한가함" in page
        assert "지난 한 시간에 채점한 것이 없습니다" in page
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
    assert (found.scored, found.median_seconds) == (3, 4.0)
    assert found.last_scored_at == now - MINUTE
    assert "지난 한 시간 3개의 중앙값" in browser().get("/status").text


def test_what_waits_too_long_while_nothing_runs_is_told() -> None:
    ours = alices()
    now = timezone.now()
    first = builders.hand_in(ours, at=now - 3 * MINUTE)
    builders.hand_in(ours, at=now - MINUTE)
    found = load(now)
    assert (found.waiting, found.running, found.stuck) == (2, 0, True)
    assert found.oldest_waiting_at == now - 3 * MINUTE
    page = browser().get("/c/talk/status").text
    assert "채점이 멈춘 것 같습니다" in page
    assert "가장 오래된 것 3분" in page
    held = Evaluation.objects.filter(submission=first)
    held.update(state="running", lease_until=now + MINUTE)
    assert (load(now).waiting, load(now).running, load(now).stuck) == (1, 1, False)
    # A worker that died: its lease has run out, so the evaluation waits again.
    held.update(lease_until=now - MINUTE)
    assert (load(now).waiting, load(now).running, load(now).stuck) == (2, 0, True)


def test_a_contest_is_told_of_its_own_and_the_server_of_all() -> None:
    hand_in(alices())
    other = running("other")
    assert load(timezone.now(), other).waiting == 0
    assert load(timezone.now()).waiting == 1


def test_a_version_of_another_analyzer_is_named_to_its_contest() -> None:
    hand_in(alices())
    running("other")
    ScoringVersion.objects.filter(competition__slug="talk").update(signature="older")
    assert load(timezone.now()).unsupported == (1,)
    assert "채점할 수 없는 채점 기준" in browser().get("/c/talk/status").text
    assert "채점할 수 없는 채점 기준" not in browser().get("/c/other/status").text


def test_the_page_names_nobody() -> None:
    ours = alices()
    handed_in = hand_in(ours)
    Evaluation.objects.filter(submission=handed_in).update(
        state="failed", finished_at=timezone.now() - MINUTE, failure="worker_lost"
    )
    for where in ("/status", "/c/talk/status"):
        page = browser().get(where).text
        assert "1분 전" in page
        for word in ("두괄식", "alice", "predictions.csv", str(handed_in.pk), "worker_lost"):
            assert word not in page
