"""Two answers for machines, and the checks before the first request."""

import json
import re
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard import __version__
from leaderboard.actions import submissions
from leaderboard.celery import app
from leaderboard.evaluation import health as workers
from leaderboard.evaluation.models import Evaluation, Worker
from leaderboard.operations import apps
from leaderboard.operations.installation import version
from tests.leaderboard import builders
from tests.servers import ROOT


@pytest.mark.faults
def test_the_same_code_elsewhere_has_the_same_version_and_other_code_another(
    tmp_path: Path,
) -> None:
    for name in ("leaderboard", "scoring", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name)
    script = "from leaderboard.operations.installation import version; print(version())"

    def found() -> str:
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    assert found() == version()
    assert re.fullmatch(re.escape(__version__) + r"\+[0-9a-f]{8}", version())
    page = tmp_path / "templates/base.html"
    page.write_text(page.read_text() + " ")
    assert found().partition("+")[::2] != version().partition("+")[::2]
    assert found().partition("+")[0] == version().partition("+")[0]


@pytest.mark.django_db
def test_a_broker_that_is_away_is_a_remark(client: Client, tmp_path: Path) -> None:
    """Files are taken all the same, and workers ask the database for them."""
    (tmp_path / "queue").write_text("no folder")
    options = {"folder": str(tmp_path / "queue"), "polling_interval": 0.05}
    before, app.conf.broker_transport_options = app.conf.broker_transport_options, options
    try:
        answer = client.get("/readyz")
    finally:
        app.conf.broker_transport_options = before
    assert answer.status_code == 200
    assert (answer.json()["ready"], answer.json()["remarks"]) == (True, ["broker_unreachable"])


@pytest.mark.django_db
def test_what_no_worker_takes_for_half_a_minute_is_said(client: Client) -> None:
    """A remark: what waits is safe, and more of it can be accepted."""
    now = timezone.now()
    waiting = builders.hand_in(
        builders.team(builders.open_competition(), "alice"), at=now - timedelta(seconds=25)
    )
    assert client.get("/readyz").json()["remarks"] == []
    Evaluation.objects.filter(submission=waiting).update(received_at=now - timedelta(seconds=31))
    answer = client.get("/readyz").json()
    assert (answer["ready"], answer["remarks"]) == (True, ["waiting_without_worker"])


# Tables and rows of migrations; evaluations and their versions; whether anything stands still, a
# mail waits, a backup is late, a version fails.
QUESTIONS = 8


@pytest.mark.django_db
def test_a_question_asks_little_of_the_database(client: Client) -> None:
    builders.hand_in(builders.team(builders.open_competition(), "alice"), at=timezone.now())
    with CaptureQueriesContext(connection) as queries:
        answer = client.get("/readyz", REMOTE_ADDR="203.0.113.9").json()
    assert len(queries) == QUESTIONS + (connection.vendor == "postgresql")  # its clock, there
    assert (answer["ready"], answer["scoring"]["waiting"]) == (True, 1)


VERBOSE = "/readyz?verbose"


@pytest.mark.django_db
def test_workers_queue_and_failures_are_told_to_a_program_on_this_machine(client: Client) -> None:
    alices = builders.team(builders.open_competition(), "alice", called="두괄식")
    builders.hand_in(alices)
    failed = Evaluation.objects.filter(submission=builders.hand_in(alices))
    failed.update(state="failed", finished_at=timezone.now(), failure="MemoryError")
    workers.sign(name="celery@host:7", queue="score")
    workers.sign(name="celery@host:8", queue="judge")
    silent = timezone.now() - timedelta(minutes=3)
    Worker.objects.filter(queue="judge").update(last_sign_at=silent)
    answer = client.get(VERBOSE)
    found = answer.json()
    assert [(one["name"], one["queue"], one["lives"]) for one in found["workers"]] == [
        ("celery@host:7", "score", True),
        ("celery@host:8", "judge", False),
    ]
    assert found["workers"][1]["last_sign_seconds"] >= 180
    assert found["queue"]["waiting"] == 1
    assert found["queue"]["running"] == found["queue"]["rehearsals_waiting"] == 0
    assert found["failures_of_a_day"] == {"MemoryError": 1}
    for word in ("두괄식", "alice", "talk"):
        assert word not in answer.text


