"""Who may read the boards of a contest at all, and where the others are sent."""

import pytest

from leaderboard.actions.registration import decide_request, request_to_join
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON, user
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db

BOARDS = ("leaderboard", "leaderboard.csv", "leaderboard.json", "distribution")
REVEALED = ("leaderboard?board=private", "shake-up", "shake-up.csv")  # before that for editors


@pytest.mark.parametrize("board", BOARDS + REVEALED)
def test_a_board_that_needs_an_account_sends_visitors_to_sign_in(board: str) -> None:
    builders.team(running(board_needs_sign_in=True), "alice", called="두괄식")
    where = f"/c/talk/{board}"
    answer = browser().get(where)
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith(f"/accounts/login/?next=/c/talk/{board[:8]}")
    assert "두괄식" not in answer.text
    assert browser("charlie").get(where).status_code == (404 if board in REVEALED else 200)
    assert browser().get("/c/talk/").status_code == 200  # the overview stays open


@pytest.mark.parametrize("board", BOARDS + REVEALED)
def test_who_just_knows_of_a_private_contest_joins_before_reading(board: str) -> None:
    contest = running(is_private=True, registration="approval")
    asked = request_to_join(user=user("alice"), competition=contest, at=NOON)
    alice = browser("alice")
    answer = alice.get(f"/c/talk/{board}")
    assert answer.headers["Location"].startswith("/c/talk/join?next=")
    decide_request(request=asked, user=user("olivia"), approve=True, at=NOON)
    assert alice.get(f"/c/talk/{board}").status_code == (404 if board in REVEALED else 200)
    assert browser("olivia").get(f"/c/talk/{board}").status_code == 200
