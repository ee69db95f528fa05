"""Which answers are compressed: what says the same to everybody, nothing that may hold a secret."""

import gzip
import re

import pytest

from tests.leaderboard.builders import NOON
from tests.leaderboard.web.pages import browser
from tests.leaderboard.web.stage import build, stop_clock

pytestmark = pytest.mark.django_db
BOARD = "/c/talk/leaderboard"
GZIP = {"accept-encoding": "br, gzip"}
TOKEN = re.compile(rb'(name="csrfmiddlewaretoken" value|nonce)="[^"]+"')


@pytest.fixture(autouse=True)
def _stage(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    build()


@pytest.mark.parametrize("path", [BOARD, f"{BOARD}.json", "/c/talk/", "/accounts/login/", "/none"])
def test_pages_and_json_travel_compressed_to_who_is_signed_out(path: str) -> None:
    plain = browser().get(path)
    packed = browser().get(path, headers=GZIP)
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert int(packed["Content-Length"]) == len(packed.content) < len(plain.content) / 2
    assert TOKEN.sub(b"", gzip.decompress(packed.content)) == TOKEN.sub(b"", plain.content)
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer["Vary"], "or a proxy gives one to who reads the other"


def test_equal_pages_have_many_lengths_so_that_one_letter_is_not_seen() -> None:
    visitor = browser()
    lengths = {len(visitor.get(f"{BOARD}.json", headers=GZIP).content) for _ in range(40)}
    assert len(lengths) > 10


def test_an_answer_to_a_token_or_that_begins_a_session_is_not_compressed() -> None:
    asked = browser().get(BOARD, headers={**GZIP, "authorization": "Bearer x"})
    assert "Content-Encoding" not in asked
    names = {"username": "newcomer", "password1": "purple-otter-9", "password2": "purple-otter-9"}
    begun = browser().post("/accounts/signup/", names, headers=GZIP)
    assert "sessionid" in begun.cookies
    assert "Content-Encoding" not in begun


def test_files_that_are_handed_out_are_as_they_were() -> None:
    assert "Content-Encoding" not in browser().get(f"{BOARD}.csv", headers=GZIP)
