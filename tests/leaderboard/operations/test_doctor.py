"""What is wrong is said all at once, each with what to do next, in both languages."""

import tempfile
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.utils import timezone

from leaderboard.celery import app
from leaderboard.evaluation import health
from leaderboard.evaluation.models import Evaluation, Worker
from leaderboard.operations import checks
from leaderboard.operations.fault import Fault
from leaderboard.operations.installation import version
from tests.leaderboard import builders
from tests.servers import Answering, Said, free_port

pytestmark = pytest.mark.django_db


class Front(Answering):
    """Answers as the proxy of an installation might: a status, heads and a body for each path."""

    def __init__(self, **pages: tuple[int, dict[str, str], str]) -> None:
        super().__init__()
        well = {"readyz": (200, {}, f'{{"version": "{version()}"}}')}
        self.pages = {**well, "accounts": (200, {}, "a page"), **pages}
        self.url = f"http://{self.place}"

    def answer(self, asked: BaseHTTPRequestHandler, body: bytes) -> Said:
        status, heads, text = self.pages[asked.path.split("?")[0].split("/")[1]]
        return status, heads, text.encode()


def keys(found: Iterator[Fault]) -> list[str]:
    return [fault.key for fault in found]


LOOP = (301, {"Location": "https://contest.example.org/accounts/login/"}, "")


@pytest.mark.parametrize(
    ("pages", "found"),
    [
        ({}, []),
        ({"accounts": LOOP}, ["address.other"]),
        ({"accounts": (400, {}, "")}, ["address.other"]),
        ({"accounts": (502, {}, ""), "readyz": (502, {}, "")}, ["address.other"]),
        ({"accounts": (500, {}, ""), "readyz": (503, {}, "")}, []),  # other checks say why
        ({"readyz": (200, {}, '{"version": "0.0.9+0"}')}, ["version"]),
        ({"readyz": (200, {}, "another server")}, ["version"]),
    ],
)
def test_the_way_to_the_pages_is_gone_as_a_browser_goes_it(
    pages: dict[str, Any], found: list[str], settings: Any
) -> None:
    with Front(**pages) as front:
        settings.BASE_URL = front.url
        assert keys(checks.address(timezone.now())) == found


def test_each_place_of_the_store_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(storages["golds"].location)  # type: ignore[attr-defined]
    assert list(checks.store(timezone.now())) == []
    assert list(folder.glob("probe-*")) == []
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(storages["golds"], "location", str(tmp_path / "file"))
    (fault,) = checks.store(timezone.now())
    assert fault.values == {"place": "golds"}


def test_a_file_that_was_tried_and_could_not_be_read_does_not_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = Path(storages["golds"].location)  # type: ignore[attr-defined]

    def refuse(*_: object) -> NoReturn:
        raise PermissionError

    with monkeypatch.context() as broken:
        broken.setattr(storages["golds"], "open", refuse)
        (fault,) = checks.store(timezone.now())
    assert fault.values == {"place": "golds"}
    assert list(folder.glob("probe-*")) == []


def test_a_message_goes_to_the_broker_and_comes_back(tmp_path: Path) -> None:
    assert list(checks.broker(timezone.now())) == []
    (tmp_path / "queue").write_text("no folder")
    before = app.conf.broker_transport_options
    app.conf.broker_transport_options = {**before, "folder": str(tmp_path / "queue")}
    try:
        assert keys(checks.broker(timezone.now())) == ["broker"]
    finally:
        app.conf.broker_transport_options = before


def test_clocks_and_versions_of_processes_are_compared() -> None:
    now = timezone.now()
    for name, work in (("web@a:1", "web"), ("celery@b:2", "score"), ("sweeper@a:3", "sweeper")):
        health.sign(name=name, queue=work, version=version(), clock_at=now)
    assert keys(checks.processes(now)) == keys(checks.clocks(now)) == []
    late = now - timedelta(seconds=40)
    Worker.objects.filter(queue="score").update(version="0.0.9+0", clock_at=late)
    (skew,) = checks.clocks(now)
    assert skew.values["name"] == "celery@b:2"
    assert 39 < skew.values["seconds"] < 45
    (other,) = checks.processes(now)
    assert (other.key, other.values["there"]) == ("version", "0.0.9+0")
    assert keys(checks.processes(now + timedelta(minutes=1))) == ["silent"]
    assert list(checks.clocks(now + timedelta(minutes=1))) == []  # of who is silent nobody knows


