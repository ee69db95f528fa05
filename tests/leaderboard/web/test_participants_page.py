"""The file of all people."""

import csv

import pytest

from leaderboard.competitions.models import Competition
from leaderboard.teams.models import Membership, Team
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, hand_in, running

pytestmark = pytest.mark.django_db
PEOPLE = "/c/talk/desk/participants"


@pytest.fixture
def contest() -> Competition:
    """Alice and Bob handed something in, Charlie and Dana are alone and did not."""
    contest = running()
    hand_in(builders.team(contest, "alice", "bob", called="햇살"))
    for name in ("charlie", "dana"):
        builders.team(contest, name, called=f"{name} 팀")
    Membership.objects.filter(user__username="charlie").update(listed_name="김하나")
    return contest


def test_the_file_holds_who_is_found_and_no_formula(contest: Competition) -> None:
    Membership.objects.filter(user__username="charlie").update(listed_name='=HYPERLINK("x")')
    Team.objects.filter(name="dana 팀").update(name="+1+1", sort_key="0")
    answer = browser("olivia").get(f"{PEOPLE}.csv", {"only": "alone"})
    assert answer["Content-Type"].startswith("text/csv")
    lines = answer.content.decode("utf-8-sig").splitlines()
    assert lines[0] == "# competition,talk"
    rows = list(csv.DictReader(lines[2:]))
    assert [(row["username"], row["name"], row["team"]) for row in rows] == [
        ("dana", "", "'+1+1"),
        ("charlie", '\'=HYPERLINK("x")', "charlie 팀"),
    ]
    assert [row["entries"] for row in rows] == ["0", "0"]
    answer = browser("olivia").get(f"{PEOPLE}.csv", {"q": "bob"})
    (row,) = csv.DictReader(answer.content.decode("utf-8-sig").splitlines()[2:])
    assert (row["captain"], row["members"], row["entries"]) == ("no", "2", "1")
    assert row["last_submission"].endswith("+09:00")
