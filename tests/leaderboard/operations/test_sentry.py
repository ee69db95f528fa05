"""What leaves for Sentry, seen by who takes it: where it went wrong, and nobody's words."""

import gzip
import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from leaderboard.operations.installation import version
from tests.servers import Answering, Said, product

CANARY = "canary"
# Words of a participant in whatever an event of the package may hold.
SCRIPT = """
import logging
import django
django.setup()
import structlog
import sentry_sdk
from django.test import Client
from leaderboard.web.contest import overview
from leaderboard.operations import health

def fall(*_):
    text = "canary-of-a-variable"
    raise ValueError(f"canary-of-a-message {text}")

overview.load = fall
browser = Client(raise_request_exception=False, headers={"Host": "127.0.0.1"})
assert browser.get("/status", headers={"Host": "evil.example.org"}).status_code == 400
browser.cookies["csrftoken"] = "canary-of-a-cookie"
answer = browser.post("/status?q=canary-of-a-query", {"x": "canary-of-a-form"})
answer = browser.get("/status?q=canary-of-a-query", headers={"X-Note": "canary-of-a-head"})
assert answer.status_code == 500, answer.status_code
log = structlog.get_logger("leaderboard.x")
with structlog.contextvars.bound_contextvars(submission="an-id", note="canary-of-a-context"):
    log.error("scoring_failed", error="MemoryError", attempt=2, text="canary-of-a-line")
logging.getLogger("other.package").error("reads %s", "canary-of-another")
try:
    fall()
except ValueError:
    logging.getLogger("other.package").exception("cannot read %s", "canary-of-another")
sentry_sdk.flush()
"""


class Taker(Answering):
    """Keeps what is sent to it, unpacked."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[str] = []
        self.dsn = f"http://public@{self.place}/1"

    def answer(self, asked: BaseHTTPRequestHandler, body: bytes) -> Said:
        packed = asked.headers.get("Content-Encoding") == "gzip"
        self.taken.append((gzip.decompress(body) if packed else body).decode())
        return 200, {}, b""


def events(taken: list[str]) -> list[dict[str, Any]]:
    lines = [json.loads(line) for envelope in taken for line in envelope.splitlines()]
    return [line for line in lines if "level" in line]


@pytest.mark.faults
def test_errors_arrive_and_nobody_s_words(tmp_path: Path) -> None:
    env = {"DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    with Taker() as taker:
        done = product("-c", SCRIPT, **env, SENTRY_DSN=taker.dsn)
        assert done.returncode == 0, done.stderr
        everything = "".join(taker.taken)
    assert CANARY not in everything
    found = events(taker.taken)
    page = next(one for one in found if one.get("transaction") == "/status")
    (error,) = page["exception"]["values"]
    assert error["type"] == "ValueError"
    assert error["stacktrace"]["frames"][-1]["function"] == "fall"
    assert "DisallowedHost" not in everything
    assert {one["release"] for one in found} == {version()}
    assert len(page["tags"]["request"]) == 16
    line = next(one for one in found if one.get("message") == "scoring_failed")
    assert line["tags"] == {"submission": "an-id", "error": "MemoryError", "attempt": "2"}
    assert [one for one in found if one.get("message") == "a line of other.package"]


def test_without_the_variable_the_package_is_not_even_loaded(tmp_path: Path) -> None:
    script = "import django, sys; django.setup(); print('sentry_sdk' in sys.modules)"
    done = product("-c", script, DATA_DIR=str(tmp_path))
    assert done.stdout.strip() == "False", done.stderr
