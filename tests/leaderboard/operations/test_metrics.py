"""Figures for Prometheus: for who has the token, the same few questions however many contests."""

import fcntl
import json
import os
import re
import signal
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import ResolverMatch
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from leaderboard.evaluation import health
from leaderboard.evaluation.models import Evaluation, Worker
from leaderboard.operations.installation import version
from leaderboard.operations.metrics import Table
from leaderboard.operations.models import Alarm, Backup
from leaderboard.submissions.models import submission_storage
from tests.leaderboard import builders
from tests.servers import ROOT

pytestmark = pytest.mark.django_db
TOKEN = "token-of-a-test"
# Queue, failures and last of the server; states; ends of an hour; signs; alarms; backup;
# failures of versions.
QUERIES = 9


@pytest.fixture(autouse=True)
def switched_on(settings: Any) -> None:
    settings.METRICS_TOKEN = TOKEN


def ask(said: str = f"Bearer {TOKEN}", **headers: str) -> Any:
    return Client(headers={"Authorization": said, **headers}).get("/metrics")


def figures() -> dict[tuple[str, str], float]:
    """Name without its beginning, and value of its label, to the figure."""
    families = text_string_to_metric_families(ask().text)
    return {
        (sample.name.removeprefix("leaderboard_"), "".join(sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }


def test_without_the_variable_there_is_nothing(settings: Any) -> None:
    settings.METRICS_TOKEN = ""
    for said in ("", "Bearer ", f"Bearer {TOKEN}"):
        assert ask(said).status_code == 404


@pytest.mark.parametrize("said", ["", "Bearer", "Bearer x", TOKEN, f"Bearer {TOKEN} ", "Bearer é"])
def test_without_the_token_nothing_is_said(said: str) -> None:
    answer = ask(said)
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert "leaderboard_" not in answer.text


def test_a_scraper_asks_by_whatever_name_and_over_http(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    answer = ask(Host="10.1.2.3:8000")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=0.0.4")
    assert not answer.cookies


def test_the_figures_are_those_of_the_rows() -> None:
    now = timezone.now()
    ours = builders.team(builders.open_competition(), "alice", called="두괄식")
    for seconds in (10, 40):
        builders.hand_in(ours, at=now - timedelta(seconds=seconds))
    for state, failure in (("done", ""), ("failed", "MemoryError"), ("failed", "ids_changed")):
        ended = Evaluation.objects.filter(submission=builders.hand_in(ours))
        ended.update(state=state, failure=failure, finished_at=now)
    health.sign(name="celery@a:1", queue="score")
    health.sign(name="celery@a:2", queue="score")
    health.sign(name="sweeper@a:3", queue="sweeper")
    Worker.objects.filter(name="celery@a:1").update(last_sign_at=now - timedelta(seconds=500))
    Worker.objects.filter(name="sweeper@a:3").update(last_sign_at=now - timedelta(seconds=50))
    Alarm.objects.create(kind="disk", fault="disk", began_at=now)
    found = figures()
    expected = {
        ("info", version()): 1,
        ("queue_waiting", "live"): 2,
        ("queue_waiting", "rehearsing"): 0,
        ("queue_running", ""): 0,
        ("submissions", "queued"): 2,
        ("submissions", "done"): 1,
        ("submissions", "failed"): 2,
        ("failures_of_a_day", "MemoryError"): 1,
        ("evaluations_of_an_hour", "done"): 1,
        ("alarm", "disk"): 1,
        ("store_writable", ""): 1,
        ("broker_up", ""): 1,
    }
    assert {key: found.get(key) for key in expected} == expected
    assert 40 <= found["queue_oldest_seconds", ""] < 60
    assert found["last_sign_seconds", "score"] < 30 < 50 <= found["last_sign_seconds", "sweeper"]
    assert found["disk_free_bytes", ""] > 0
    assert "두괄식" not in ask().text
    assert "talk" not in ask().text


def test_the_age_of_the_newest_backup_is_told_where_there_is_one() -> None:
    assert ("backup_age_seconds", "") not in figures()
    Backup.objects.create(made_at=timezone.now() - timedelta(hours=3))
    assert 10_800 <= figures()["backup_age_seconds", ""] < 10_830
    Backup.objects.update(made_at=timezone.now() + timedelta(hours=3))
    assert ("backup_age_seconds", "") not in figures()


def test_the_number_of_questions_does_not_grow() -> None:
    ask()

    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert ask().status_code == 200
        return len(queries)

    assert asked() == QUERIES
    for number in range(3):
        contest = builders.open_competition(f"talk{number}")
        builders.hand_in(builders.team(contest, f"alice{number}"))
    assert asked() == QUERIES


def test_a_store_that_takes_nothing_is_a_zero(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(submission_storage(), "location", str(tmp_path / "file"))
    assert figures()["store_writable", ""] == 0


def test_requests_are_counted_by_route_method_and_status_with_their_time() -> None:
    def counted() -> dict[tuple[str, ...], float]:
        families = text_string_to_metric_families(ask().text)
        return {
            tuple(sample.labels[name] for name in ("route", "method", "status")): sample.value
            for family in families
            for sample in family.samples
            if sample.name == "leaderboard_request_seconds_count"
        }

    before, client = counted(), Client()
    asked = {
        ("home", "GET", "2xx"): ("get", "/"),
        ("account_login", "DELETE", "4xx"): ("delete", "/accounts/login/"),
        ("none", "GET", "4xx"): ("get", "/nothing-alice-typed"),
    }
    for method, path in asked.values():
        getattr(client, method)(path)
    after = counted()
    assert {key: after.get(key, 0) - before.get(key, 0) for key in asked} == dict.fromkeys(asked, 1)
    assert "alice" not in ask().text


def test_a_table_counts_for_all_processes_and_a_killed_one_holds_nothing_up() -> None:
    """16 requests of two processes at once, of 0.1 s each; a third is killed while it counts."""
    shared = Table(["home"])
    request = RequestFactory().get("/")
    request.resolver_match = ResolverMatch(print, (), {}, url_name="home")
    killed = os.fork()
    if not killed:
        fcntl.lockf(shared._file, fcntl.LOCK_EX)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(killed, 0)
    children = []
    for _ in range(2):
        if not (child := os.fork()):
            for _ in range(8):
                shared.count(request, 200, 0.1)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    ((labels, buckets, seconds),) = shared.counted()
    assert labels == ("home", "GET", "2xx")
    assert dict(buckets)["0.05"] == 0
    assert dict(buckets)["0.1"] == dict(buckets)["+Inf"] == 16
    assert round(seconds, 6) == 1.6


def test_alert_rules_and_dashboard_ask_for_figures_that_there_are() -> None:
    now = timezone.now()
    Alarm.objects.create(kind="disk", fault="disk", began_at=now)
    Backup.objects.create(made_at=now)
    health.sign(name="celery@a:1", queue="score")
    Client().get("/")
    there = set(re.findall(r"^(leaderboard_\w+)", ask().text, re.MULTILINE))
    for file in (ROOT / "docs/prometheus").iterdir():
        said = set(re.findall(r"leaderboard_\w+", file.read_text()))
        assert said
        assert said <= there, file.name
    rules = yaml.safe_load((ROOT / "docs/prometheus/alerts.yml").read_text())["groups"][0]["rules"]
    assert all(one["annotations"]["summary"] and one["expr"] for one in rules)
    json.loads((ROOT / "docs/prometheus/dashboard.json").read_text())
