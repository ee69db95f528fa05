"""The organizer's way from a corrected gold to a new live version, on the desk."""

import pytest
from django.test import Client

from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, uploaded, user
from tests.leaderboard.material import GOLDS, gold_csv
from tests.leaderboard.web.pages import confirmed

pytestmark = pytest.mark.django_db
NEW = "민수와 지우는 모레 서점에서 만난다."


@pytest.fixture
def contest() -> Competition:
    made = open_competition()
    rest = {name: "아무 말이나 적었다." for name in GOLDS if name != "talk_1"}
    hand_in(team(made, "alice"), {**rest, "talk_1": GOLDS["talk_1"][0]})
    hand_in(team(made, "bob"), {**rest, "talk_1": NEW})
    score_all()
    return made


@pytest.fixture
def version(contest: Competition) -> ScoringVersion:
    return uploaded(contest, gold_csv({**GOLDS, "talk_1": (NEW, NEW)}))


def signed_in(name: str) -> Client:
    client = Client(headers={"accept-language": "ko"})
    client.force_login(user(name))
    return client


def test_from_the_list_of_versions_to_a_new_live_one(
    contest: Competition, version: ScoringVersion
) -> None:
    olivia = signed_in("olivia")
    address = f"/c/talk/desk/golds/{version.pk}/rehearsal"
    assert address in olivia.get("/c/talk/desk/golds").text
    assert "예행 시작" in olivia.get(address).text
    olivia.post(address, {"verb": "rehearse"})
    refused = olivia.post(address, {"verb": "make_live"}, follow=True)
    assert "예행 채점이 아직 2개 남았습니다" in refused.text
    score_all()
    page = olivia.get(address).text
    assert "talk_1" in page
    assert page.index("bob") < page.index("alice"), "in the order the board would have"
    assert NEW not in page, "gold texts stay on the golds' own page"
    assert confirmed(olivia, address, {"verb": "make_live"}).status_code == 302
    assert live_version(contest) == version
