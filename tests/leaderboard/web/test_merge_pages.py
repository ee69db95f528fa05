"""Asking another team to merge, and answering: what captains, members and organizers see."""

import re

import pytest

from leaderboard.competitions.models import Competition
from leaderboard.teams.models import Merge, Team
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.pages import browser
from tests.leaderboard.web.stage import stop_clock

pytestmark = pytest.mark.django_db
PAGE = "/c/talk/team/merge"


@pytest.fixture
def contest(monkeypatch: pytest.MonkeyPatch) -> Competition:
    stop_clock(monkeypatch, NOON)
    return builders.open_competition()


@pytest.fixture
def teams(contest: Competition) -> tuple[Team, Team]:
    ours = builders.team(contest, "alice", "bob", called="햇살")
    theirs = builders.team(contest, "charlie", called="<b>바람")
    builders.hand_in(ours)
    builders.hand_in(theirs)
    return ours, theirs


def seen(page: str) -> str:
    found = re.search(r'name="seen" value="([0-9a-f]{64})"', page)
    assert found is not None
    return found[1]


def cells(page: str) -> list[list[str]]:
    """The arithmetic: today, in all, people, perhaps finals."""
    body = re.search(r"<tbody>(.*?)</tbody>", page, re.S)
    assert body is not None
    rows = re.findall(r"<tr>(.*?)</tr>", body[1], re.S)
    return [re.findall(r'<td class="num">\s*(?:<b>)?([^<]*)', row) for row in rows]


def test_both_captains_see_the_arithmetic_and_merge(teams: tuple[Team, Team]) -> None:
    alice, charlie = browser("alice"), browser("charlie")
    looked = alice.post(PAGE, {"verb": "ask", "name": "<b>바람"})
    assert not Merge.objects.exists()
    assert cells(looked.text) == [
        ["1", "1", "2", "12"],
        ["1", "1", "2", "–"],
        ["2", "1", "3", "5"],
    ]
    assert "<b>바람" not in looked.text
    asked = {"verb": "ask", "name": "<b>바람", "seen": seen(looked.text)}
    alice.post(PAGE, asked)
    question = f"{PAGE}/{Merge.objects.get().pk}"
    assert question in charlie.get(PAGE).text
    page = charlie.get(question).text
    assert cells(page)[3] == ["0", "0", "0", "2"]  # finals too, for the one who is asked
    assert 'value="accept"' not in browser("bob").get(question).text
    builders.hand_in(teams[0])  # it is not what Charlie saw
    unseen = charlie.post(question, {"verb": "accept", "seen": seen(page)})
    assert unseen.status_code == 409
    assert cells(unseen.text)[0] == ["2", "1", "3", "12"]
    done = charlie.post(question, {"verb": "accept", "seen": seen(unseen.text)}, follow=True)
    assert done.redirect_chain == [(PAGE, 302)]
    assert Team.objects.get(name="<b>바람").merged_into == teams[0]
    assert charlie.get(question).status_code == 404


def test_the_teams_that_may_be_asked_are_offered_by_name_where_they_are_few(
    contest: Competition, teams: tuple[Team, Team], monkeypatch: pytest.MonkeyPatch
) -> None:
    builders.team(contest, "erin", called="새벽")
    Team.objects.filter(name="새벽").update(disqualified_at=NOON, disqualify_reason="복사")
    builders.team(contest, "frank", called="저녁")

    def offered() -> list[str]:
        return re.findall(r'<option value="([^"]*)">', browser("alice").get(PAGE).text)

    assert sorted(offered()) == ["&lt;b&gt;바람", "저녁"]
    monkeypatch.setattr("leaderboard.web.contest.merging.OFFERED", 1)
    assert offered() == []
