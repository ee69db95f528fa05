"""The desk's teams: the list with its search, one team, and the four decisions about it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.actions.assigning import assign_teams
from leaderboard.competitions.models import Competition
from leaderboard.competitions.schedule import day
from leaderboard.submissions.ledger import allowance
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, confirmed, csv_file, hand_in, running

pytestmark = pytest.mark.django_db
TEAMS = "/c/talk/desk/teams"


@pytest.fixture
def contest() -> Competition:
    return running()


@pytest.fixture
def alices(contest: Competition) -> Team:
    return builders.team(contest, "alice", "bob", called="햇살")


def page_of(team: Team) -> str:
    return f"{TEAMS}/{team.pk}"


def decide(team: Team, verb: str, expected: int = 302, **sent: object) -> str:
    answer = browser("olivia").post(page_of(team), {"verb": verb, **sent})
    assert answer.status_code == expected
    return answer.text


def inbox(name: str, language: str = "ko") -> str:
    return browser(name, language).get("/inbox").text


def test_people_are_found_by_the_name_of_the_class_list(contest: Competition) -> None:
    ours = builders.team(contest, "20261234", called="햇살")
    ours.memberships.update(listed_name="김하나")
    builders.team(contest, "duri", called="구름")
    hand_in(ours)
    for where in (TEAMS, "/c/talk/desk/submissions"):
        for query in ("김하", "6123"):
            page = browser("olivia").get(where, {"q": query}).text
            assert "햇살" in page, (where, query)
        assert "햇살" not in browser("olivia").get(where, {"q": "박세리"}).text
    page = browser("olivia").get(TEAMS, {"q": "하나"}).text
    assert "20261234 (김하나)" in page
    assert "구름" not in page
    assert "20261234 (김하나)" in browser("olivia").get(page_of(ours)).text


def test_another_contest_s_organizers_never_read_a_class_list_s_name(contest: Competition) -> None:
    """Whoever may make a contest could else make one to learn the names of those who join it."""
    olivia, text = builders.user("olivia"), "username,name\n20261234,김하나\n"
    assign_teams(competition=contest, user=olivia, text=text, at=timezone.now())
    side = running("side")
    theirs = builders.team(side, "20261234", called="햇살")
    assert "20261234 (김하나)" in browser("olivia").get(TEAMS).text
    assert "(김하나)" in browser("olivia").get(TEAMS, {"q": "김하"}).text
    for where in ("/c/side/desk/teams", f"/c/side/desk/teams/{theirs.pk}"):
        page = browser("olivia").get(where).text
        assert "20261234" in page
        assert "김하나" not in page
    assert "20261234" not in browser("olivia").get("/c/side/desk/teams", {"q": "김하"}).text
    assert builders.user("20261234").get_full_name() == "김하나", "for the administrator"


# --- The list -------------------------------------------------------------------------------------


def test_the_list_names_people_entries_the_last_submission_and_the_state(
    contest: Competition, alices: Team
) -> None:
    builders.team(contest, "charlie", called="구름")
    now = timezone.now()
    builders.hand_in(alices, at=now - timedelta(hours=30))
    builders.hand_in(alices, at=now)
    Team.objects.filter(name="구름").update(disqualified_at=now, disqualify_reason="베낌")
    page = browser("olivia").get(TEAMS).text
    assert "alice, bob" in page
    assert '<td class="num">2</td>' in page
    assert f"{now.astimezone(contest.zoneinfo):%Y-%m-%d %H:%M} KST" in page
    assert '<span class="badge stop">실격</span>' in page
    assert f'href="{page_of(alices)}"' in page
    assert page.index("구름") < page.index("햇살")


def test_the_search_looks_at_teams_and_people(contest: Competition, alices: Team) -> None:
    builders.team(contest, "charlie", called="구름")
    for query, found in [
        ("햇", ["햇살"]),
        ("\u1112\u1162\u11ba", ["햇살"]),  # as a Mac types it, decomposed
        ("BOB", ["햇살"]),
        ("char", ["구름"]),
        ("", ["구름", "햇살"]),
        ("없음", []),
    ]:
        page = browser("olivia").get(TEAMS, {"q": query}).text
        assert [name for name in ("구름", "햇살") if f">{name}</a>" in page] == found
        assert ("검색 결과가 없습니다" in page) == (not found)


# --- One team -------------------------------------------------------------------------------------


def test_the_page_shows_people_ledger_and_what_was_decided(
    contest: Competition, alices: Team
) -> None:
    given = hand_in(alices)
    decide(alices, "warn", reason="같은 파일을 두 팀이 냈습니다")
    page = browser("olivia").get(page_of(alices)).text
    assert "팀장" in page
    assert f'href="/c/talk/desk/submissions/{given.pk}"' in page
    assert '<td class="num">−1</td>' in page
    assert "팀에 경고함" in page
    assert "같은 파일을 두 팀이 냈습니다" in page


def test_a_grant_reaches_ledger_allowance_and_inbox(contest: Competition, alices: Team) -> None:
    now = timezone.now()
    today = day(contest, now).date
    page = browser("olivia").get(page_of(alices)).text
    assert f'value="{today}"' in page  # the day that the form offers
    decide(alices, "grant", amount=3, day=today, reason="정전 <b>때문에</b>")
    assert allowance(alices, contest, now).left_today == contest.daily_limit + 3
    for client, path in (("olivia", page_of(alices)), ("alice", "/c/talk/ledger")):
        page = browser(client).get(path).text
        assert '<td class="num pine">+3</td>' in page
        assert "정전 &lt;b&gt;때문에&lt;/b&gt;" in page
    assert "3회를 더 제출할 수 있습니다" in inbox("bob")
    assert "정전 &lt;b&gt;때문에" in inbox("bob")
    assert "You can submit 3 more" in inbox("bob", "en")


def test_disqualified_on_every_page_and_back(contest: Competition, alices: Team) -> None:
    given = hand_in(alices)
    builders.score_all(at=timezone.now())
    alice, visitor = browser("alice"), browser()
    assert "햇살" in visitor.get("/c/talk/leaderboard").text
    sent = {"verb": "disqualify", "reason": "정답을 손으로 씀"}
    assert confirmed(browser("olivia"), page_of(alices), sent).status_code == 302
    assert "햇살" not in visitor.get("/c/talk/leaderboard").text
    assert "햇살" not in visitor.get("/c/talk/leaderboard.csv").text
    for path in ("submit", "submissions"):
        page = alice.get(f"/c/talk/{path}").text
        assert "실격된 팀입니다" in page
        assert "정답을 손으로 씀" in page
    for path in ("", "leaderboard", f"submissions/{given.pk}", "ledger", "status"):
        assert alice.get(f"/c/talk/{path}").status_code == 200
    answer = alice.post("/c/talk/submit", {"file": csv_file(), "key": "k"})
    assert answer.status_code == 403
    assert "정답을 손으로 씀" in answer.text
    assert Submission.objects.count() == 1
    assert "<b>실격</b>" in inbox("bob")
    page = browser("olivia").get(page_of(alices)).text
    assert 'value="reinstate"' in page
    assert 'value="disqualify"' not in page
    decide(alices, "reinstate")
    assert "햇살" in visitor.get("/c/talk/leaderboard").text
    assert "실격된 팀입니다" not in alice.get("/c/talk/submit").text
    assert "<b>실격 해제</b>" in inbox("bob")
