"""The distribution page."""

import re
from datetime import timedelta

import pytest

from tests.leaderboard import builders
from tests.leaderboard.boards.test_shake_up import rows_right, shaken
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.pages import browser
from tests.leaderboard.web.stage import stop_clock

pytestmark = pytest.mark.django_db
PAGE = "/c/talk/distribution"
HOUR = timedelta(hours=1)


def test_anybody_reads_the_public_one(monkeypatch: pytest.MonkeyPatch) -> None:
    shaken()
    stop_clock(monkeypatch, NOON + HOUR)
    text = browser().get(PAGE).text
    # Wide and for a phone; every name once.
    assert text.count('<svg class="chart') == 2
    names = re.findall(r'id="(dist-[^"]+)"', text)
    assert len(names) == len(set(names)) == 4
    assert text.count("<details>") == 1
    assert "우리 팀" not in text
    assert PAGE in browser().get("/c/talk/leaderboard").text


def test_a_member_sees_the_own_place_and_history(monkeypatch: pytest.MonkeyPatch) -> None:
    contest = shaken()
    alices = contest.teams.get(name="alice")
    builders.hand_in(alices, rows_right("1"), at=NOON + HOUR)
    builders.score_all(NOON + HOUR)
    stop_clock(monkeypatch, NOON + 2 * HOUR)
    text = browser("alice").get(PAGE).text
    assert "우리 팀 1위" in text
    assert "우리 팀 3.0000" in text
    assert "우리 팀의 점수 기록" in text
    assert "우리 팀의 점수 기록" not in browser("bob").get(PAGE).text  # one file is no history
