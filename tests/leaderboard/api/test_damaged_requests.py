"""What no well-made program sends: refused with a problem, never an error of ours."""

from typing import Any

import pytest

from tests.leaderboard import builders
from tests.leaderboard.api.calling import contest_url, json_of, program
from tests.leaderboard.web.pages import running

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice() -> Any:
    builders.team(running(), "alice")
    return program("alice")


def test_what_is_no_json_cannot_be_read(alice: Any) -> None:
    for body in [b"{", b"\xff\xfe", b"[" * 100_000, b"1" * 5000]:
        answer = alice.post(contest_url("/forum"), body, content_type="application/json")
        assert json_of(answer, 400)["code"] == "bad_request"


def test_a_page_of_any_number_is_one_that_there_is(alice: Any) -> None:
    for page in ["9" * 400, "-1", "0"]:
        for pages in ("/submissions", "/leaderboard"):
            assert json_of(alice.get(contest_url(f"{pages}?page={page}")))["page"] == 1


def test_a_date_that_no_board_has_is_refused(alice: Any) -> None:
    for at in ["2026-02-30", "0001-01-01", "2031-01-01", "9999-12-31"]:
        answer = json_of(alice.get(contest_url(f"/leaderboard?at={at}")), 422)
        assert [field["where"] for field in answer["fields"]] == ["query.at"]


def test_six_letters_that_mean_a_nul_are_none(alice: Any) -> None:
    sent = {"title": "널 문자", "text": r"`\u0000`은 어떻게 세나요?"}
    answer = alice.post(contest_url("/forum"), sent, content_type="application/json")
    assert json_of(answer, 201)["title"] == "널 문자"