def test_what_other_users_of_the_machine_can_read_is_told(settings: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        above, data = Path(folder), Path(folder, "data")
        data.mkdir()
        settings.DATA_DIR = data
        for modes, found in (
            ((0o755, 0o700), []),
            ((0o755, 0o750), []),  # a group of one's own, as for who makes backups
            ((0o755, 0o755), ["readable"]),
            ((0o755, 0o711), ["readable"]),
            ((0o700, 0o755), []),
        ):
            above.chmod(modes[0])
            data.chmod(modes[1])
            assert keys(checks.privacy(timezone.now())) == found, modes


def test_a_share_of_failures_is_told_and_a_few_are_not(settings: Any) -> None:
    now = timezone.now()
    ours = builders.team(builders.open_competition(daily_limit=100, max_waiting=100), "alice")
    for number in range(40):
        ended = Evaluation.objects.filter(submission=builders.hand_in(ours))
        state = "failed" if number < 4 else "done"
        ended.update(state=state, finished_at=now - timedelta(minutes=number))
    assert list(checks.failures(now)) == []  # all four of a tenth, and fewer than five
    settings.ALARM_FAILED_SHARE = 0.05
    assert list(checks.failures(now)) == []
    Evaluation.objects.filter(state="done").update(state="failed")
    (fault,) = checks.failures(now)
    assert fault.values == {"failed": 40, "ended": 40}
    assert list(checks.failures(now + timedelta(hours=2))) == []


def test_all_faults_are_said_at_once(settings: Any) -> None:
    settings.BASE_URL, settings.ALARM_DISK_MB = f"http://127.0.0.1:{free_port()}", 10**12
    settings.SCORING_HEARTBEAT_SECONDS = 30
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("doctor", stdout=out)
    said = out.getvalue()
    assert f"version {version()}" in said
    for code in ("settings", "address", "disk", "silent"):
        assert f"\n{code}: " in said
    assert "Keep SCORING_LEASE_SECONDS above" in said
    assert not any("가" <= letter <= "힣" for letter in said)


def test_missing_migrations_leave_the_other_checks(settings: Any) -> None:
    settings.BASE_URL = f"http://127.0.0.1:{free_port()}"
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'boards'")
    found = checks.faults(timezone.now())
    assert keys(iter(found)) == ["migrations", "address.away"]
    assert connection.settings_dict["ENGINE"].rpartition(".")[2] in found[0].message("en")


def test_a_database_that_refuses_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    said = 'server at "127.0.0.1", port 6432 failed: FATAL: unsupported startup parameter: options'

    def refuse(*_: object) -> NoReturn:
        raise OperationalError(said)

    monkeypatch.setattr(checks, "MigrationExecutor", refuse)
    (fault,) = checks.database(timezone.now())
    assert said in fault.message("en")
    assert "DATABASE_POOLED=1" in fault.next_step("en")


@pytest.mark.parametrize(
    ("more", "trusted"),
    [
        ('"proxies": 2', 2),
        ('"proxies": 1', 2),
        ('"proxies": 1', 0),
        ('"proxies": 0', 1),  # the proxy hides whom it asks for
    ],
)
def test_other_proxies_than_are_trusted_are_told(more: str, trusted: int, settings: Any) -> None:
    said = f'{{"version": "{version()}", {more}}}'
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = trusted
    with Front(readyz=(200, {}, said)) as front:
        settings.BASE_URL = front.url
        found = keys(checks.address(timezone.now()))
    assert found == ([] if more == '"proxies": 2' else ["address.proxies"])


def test_an_error_of_one_check_is_a_fault_and_stops_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def falls(at: object) -> Iterator[Fault]:
        raise RuntimeError("planted")

    others = [one for one in checks.CHECKS if one.ask in (checks.disk, checks.processes)]
    monkeypatch.setattr(checks, "CHECKS", others)
    checks.Check()(falls)
    others.reverse()
    assert keys(iter(checks.faults(timezone.now())))[:2] == ["check", "silent"]
