"""No gold and no private number leaves the house before its time, whoever asks for whatever."""

import json
import logging
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django import shortcuts
from django.conf import LazySettings, settings
from django.contrib.admin.models import LogEntry
from django.core import mail
from django.http import HttpRequest, HttpResponse
from django.test import Client
from pytest_django.fixtures import DjangoCaptureOnCommitCallbacks

from leaderboard.accounts.models import User
from leaderboard.actions.mails import send_due
from leaderboard.audit.models import AuditEvent
from leaderboard.boards.models import Standing
from leaderboard.boards.visibility import Viewer
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import SplitScore
from leaderboard.inbox.models import Notification
from leaderboard.insight import lines
from leaderboard.insight.lines import Lines
from leaderboard.web.contest import board
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON, REVEALS
from tests.leaderboard.web import needles
from tests.leaderboard.web.addresses import csv_file, form_of
from tests.leaderboard.web.crawl import (
    Page,
    Probe,
    bad_uploads,
    crawl,
    every_page,
    everything,
    send,
)
from tests.leaderboard.web.stage import (
    CANARY,
    EDITORS,
    GOLDS,
    Stage,
    build,
    clients,
    crawls,
    private_lines,
    private_scores,
    stop_clock,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]
PRIVATE_BOARD = "/c/talk/leaderboard?board=private"


def secrets_of(stage: Stage, role: str) -> needles.Needles:
    """The private numbers that this role must not know: all, but Oscar runs the other contest."""
    rows = private_scores()
    if role == "oscar":
        rows = [row for row in rows if row.evaluation.submission_id != stage.danas.pk]
    return needles.of_scores([*rows, *private_lines()])


def leaks(stage: Stage, pages: list[Page]) -> list[str]:
    """Every gold and every private number in what these people were answered."""
    found = needles.hits(pages, needles.GOLDS)
    for role in {page.role for page in pages}:
        own = [page for page in pages if page.role == role]
        found += needles.hits(own, secrets_of(stage, role))
    return found


