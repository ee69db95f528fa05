"""Handing in never waits for a check: whose checks are used up sees how."""

import re
from dataclasses import replace

import pytest
from django.test import Client

from leaderboard.actions import checks, submissions
from leaderboard.submissions.models import Submission
from tests.leaderboard import builders
from tests.leaderboard.web.pages import HTMX, browser, csv_file, running

pytestmark = pytest.mark.django_db
SUBMIT, CHECK, REPAIRED = "/c/talk/submit", "/c/talk/submit/check", "/c/talk/submit/repaired"
HIDDEN = r'<input type="hidden"\s+name="(\w+)"\s+value="([^"]*)"'


@pytest.fixture
def alice() -> Client:
    builders.team(running(), "alice")
    return browser("alice")


@pytest.fixture
def one_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((checks, "CHECKS"), (submissions, "REFUSALS")):
        monkeypatch.setattr(module, name, replace(getattr(module, name), most=1))


def test_when_the_checks_are_used_up_the_file_can_be_handed_in_all_the_same(
    alice: Client, one_of_each: None
) -> None:
    assert alice.post(CHECK, {"file": csv_file()}).status_code == 200
    for path in (CHECK, REPAIRED):
        for headers in (HTMX, {}):
            sent = {"file": csv_file(), "note": "두 번째"}
            answer = alice.post(path, sent, headers=headers)
            assert answer.status_code == 429
            assert 0 < int(answer.headers["Retry-After"]) <= 3600
            for said in (
                "확인 1번을 다 썼습니다",
                "확인하지 않아도 제출할 수 있습니다",
                "확인 없이 제출 (1회 사용)",
                "오늘 12회 중 12회 남음",
                'value="두 번째"',
            ):
                assert said in answer.text
    # The last answer was a page of its own: its second step needs no second choice of the file.
    hidden = dict(re.findall(HIDDEN, answer.text))
    assert alice.post(SUBMIT, {**hidden, "note": "두 번째"}).status_code == 302
    assert Submission.objects.get().note == "두 번째"


def test_a_note_that_is_too_long_is_no_way_around_the_limit(
    alice: Client, one_of_each: None
) -> None:
    """Such a submit has the file looked at, so it is a check."""
    sent = {"note": "가" * 2_000, "key": "k"}
    answers = [alice.post(SUBMIT, {"file": csv_file(), **sent}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [422, 429]
    assert "확인 1번을 다 썼습니다" in answers[1].text
    assert sent["note"] in answers[1].text
    assert not Submission.objects.exists()


def test_a_rule_that_refuses_leaves_the_page_the_file_and_the_note() -> None:
    builders.team(running(daily_limit=1), "alice")
    alice = browser("alice")
    assert alice.post(SUBMIT, {"file": csv_file(), "key": "k1"}).status_code == 302
    answer = alice.post(SUBMIT, {"file": csv_file(), "key": "k2", "note": "적어 둔 것"})
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    for said in (
        "제출하지 못했습니다",
        "오늘 제출할 수 있는 횟수를 모두 썼습니다",
        "predictions.csv",
        'value="적어 둔 것"',
    ):
        assert said in answer.text
    assert dict(re.findall(HIDDEN, answer.text))["carried_name"] == "predictions.csv"
