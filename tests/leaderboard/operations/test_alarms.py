"""Alarms: each begins once and ends once, for whoever has to know, by several sweepers too."""

import json
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.accounts.models import User
from leaderboard.evaluation.models import Evaluation
from leaderboard.inbox.models import Notification
from leaderboard.operations import checks
from leaderboard.operations.alarms import Alarms
from leaderboard.operations.backup import back_up
from leaderboard.operations.models import Alarm, Backup
from leaderboard.submissions.models import submission_storage
from leaderboard.worker.sweep import send_messages
from tests.leaderboard import builders
from tests.leaderboard.material import NOON
from tests.leaderboard.web.pages import browser
from tests.mail_server import MailServer
from tests.servers import Chat, need

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture
def chat(settings: Any) -> Iterator[Chat]:
    with Chat() as chat:
        settings.ALARM_WEBHOOK = f"http://{chat.place}/secret-place"
        settings.WEBHOOK_ALLOWED_HOSTS = [chat.place]
        yield chat


@pytest.fixture
def sue() -> User:
    found = builders.user("sue")
    User.objects.filter(pk=found.pk).update(is_staff=True, is_superuser=True)
    return found


class Rounds:
    """A sweeper of which only this is asked: what rings, and what waits to be sent."""

    def __init__(self) -> None:
        self._alarms = Alarms()

    def __call__(self, at: datetime) -> int:
        found = self._alarms(at)
        send_messages(at)
        return found


def heard(chat: Chat) -> list[tuple[str, str]]:
    return [(said["alarm"], said["state"]) for said in chat.heard]


def test_a_standstill_rings_at_thirty_seconds_and_again_at_two_minutes(
    chat: Chat, sue: User, caplog: pytest.LogCaptureFixture
) -> None:
    builders.hand_in(builders.team(builders.open_competition(), "alice", called="두괄식"), at=NOON)
    step = Rounds()
    for seconds, changed in ((15, 0), (29, 0), (31, 1), (46, 0), (119, 0), (121, 1), (600, 0)):
        assert step(NOON + seconds * SECOND) == changed, seconds
    begun = [("waiting", "begins"), ("waiting_long", "begins")]
    assert heard(chat) == begun
    assert caplog.text.count("alarm_begins") == 2
    Evaluation.objects.update(state="done", finished_at=NOON + 605 * SECOND)
    assert [step(NOON + seconds * SECOND) for seconds in (610, 625)] == [2, 0]
    assert heard(chat)[:2] == begun
    assert sorted(heard(chat)[2:]) == [("waiting", "ends"), ("waiting_long", "ends")]
    assert caplog.text.count("alarm_ends") == 2
    for said in (caplog.text, json.dumps(chat.heard, ensure_ascii=False)):
        assert "두괄식" not in said
        assert "secret-place" not in said
    assert "Start a worker" in chat.heard[0]["text"]
    assert chat.heard[0]["text"] == chat.heard[0]["content"]


def test_of_two_sweepers_one_says_it(chat: Chat, sue: User, settings: Any) -> None:
    """Also of one that was started anew: what rings is no news to it."""
    settings.ALARM_DISK_MB = 10**12
    assert [Rounds()(NOON), Rounds()(NOON)] == [1, 0]
    settings.ALARM_DISK_MB = 0
    assert [Rounds()(NOON + SECOND), Rounds()(NOON + SECOND)] == [1, 0]
    assert heard(chat) == [("disk", "begins"), ("disk", "ends")]


def test_administrators_find_it_in_their_inbox_and_mail_at_once(sue: User, settings: Any) -> None:
    settings.MAIL_ON = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    builders.mail_address("sue", next_at=NOON + timedelta(hours=1))
    builders.mail_address("alice")
    settings.ALARM_DISK_MB = 10**12
    Alarms()(NOON)
    settings.ALARM_DISK_MB = 0
    notice = Notification.objects.get()
    assert (notice.user_id, notice.kind) == (sue.pk, "alarm")
    assert "MB are free" in notice.message("en")
    assert "ALARM_DISK_MB" in notice.message("ko")
    assert "DATA_DIR의 디스크에" in browser("sue").get("/inbox").text
    with MailServer() as server:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        assert builders.mail_out(at=NOON) == 1
        Alarms()(NOON + SECOND)
        assert builders.mail_out(at=NOON + SECOND) == 1
        first, second = (mail.get_content() for mail in server.mails)
    assert "경보:" in first
    assert "끝남:" in second
    assert "[]" not in first
    assert Notification.objects.get().read_at is None


