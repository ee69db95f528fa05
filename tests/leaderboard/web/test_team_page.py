"""The team's own page: its members see each other and give their team another name."""

import pytest

from leaderboard.actions.refusals import Refused
from leaderboard.actions.teams import rename_team
from leaderboard.audit.models import AuditEvent
from leaderboard.competitions.models import Competition
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db
PAGE = "/c/talk/team"


@pytest.fixture
def contest() -> Competition:
    return running()


@pytest.fixture
def alices(contest: Competition) -> Team:
    team = builders.team(contest, "alice", "bob", called="새벽")
    builders.team(contest, "charlie", called="저녁")
    return team


def logged() -> list[tuple[str, object, object]]:
    rows = AuditEvent.objects.filter(kind="team.renamed").order_by("at", "pk")
    return [(row.actor.username if row.actor else "", row.before, row.after) for row in rows]


def test_a_member_who_is_not_the_captain_renames_the_team(alices: Team) -> None:
    bob = browser("bob")
    page = bob.get(PAGE).text
    assert "alice" in page
    assert "charlie" not in page
    answer = bob.post(PAGE, {"name": "  아침  "}, follow=True)
    assert answer.redirect_chain == [(PAGE, 302)]
    assert "팀 이름을 바꿨습니다." in answer.text
    alices.refresh_from_db()
    assert alices.name == "아침"
    assert logged() == [("bob", {"name": "새벽"}, {"name": "아침"})]


def test_the_same_name_again_is_no_decision(alices: Team) -> None:
    rename_team(team=alices, user=builders.user("alice"), name="새벽", at=NOON)
    assert logged() == []


@pytest.mark.parametrize("name", ["저녁", "저 녁", "기준선", "", "\u200b"])
def test_a_name_that_is_taken_reserved_or_empty_is_refused_and_stays_typed(
    alices: Team, name: str
) -> None:
    answer = browser("alice").post(PAGE, {"name": name})
    assert answer.status_code == 409
    assert f'value="{name}"' in answer.text
    alices.refresh_from_db()
    assert alices.name == "새벽"
    assert logged() == []


def test_a_stranger_finds_the_way_in_and_renames_nothing(alices: Team) -> None:
    builders.user("dana")
    assert browser("dana").post(PAGE, {"name": "밤"}).status_code == 302
    with pytest.raises(Refused) as refused:
        rename_team(team=alices, user=builders.user("charlie"), name="밤", at=NOON)
    assert refused.value.code == "not_a_member"
    alices.refresh_from_db()
    assert alices.name == "새벽"
