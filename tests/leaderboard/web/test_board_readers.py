"""Who may read the boards of a contest at all, from when on, and where the others are sent."""

from datetime import timedelta

import pytest

from leaderboard.actions.registration import decide_request, request_to_join
from leaderboard.competitions.models import Competition
from tests.leaderboard import builders
from tests.leaderboard.boards.test_shake_up import shaken
from tests.leaderboard.builders import NOON, REVEALS, user
from tests.leaderboard.web.pages import browser, running
from tests.leaderboard.web.stage import stop_clock

pytestmark = pytest.mark.django_db

BOARDS = ("leaderboard", "leaderboard.csv", "leaderboard.json")
REVEALED = (  # before that for editors
    *(f"{board}?board=private" for board in BOARDS),
    *("shake-up", "shake-up.csv"),
)


def test_a_board_that_needs_an_account_sends_visitors_to_sign_in() -> None:
    builders.team(running(board_needs_sign_in=True), "alice", called="두괄식")
    for board in BOARDS + REVEALED:
        where = f"/c/talk/{board}"
        answer = browser().get(where)
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith(f"/accounts/login/?next=/c/talk/{board[:8]}")
        assert "두괄식" not in answer.text
        assert browser("charlie").get(where).status_code == (404 if board in REVEALED else 200)
    assert browser().get("/c/talk/").status_code == 200  # the overview stays open


def test_who_just_knows_of_a_private_contest_joins_before_reading() -> None:
    contest = running(is_private=True, registration="approval")
    asked = request_to_join(user=user("alice"), competition=contest, at=NOON)
    alice = browser("alice")
    for board in BOARDS + REVEALED:
        answer = alice.get(f"/c/talk/{board}")
        assert answer.headers["Location"].startswith("/c/talk/join?next=")
    decide_request(request=asked, user=user("olivia"), approve=True, at=NOON)
    for board in BOARDS + REVEALED:
        assert alice.get(f"/c/talk/{board}").status_code == (404 if board in REVEALED else 200)
        assert browser("olivia").get(f"/c/talk/{board}").status_code == 200


def test_what_is_private_opens_at_the_reveal_unless_it_is_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shaken()
    for tick, held, status in ((1, False, 404), (0, True, 404), (0, False, 200)):
        Competition.objects.update(reveal_held=held)
        stop_clock(monkeypatch, REVEALS - timedelta(microseconds=tick))
        for board in REVEALED:
            for name in (None, "alice"):
                answer = browser(name).get(f"/c/talk/{board}")
                assert answer.status_code == status, (board, name, held)
                if status == 404:
                    assert "<table" not in answer.text
                    assert "dist-" not in answer.text
                    announced = "2026-12-11 10:00 KST</time>에 공개합니다" in answer.text
                    is_page = "." not in board  # not a file
                    assert announced is (is_page and not held), (board, name)
            assert browser("olivia").get(f"/c/talk/{board}").status_code == 200
    for board in BOARDS:
        assert browser().get(f"/c/talk/{board}?board=gold").status_code == 404
