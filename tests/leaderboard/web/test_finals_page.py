"""Choosing finals: a refusal stands on the list, with the boxes as they were ticked."""

import re
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.submissions.queries import chosen
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, hand_in, running

pytestmark = pytest.mark.django_db
LIST, FINALS = "/c/talk/submissions", "/c/talk/submissions/finals"


@pytest.fixture
def alices() -> Team:
    return builders.team(running(), "alice")


@pytest.fixture
def ids(alices: Team) -> list[str]:
    """Three scored submissions, and one that waits."""
    made = [hand_in(alices, {"talk_1": f"요약 {n}"}) for n in range(3)]
    builders.score_all(timezone.now())
    return [str(one.pk) for one in made]


@pytest.fixture
def alice(ids: list[str]) -> Client:
    return browser("alice")


def ticked(page: str) -> set[str]:
    boxes = re.findall(r'<input type="checkbox"[^>]+>', page)
    return {re.findall('value="([^"]+)"', box)[0] for box in boxes if "checked" in box}


def test_three_finals_are_refused_on_the_list_with_all_three_ticked(
    alice: Client, ids: list[str], alices: Team
) -> None:
    answer = alice.post(FINALS, {"final": ids})
    assert answer.status_code == 422
    assert "최종 제출은 2개까지 고를 수 있습니다." in answer.text
    assert "하나를 먼저 빼 주세요." in answer.text
    assert ticked(answer.text) == set(ids)
    assert re.search(r'class="tally over"[^>]*>3 / 2<', answer.text)
    assert not chosen(alices.pk)
    assert alice.post(FINALS, {"final": ids[:2]}).status_code == 302
    assert chosen(alices.pk) == {UUID(one) for one in ids[:2]}


def test_the_list_says_how_many_of_how_many_are_chosen(alice: Client, ids: list[str]) -> None:
    assert re.search(r'class="tally"[^>]*>0 / 2<', alice.get(LIST).text)
    alice.post(FINALS, {"final": ids[:2]})
    page = alice.get(LIST).text
    assert re.search(r'class="tally"[^>]*>2 / 2<', page)
    assert ticked(page) == set(ids[:2])