@pytest.mark.crawl
def test_nothing_private_is_on_any_page_of_the_administrators(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of every row: the walks of test_noninterference see one of each table."""
    stop_clock(monkeypatch, NOON)
    stage = build()
    pages = crawl("sue", clients()["sue"], [Probe("/admin/")])
    assert leaks(stage, pages) == []
    assert sum(page.address.startswith("/admin/") for page in pages) > 40


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
    assert leaks(stage, pages) == []


@pytest.mark.parametrize(("role", "whole"), crawls("visitor", "alice", at_once=("visitor",)))
def test_after_the_reveal_the_private_numbers_are_there_and_the_golds_are_not(
    role: str, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, REVEALS)
    stage = build()
    probes = everything(stage, role) if whole else every_page(stage)
    pages = crawl(role, clients()[role], probes, follow=whole)
    found = needles.hits(pages, secrets_of(stage, role))
    totals = {row.team.name: f"{row.printed / 10_000:.4f}" for row in _private_standings(stage)}
    assert len(totals) == 4
    for total in totals.values():
        assert f"{role} GET {PRIVATE_BOARD}: {total}" in found
    if role == "alice":
        assert f"alice GET /c/talk/submissions/{stage.best.pk}: {totals['햇살']}" in found
    assert needles.hits(pages, needles.GOLDS) == []


def test_editors_see_private_numbers_before_the_reveal(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()
    browsers = clients()
    for role in EDITORS:
        page = send(role, browsers[role], Probe(PRIVATE_BOARD))
        assert len(needles.hits([page], secrets_of(stage, role))) > 4
        assert needles.hits([page], needles.GOLDS) == []


def _private_standings(stage: Stage) -> list[Standing]:
    rows = Standing.objects.filter(board="private", team__competition=stage.contest)
    return list(rows.select_related("team"))


# --- The search finds what there is to find -------------------------------------------------------


def test_every_form_of_a_number_is_found_wherever_it_stands() -> None:
    score = SplitScore(total=1.87251098, metrics={"rouge1": 0.73190246})
    wanted = needles.of_scores([score])
    for form in ("1.8725", "1.87251", "1.872511", "1.87251098", "187.25", "187.251", "187.2511"):
        assert form in wanted.texts
        page = Page("alice", "GET /", 200, "", f"<td>{form}</td>".encode())
        assert needles.hits([page], wanted)
    for headers in (
        'ETag: "18725"',
        "Location: /c/talk/?was=0.7319",
        "Set-Cookie: last=73.190; Path=/",
        "X-Total: 7319",
    ):
        assert needles.hits([Page("alice", "GET /", 200, headers, b"")], wanted)
    for harmless in ("a7319b", "0.17319", "2e7f-7319-18725", "18,725"):
        assert not needles.hits([Page("alice", "GET /", 200, "", harmless.encode())], wanted)
    coded = Page("alice", "GET /", 200, "", b"k&#97;narie1a %6Banarie1a")
    assert needles.hits([coded], needles.GOLDS)


def _forget_who_may_see(patch: pytest.MonkeyPatch) -> None:
    def both(*_: Any) -> tuple[str, ...]:
        return ("public", "private")

    patch.setattr("leaderboard.boards.results.visible_boards", both)


def show_lines_of_private_rows(patch: pytest.MonkeyPatch) -> None:
    def of_private_rows(viewer: Viewer, _: str) -> Lines | None:
        return honest(viewer, "private")

    honest = Lines.of
    patch.setattr(lines, "may_see_other_columns", lambda *_: True)
    patch.setattr(Lines, "of", of_private_rows)


def _put_the_private_total_into_a_header(patch: pytest.MonkeyPatch) -> None:
    honest = shortcuts.render

    def tagged(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = honest(request, *args, **kwargs)
        response["ETag"] = f'"{Standing.objects.filter(board="private").latest("printed").printed}"'
        return response

    patch.setattr(board, "render", tagged)


def _hand_out_golds_as_the_sample(patch: pytest.MonkeyPatch) -> None:
    def golds(*_: Any) -> tuple[str, ...]:
        return GOLDS["talk_2"]

    patch.setattr("leaderboard.references.handouts.expected_ids", golds)


@pytest.mark.parametrize(
    "plant",
    [
        _forget_who_may_see,
        show_lines_of_private_rows,
        _put_the_private_total_into_a_header,
        _hand_out_golds_as_the_sample,
    ],
)
def test_a_planted_leak_is_found(plant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()
    alice = clients()["alice"]
    addresses = (
        f"/c/talk/submissions/{stage.best.pk}",
        "/c/talk/leaderboard",
        "/c/talk/data/sample_submission.csv",
    )
    pages = [send("alice", alice, Probe(where)) for where in addresses]
    assert leaks(stage, pages) == []
    plant(monkeypatch)
    pages = [send("alice", alice, Probe(where)) for where in addresses]
    assert leaks(stage, pages) != []


# --- Where nobody asks but everybody may look later ----------------------------------------------


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
    assert leaks(stage, refused) == []
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
    assert needles.hits([rows], secrets_of(stage, "alice")) == []


def test_mails_hold_no_private_number_and_no_gold(settings: LazySettings) -> None:
    """All that anybody was told, scores too, mailed to everybody."""
    settings.MAIL_ON = True
    stage = build()
    for person in User.objects.filter(notifications__isnull=False).distinct():
        builders.mail_address(person.username)
    Notification.objects.update(to_mail=True, read_at=None)
    assert send_due(at=NOON) == len(mail.outbox) > 1
    sent = [
        Page("anybody", "mail", 200, "", message.message().as_string().encode() + body.encode())
        for message in mail.outbox
        for body in [str(message.body)]
    ]
    assert any("/c/talk/submissions/" in str(message.body) for message in mail.outbox)
    assert needles.hits(sent, secrets_of(stage, "alice")) == []
    assert needles.hits(sent, needles.GOLDS) == []
