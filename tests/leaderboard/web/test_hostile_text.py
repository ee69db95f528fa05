"""Headers of rare errors, and files whose names or contents are hostile."""

import re

import pytest
from django.core.exceptions import BadRequest
from django.test import Client

from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from leaderboard.web.uploads import carried
from tests.leaderboard import builders
from tests.leaderboard.web.asks import Ask
from tests.leaderboard.web.crawl import Page, Probe, content, send
from tests.leaderboard.web.observers import forbids_scripts
from tests.leaderboard.web.stage import Stage, clients

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]


def _rare_errors(patch: pytest.MonkeyPatch) -> list[Page]:
    """429 of the sign-in, a stale form, a broken request and an error of ours."""
    visitor = Client(raise_request_exception=False)
    strict = Client(enforce_csrf_checks=True)
    pages = [send("visitor", strict, Probe("/accounts/login/", "POST", forged=True))]
    for _ in range(6):  # one more than an account's password may be tried from one address
        answer = visitor.post("/accounts/login/", {"login": "alice", "password": "wrong"})
    headers = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
    pages.append(Page("visitor", "POST many", answer.status_code, headers, answer.content))
    for error in (BadRequest("broken"), RuntimeError("ours")):

        def broken(*_: object, error: Exception = error) -> None:
            raise error

        with patch.context() as once:
            once.setattr("leaderboard.web.lookups.viewer", broken)
            pages.append(send("visitor", visitor, Probe("/c/talk/")))
    return pages


def test_rare_errors_forbid_scripts_too(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = _rare_errors(monkeypatch)
    assert [page.status for page in pages] == [403, 429, 400, 500]
    ask = Ask("rare", Probe("/"))
    assert [what for page in pages for what in forbids_scripts(ask, page)] == []


FILE = builders.prediction_csv()
EVIL_NAMES = (
    "../../x.csv",
    "..\\..\\x.csv",
    "C:\\x\\y.csv",
    "a\0b.csv",
    "a\r\nSet-Cookie: b=c.csv",
    'a"; filename="b.html',
    "x.html",
    "\u202egpj.csv",
    "가" * 300,
    ".",
    "   ",
    "con.csv",
)


def test_evil_file_names_are_kept_out_of_paths_and_headers(stage: Stage) -> None:
    alice = clients()["alice"]
    Competition.objects.update(daily_limit=100)
    for name in EVIL_NAMES:
        # The second step without script takes any name, past Django's own cleaning of uploads.
        form = {"carried": carried(FILE), "carried_name": name, "key": ascii(name)[:64]}
        sent = alice.post("/c/talk/submit", form)
        if "\0" in name:  # no form may hold one
            assert sent.status_code == 400
            assert not Submission.objects.filter(key=ascii(name)[:64]).exists()
            continue
        where = sent.headers["Location"]
        made = Submission.objects.get(key=ascii(name)[:64])
        assert re.fullmatch(r"[-0-9a-f]{36}\.csv", str(made.file))
        assert not {"/", "\\", "\r", "\n", "\0", "\u202e"} & set(made.file_name)
        assert 0 < len(made.file_name) <= 120
        answer = alice.get(f"{where}/file")
        assert content(answer) == FILE
        assert answer.headers["Content-Disposition"].startswith("attachment; filename")
        assert "Set-Cookie" not in answer.headers
