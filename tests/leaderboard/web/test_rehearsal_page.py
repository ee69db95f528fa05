"""The organizer's way from a corrected gold to a new live version, on the desk."""

import pytest
from django.test import Client

from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version
from leaderboard.submissions.models import Submission
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, uploaded, user
from tests.leaderboard.material import GOLDS, gold_csv

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


def rehearsing(version: ScoringVersion) -> tuple[Client, str]:
    """Olivia, who started it, and the address of its page."""
    olivia = signed_in("olivia")
    address = f"/c/talk/desk/golds/{version.pk}/rehearsal"
    olivia.post(address, {"verb": "rehearse"})
    return olivia, address


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
    done = olivia.post(address, {"verb": "make_live"}, follow=True)
    assert "새 기준을 적용하고 공지했습니다" in done.text
    assert live_version(contest) == version


def test_who_moved_is_read_from_the_list_of_versions_afterwards(
    contest: Competition, version: ScoringVersion
) -> None:
    olivia, address = rehearsing(version)
    score_all()
    assert "누가 움직였나" not in olivia.get("/c/talk/desk/golds").text
    done = olivia.post(address, {"verb": "make_live"}, follow=True)
    assert "누가, 왜 움직였나" in done.text, "the report itself is the next page"
    assert f"{address}#who" in olivia.get("/c/talk/desk/golds").text
    for board in ("public", "private"):
        page = " ".join(olivia.get(address, {"board": board, "all": "1"}).text.split())
        assert "v2 적용 결과" in page
        assert "v1 → v2" in page
        if board == "public":  # on the other one they tie
            assert page.index("bob") < page.index("alice")
    given = Submission.objects.get(team__name="bob")
    assert "v1 총점" in olivia.get(f"{address}/{given.pk}").text
    for name in ("alice", "charlie"):
        assert signed_in(name).get(address).status_code == 404