def test_a_store_that_takes_nothing_and_failures_ring(
    chat: Chat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contest = builders.open_competition(daily_limit=100, max_waiting=100)
    ours = builders.team(contest, "alice")
    for _ in range(checks.FEWEST_FAILURES):
        ended = Evaluation.objects.filter(submission=builders.hand_in(ours))
        ended.update(state="failed", failure="MemoryError", finished_at=NOON)
    (tmp_path / "file").write_text("no folder")
    with monkeypatch.context() as broken:
        broken.setattr(submission_storage(), "location", str(tmp_path / "file"))
        step = Rounds()
        assert step(NOON) == 2
    assert step(NOON + 59 * SECOND) == 0  # the store is asked once a minute
    assert step(NOON + 61 * SECOND) == 1
    assert step(NOON + timedelta(hours=2)) == 1
    assert sorted(heard(chat)[:2]) == [("failures", "begins"), ("store", "begins")]
    assert heard(chat)[2:] == [
        ("store", "ends"),
        ("failures", "ends"),
    ]


def backed_up(target: Path) -> None:
    with suppress(CommandError):
        back_up(target, timezone.now())


@pytest.mark.django_db(transaction=True)  # no backup is made within a transaction
def test_a_backup_that_fails_or_is_late_rings_and_one_that_is_made_ends_it(
    chat: Chat, tmp_path: Path, client: Client
) -> None:
    """Nothing rings where nobody makes any."""
    now = timezone.now
    (tmp_path / "file").touch()

    def rings() -> list[str]:
        Rounds()(now())
        return [alarm.fault for alarm in Alarm.objects.filter(kind="backup")]

    def remarks() -> list[str]:
        return client.get("/readyz").json()["remarks"]

    assert (rings(), remarks()) == ([], [])
    backed_up(tmp_path / "file")
    assert (rings(), remarks()) == (["backup.failed"], ["backup_late"])
    assert Backup.objects.get().failure == "NOT_WRITABLE"
    backed_up(tmp_path / "backups")
    assert (rings(), remarks()) == ([], [])
    backed_up(tmp_path / "file")
    assert rings() == ["backup.failed"]
    backed_up(tmp_path / "backups" / "second")
    assert rings() == []
    for hours, fault in ((25, []), (27, ["backup.old"]), (-48, ["backup.old"]), (0, [])):
        Backup.objects.update(failed_at=None, made_at=now() - timedelta(hours=hours))
        assert rings() == fault, hours
    assert {said["alarm"] for said in chat.heard} == {"backup"}
    assert {said["state"] for said in chat.heard} == {"begins", "ends"}


def test_news_are_not_kept_behind_a_long_pause(chat: Chat, settings: Any) -> None:
    chat.deaf, settings.ALARM_DISK_MB, step = 5, 10**12, Rounds()
    for second in (0, 60, 180, 420, 900):
        step(NOON + second * SECOND)
    assert (heard(chat), chat.deaf) == ([], 0), "the next try is a quarter of an hour away"
    settings.ALARM_DISK_MB = 0
    step(NOON + 1200 * SECOND)
    assert heard(chat) == [("disk", "begins"), ("disk", "ends")]


class Secure:
    """A TLS server on this machine whose certificate ends in so many days."""

    def __init__(self, folder: Path, days: int) -> None:
        openssl = need("openssl", "openssl")
        self.file, key = folder / f"{days}.pem", folder / f"{days}.key"
        request = f"req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days {days}"
        named = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
        command = [openssl, *request.split(), *named]
        subprocess.run(
            [*command, "-keyout", key, "-out", self.file], check=True, capture_output=True
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file, key)
        self.listener = context.wrap_socket(
            socket.create_server(("localhost", 0)), server_side=True
        )
        self.url = f"https://localhost:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                self.listener.accept()[0].close()
            except ssl.SSLError:
                continue  # who does not believe the certificate leaves
            except OSError:
                return  # closed


def rung(url: str, at: datetime) -> list[tuple[str, object]]:
    with override_settings(BASE_URL=url):
        found = list(checks.certificate(at))
    return [(fault.key, fault.values.get("days")) for fault in found]


def test_the_certificate_of_the_address_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short, long = Secure(tmp_path, 10), Secure(tmp_path, 60)
    now = datetime.fromtimestamp(short.file.stat().st_mtime, tz=NOON.tzinfo)
    assert rung(short.url, now) == [("certificate.refused", None)]
    both = tmp_path / "both.pem"
    with both.open("wb") as file:
        for one in (short, long):
            with one.file.open("rb") as part:
                shutil.copyfileobj(part, file)
    monkeypatch.setenv("SSL_CERT_FILE", str(both))
    assert rung(short.url, now) == [("certificate.ends", 9)]
    assert rung(long.url, now) == []
    assert rung("http://localhost:1", now) == []
    port = short.url.rpartition(":")[2]
    # Another name than the certificate's.
    assert rung(f"https://127.0.0.1:{port}", now) == [("certificate.refused", None)]
    short.listener.close()
    long.listener.close()


def test_what_cannot_be_asked_ends_no_alarm(
    chat: Chat, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Secure(tmp_path, 10)
    settings.BASE_URL = server.url
    monkeypatch.setenv("SSL_CERT_FILE", str(server.file))
    at = datetime.fromtimestamp(server.file.stat().st_mtime, tz=NOON.tzinfo)
    assert Rounds()(at) == 1
    server.listener.close()
    assert Rounds()(at + SECOND) == 0
    assert heard(chat) == [("certificate", "begins")]


def test_a_round_in_which_all_is_well_asks_little() -> None:
    step = Alarms()
    step(NOON)
    with CaptureQueriesContext(connection) as queries:
        step(NOON + 15 * SECOND)
    assert len(queries) <= 3  # what rings, what waits, what failed
