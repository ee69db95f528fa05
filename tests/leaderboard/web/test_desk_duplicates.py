"""The duplicates report as editors read it."""

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.submissions import duplicates as report
from leaderboard.submissions.duplicates import duplicates
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.builders import GOLDS
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db
PAGE = "/c/talk/desk/duplicates"
MINUTE = timedelta(minutes=1)


def answers(name: str, **others: str) -> dict[str, str]:
    """Answers to all four rows that only `name` gives, but for the others."""
    return {row: f"{name} 요약 {row}" for row in GOLDS} | others


def spaced(texts: dict[str, str]) -> dict[str, str]:
    return {row: text.upper().replace(" ", "  ") + "!" for row, text in texts.items()}


def hand_in(team: Team, texts: dict[str, str], at: datetime) -> Submission:
    return builders.hand_in(team, texts, at=at)


def test_equal_and_nearly_equal_files_of_different_teams_are_shown() -> None:
    contest = running()
    now = timezone.now()
    alices = builders.team(contest, "alice", called="<b>원본</b>")
    bobs, carols = builders.team(contest, "bob"), builders.team(contest, "carol")
    first = hand_in(alices, answers("a"), now)
    hand_in(alices, answers("a"), now + MINUTE)  # the same file again is compared once
    again = hand_in(bobs, spaced(answers("a")), now + 2 * MINUTE)
    hand_in(bobs, answers("b"), now + 3 * MINUTE)
    half = answers("c", talk_1="a 요약 talk_1", talk_2="a 요약 talk_2")
    third = hand_in(carols, half, now - MINUTE)
    found = duplicates(contest)
    assert (found.files, found.teams, found.baselines, found.left_out) == (4, 3, 0, 0)
    read = [(one.first, one.second, one.pair.equal, one.pair.compared) for one in found.likenesses]
    assert read == [(first, again, 4, 4), (third, first, 2, 4), (third, again, 2, 4)]
    assert found.likenesses[0].pair.whole
    assert not found.likenesses[0].same_bytes
    page = browser("olivia").get(PAGE).text
    assert "0행을 빼고 4행 가운데 4행이 같음" in page
    assert "50%" in page
    assert "모든 답이 같음" in page
    assert f"/c/talk/desk/submissions/{first.pk}" in page
    assert "&lt;b&gt;원본&lt;/b&gt;" in page


def test_a_baselines_answers_are_set_aside_and_it_is_in_no_pair() -> None:
    contest = running()
    now = timezone.now()
    base = builders.team(contest, "dana", called="KoBART")
    hand_in(base, answers("기준"), now)
    Team.objects.filter(pk=base.pk).update(kind=Team.Kind.BASELINE)
    own = {"talk_4": "같은 제 답"}
    hand_in(builders.team(contest, "alice"), answers("기준", **own), now)
    hand_in(builders.team(contest, "bob"), answers("기준", **own, talk_5="밥"), now)
    found = duplicates(contest)
    assert (found.files, found.baselines) == (2, 1)
    [likeness] = found.likenesses
    assert (likeness.pair.equal, likeness.pair.compared, likeness.pair.set_aside) == (1, 2, 2)
    assert "2행을 빼고 2행 가운데 1행이 같음" in browser("olivia").get(PAGE).text


def test_every_team_has_its_turn_when_there_are_too_many_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contest = running()
    now = timezone.now()
    alices, bobs = builders.team(contest, "alice"), builders.team(contest, "bob")
    hand_in(bobs, answers("b"), now)
    for number in range(4):
        hand_in(alices, answers(f"a{number}"), now + (number + 1) * MINUTE)
    monkeypatch.setattr(report, "MOST", 3)
    found = duplicates(contest)
    assert (found.files, found.teams, found.left_out) == (3, 2, 2)
    assert "오랜 파일 2개" in browser("olivia").get(PAGE).text


def test_more_files_cost_no_more_queries() -> None:
    contest = running()
    now = timezone.now()
    olivia = browser("olivia")
    for name in ("alice", "bob"):
        hand_in(builders.team(contest, name), answers("같은 답"), now)
    with CaptureQueriesContext(connection) as few:
        olivia.get(PAGE)
    for name in ("carol", "erin", "fay"):
        hand_in(builders.team(contest, name), answers("같은 답"), now)
    with CaptureQueriesContext(connection) as many:
        assert "같은 파일" in olivia.get(PAGE).text
    assert len(many) == len(few)


def test_nothing_handed_in_is_said() -> None:
    running()
    assert "겹치는 파일이 없습니다" in browser("olivia").get(PAGE).text
