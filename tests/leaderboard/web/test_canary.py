"""No gold and no private number lies where nobody asks but everybody may look later.

In what is answered, test_crawl looks for them.
"""

import json
import logging
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings, settings
from django.contrib.admin.models import LogEntry
from django.core import mail
from django.test import Client
from pytest_django.fixtures import DjangoCaptureOnCommitCallbacks

from leaderboard.accounts.models import User
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.inbox.models import Notification
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.web import needles
from tests.leaderboard.web.addresses import csv_file, form_of
from tests.leaderboard.web.crawl import Page, Probe, bad_uploads, send
from tests.leaderboard.web.observers import secrets_of
from tests.leaderboard.web.stage import CANARY, GOLDS, build, clients, stop_clock

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]


def found_in(pages: list[Page], numbers: needles.Needles) -> list[str]:
    return [*needles.hits(pages, needles.GOLDS), *needles.hits(pages, numbers)]


def test_a_full_day_and_a_full_queue_give_nothing_away(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()
    alice = clients()["alice"]
    pages = []
    for limit in ({"daily_limit": 1}, {"total_limit": 1, "daily_limit": 12}, {"max_waiting": 1}):
        Competition.objects.update(daily_limit=12, total_limit=None, max_waiting=100)
        Competition.objects.update(**limit)
        for name in ("submit", "check"):
            where = "/c/talk/submit" + ("/check" if name == "check" else "")
            pages.append(send("alice", alice, Probe(where, "POST", partial(form_of, name, stage))))
        pages.append(send("alice", alice, Probe("/c/talk/submit")))
    assert [page.status for page in pages] == [429, 200, 200] * 3
    assert found_in(pages, secrets_of(stage, "alice")) == []


def test_logs_messages_and_rows_hold_no_gold(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    caplog.set_level(logging.DEBUG)
    stop_clock(monkeypatch, NOON)
    stage = build()
    browsers = clients()
    _break_the_workshop(monkeypatch)
    with django_capture_on_commit_callbacks(execute=True):
        browsers["alice"].post("/c/talk/submit", form_of("submit", stage))
    builders.score_all()
    refused = [send("alice", browsers["alice"], probe) for probe in bad_uploads(stage)]
    assert found_in(refused, secrets_of(stage, "alice")) == []
    _upload_bad_golds(browsers["olivia"])
    assert "scoring_failed" in caplog.text
    assert CANARY not in caplog.text
    searched = _kept_outside_the_golds()
    assert any(path.suffix == ".msg" for path in searched)
    assert [path for path in searched if CANARY.encode() in path.read_bytes()] == []
    assert CANARY not in _told_and_recorded()


def _break_the_workshop(patch: pytest.MonkeyPatch) -> None:
    """Scoring fails with an error that quotes a gold, as an analyzer's own error might."""

    def broken(*_: Any) -> None:
        raise ValueError(GOLDS["talk_1"][0])

    patch.setattr("leaderboard.actions.scoring.run", broken)


def _upload_bad_golds(olivia: Client) -> None:
    twice = builders.gold_csv(GOLDS) + builders.gold_csv(GOLDS).split(b"\n", 1)[1]
    files = {"files": csv_file(twice), "preset": "max-sum", "tokenizer": "mecab-ko"}
    assert olivia.post("/c/talk/desk/golds", files).status_code == 422


def _kept_outside_the_golds() -> list[Path]:
    """Everything on disk but the golds' own folder and the database."""
    base = Path(settings.DATA_DIR)
    golds = base / "files" / "golds"
    assert any(CANARY.encode() in path.read_bytes() for path in golds.rglob("*") if path.is_file())
    return [
        path
        for path in base.rglob("*")
        if path.is_file() and golds not in path.parents and "sqlite3" not in path.name
    ]


def _told_and_recorded() -> str:
    """The rows that people are told by, and those that record decisions, as text."""
    return json.dumps(
        [list(model.objects.values()) for model in (Notification, AuditEvent, LogEntry)],
        default=str,
        ensure_ascii=False,
    )


def test_inbox_and_log_of_decisions_hold_no_private_number() -> None:
    stage = build()
    rows = Page("anybody", "rows", 200, "", _told_and_recorded().encode())
    assert Notification.objects.count() > 4
    assert found_in([rows], secrets_of(stage, "alice")) == []


def test_mails_hold_no_private_number_and_no_gold(settings: LazySettings) -> None:
    """All that anybody was told, scores too, mailed to everybody."""
    settings.MAIL_ON = True
    stage = build()
    for person in User.objects.filter(notifications__isnull=False).distinct():
        builders.mail_address(person.username)
    Notification.objects.update(to_mail=True, read_at=None)
    assert builders.mail_out(at=NOON) == len(mail.outbox) > 1
    sent = [
        Page("anybody", "mail", 200, "", message.message().as_string().encode() + body.encode())
        for message in mail.outbox
        for body in [str(message.body)]
    ]
    assert any("/c/talk/submissions/" in str(message.body) for message in mail.outbox)
    assert found_in(sent, secrets_of(stage, "alice")) == []
