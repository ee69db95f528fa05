"""The desk's list of people and its file."""

import csv
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.accounts.models import User
from leaderboard.competitions.models import Competition
from leaderboard.teams.models import Membership, Team
from tests.leaderboard import builders
from tests.leaderboard.many import multiply, uuid
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


def shown(query: dict[str, str]) -> list[str]:
    """The usernames of the list, in its order."""
    page = browser("olivia").get(PEOPLE, query).text
    return [part.partition("<")[0] for part in page.split('<th scope="row">')[1:]]


def test_the_list_is_searched_and_narrowed(contest: Competition) -> None:
    User.objects.update(last_login=None)
    User.objects.filter(username="dana").update(last_login=timezone.now())
    for query, found in [
        ({}, ["charlie", "dana", "alice", "bob"]),
        ({"q": "김하"}, ["charlie"]),
        ({"q": "\u1112\u1162\u11ba"}, ["alice", "bob"]),  # as a Mac types it
        ({"q": "DAN"}, ["dana"]),
        ({"q": "없음"}, []),
        ({"only": "alone"}, ["charlie", "dana"]),
        ({"only": "silent", "q": "a"}, ["charlie", "dana"]),
        ({"only": "what"}, ["charlie", "dana", "alice", "bob"]),
    ]:
        assert shown(query) == found


def test_a_line_says_who_where_how_much_and_when(contest: Competition) -> None:
    browser("charlie").get("/c/talk/")
    User.objects.filter(username="charlie").update(last_login=timezone.now() - timedelta(days=1))
    page = browser("olivia").get(PEOPLE, {"q": "charlie"}).text
    yesterday = (timezone.now() - timedelta(days=1)).astimezone(contest.zoneinfo)
    for said in ("김하나", "charlie 팀", "혼자", f"{yesterday:%Y-%m-%d}"):
        assert said in page
    assert "팀장" in browser("olivia").get(PEOPLE, {"q": "alice"}).text


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


def test_ten_thousand_people_cost_no_more_questions_than_four(contest: Competition) -> None:
    client = browser("olivia")
    client.get(PEOPLE)
    counts = []
    for many in (0, 10_000):
        if many:
            some = Membership.objects.select_related("team", "user").get(user__username="dana")
            name = "'many ' || n"
            looks = {"name": name, "skeleton": name, "sort_key": name}
            multiply(some.team, many, id=uuid(1), **looks)
            person = {"username": "'many' || n", "skeleton": "'many' || n"}
            multiply(some.user, many, id="1000 + n", **person)
            multiply(some, many, id="1000 + n", team_id=uuid(1), user_id="1000 + n")
        with CaptureQueriesContext(connection) as captured:
            began = time.perf_counter()
            assert client.get(PEOPLE).status_code == 200
            took = time.perf_counter() - began
        counts.append(len(captured))
    print(f"{counts[1]} queries, {took * 1000:.0f} ms")
    assert counts[0] == counts[1] <= 12