@pytest.mark.django_db
@pytest.mark.parametrize(
    "stranger",
    [
        {"REMOTE_ADDR": "203.0.113.9"},
        {"REMOTE_ADDR": "::ffff:203.0.113.9"},
        {"REMOTE_ADDR": ""},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_FORWARDED": "for=127.0.0.1"},
    ],
    ids=str,
)
def test_strangers_read_no_more_with_verbose(client: Client, stranger: dict[str, str]) -> None:
    """Whoever comes over the net, or through a proxy on this machine, which names whom it asks for.

    They get the same answer as without, not a refusal: monitors keep working.
    """
    assert client.get(VERBOSE, **stranger).json().keys() == client.get("/readyz").json().keys()
    assert client.get(VERBOSE, REMOTE_ADDR="::1").json().keys() > {"workers", "queue"}


@pytest.mark.django_db
def test_not_ready_when_a_migration_is_missing(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'boards'")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["problems"]) == (503, ["migrations missing"])


@pytest.mark.django_db
def test_not_ready_when_the_disk_is_full(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "FREE_SPACE", 2**62)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["problems"]) == (503, ["storage full"])


@pytest.mark.django_db
@pytest.mark.parametrize("host", ["10.1.2.3:8000", "evil.example.org", "a b", "[::", ""])
def test_probes_are_answered_whatever_host_they_name(
    host: str, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """A balancer asks by address. Everything else goes on naming one of our hosts, or is a 400."""
    settings.SECURE_SSL_REDIRECT = True
    probe = Client(headers={"host": host})
    for address in ("/livez", "/readyz"):
        answer = probe.get(address)
        assert answer.status_code == 200
        assert "example.org" not in f"{answer.headers} {answer.text}"
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert not answer.cookies
    assert caplog.records == []
    for address in ("/", "/livez/", "/readyz/x", "/accounts/login/"):
        assert probe.get(address, secure=True).status_code == 400


def test_times_that_do_not_fit_are_errors(settings: Any) -> None:
    assert apps.scoring_times() == []
    settings.SCORING_HEARTBEAT_SECONDS, settings.SCORING_LEASE_SECONDS = 20, 60
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 150}
    found = [problem.id for problem in apps.scoring_times()]
    assert found == ["leaderboard.E001", "leaderboard.E002"]


def test_another_engine_behind_the_default_analyzer_is_an_error(
    request: pytest.FixtureRequest,
) -> None:
    assert apps.default_analyzer() == []
    request.getfixturevalue("plain_mecab")
    (problem,) = apps.default_analyzer()
    assert problem.id == "leaderboard.E006"
    assert "MeCab" in problem.msg


def test_every_answer_names_its_request(client: Client) -> None:
    first, second = (client.get("/livez")["X-Request-ID"] for _ in range(2))
    assert len(first) == 16
    assert first != second


BEHIND = {"X-Forwarded-For": "203.0.113.9"}


@pytest.mark.parametrize(
    ("proxies", "headers", "is_kept"),
    [
        (1, BEHIND | {"X-Request-ID": "edge-7.A_" + "z" * 55}, True),
        (1, BEHIND | {"X-Request-ID": "z" * 65}, False),
        (1, BEHIND | {"X-Request-ID": ""}, False),
        (1, BEHIND | {"X-Request-ID": "a b"}, False),
        (1, BEHIND | {"X-Request-ID": "é"}, False),
        (1, {"X-Request-ID": "from-whom"}, False),
        (0, BEHIND | {"X-Request-ID": "from-whom"}, False),
    ],
)
def test_the_request_id_of_a_trusted_proxy_stays(
    client: Client, settings: Any, proxies: int, headers: dict[str, str], is_kept: bool
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    answered = client.get("/livez", headers=headers)["X-Request-ID"]
    assert (answered == headers["X-Request-ID"]) is is_kept
    assert is_kept or len(answered) == 16


@pytest.mark.django_db
def test_errors_of_the_database_are_not_shown(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real connection error: the database's folder does not exist."""
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "NAME", "/nowhere/db.sqlite3")
    if connection.vendor != "sqlite":
        pytest.skip("breaks the connection in SQLite's way")
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert json.loads(answer.content) == {
        "version": version(),
        "ready": False,
        "problems": ["database unreachable"],
        "remarks": [],
        "scoring": None,
        "clock_ahead_seconds": None,
        "proxies": 0,
    }
