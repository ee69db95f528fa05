"""The desk's first page: what came in, what waits and what failed."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.actions.forum import reply, start_thread
from leaderboard.actions.registration import decide_request, request_to_join
from leaderboard.actions.submissions import cancel
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import Evaluation
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, hand_in, running

pytestmark = pytest.mark.django_db
DESK = "/c/talk/desk/"


@pytest.fixture
def contest() -> Competition:
    return running()


def shown() -> str:
    answer = browser("olivia").get(DESK)
    assert answer.status_code == 200
    return answer.text


def test_requests_that_wait_stand_on_the_desks_first_page(contest: Competition) -> None:
    assert "참가 신청" not in shown()
    contest.registration = "approval"
    contest.save(update_fields=["registration"])
    now = timezone.now()
    asked = [
        request_to_join(user=builders.user(name), competition=contest, at=now)
        for name in ("alice", "bob", "charlie")
    ]
    decide_request(request=asked[0], user=builders.user("olivia"), approve=False, at=now)
    page = shown()
    assert "참가 신청 2건이 기다립니다" in page
    assert 'href="/c/talk/desk/people#requests"' in page


def test_it_opens_with_who_waits_for_an_answer_the_oldest_first(contest: Competition) -> None:
    assert 'id="unanswered"' not in shown()
    builders.team(contest, "alice")
    now = timezone.now()
    asked = [
        start_thread(
            competition=contest,
            user=builders.user("alice"),
            kind=("question", "inquiry")[number % 2],
            title=f"물음 {number} <i>",
            text="언제까지인가요?",
            at=now - timedelta(minutes=number),
        )
        for number in range(7)
    ]
    reply(thread=asked[6], user=builders.user("olivia"), text="내일까지요.", at=now)
    page = shown()
    found = re.findall(r"물음 (\d) &lt;i&gt;", page)
    assert list(dict.fromkeys(found)) == ["5", "4", "3", "2", "1"]
    assert "/c/talk/desk/forum#waiting" in page


def row(page: str, heading: str) -> list[str]:
    """The cells of the table row that begins with this."""
    found = re.search(rf'<th scope="row">{heading}.*?</tr>', page, re.DOTALL)
    assert found is not None
    return [cell.strip() for cell in re.findall(r"<td[^>]*>(.*?)</td>", found[0], re.DOTALL)]


def test_what_was_taken_today_is_counted_and_what_was_cancelled_is_not(
    contest: Competition,
) -> None:
    team = builders.team(contest, "alice")
    now = timezone.now()
    for at in (now - timedelta(days=1), now, now):
        builders.hand_in(team, at=at)
    cancel(submission=builders.hand_in(team, at=now), user=team.captain, at=now)
    assert "오늘 2개" in shown()


def test_failures_are_grouped_by_code(contest: Competition) -> None:
    team = builders.team(contest, "alice")
    codes = ["OSError", "worker_lost", "OSError"]
    for code in codes:
        given = hand_in(team)
        Evaluation.objects.filter(submission=given).update(
            state="failed", failure=code, finished_at=timezone.now()
        )
    page = shown()
    assert row(page, "<code>OSError</code>")[:2] == ["v1", "2"]
    assert row(page, "<code>worker_lost</code> 작업자가 말없이 멈춤")[:2] == ["v1", "1"]
    assert "kind=failed" in page
