"""What an invited person opens: by code or by name, as a stranger or signed in."""

import re
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.accounts.models import RateCount
from leaderboard.actions.assigning import put_in_team
from leaderboard.actions.competition import change_registration, change_terms
from leaderboard.actions.discipline import disqualify
from leaderboard.actions.invitations import invite_by_code, invite_person, revoke
from leaderboard.actions.registration import decide_request
from leaderboard.actions.teams import grant
from leaderboard.competitions.models import Competition
from leaderboard.teams.membership import enter
from leaderboard.teams.models import Invitation, JoinRequest, Team
from leaderboard.teams.queries import team_of
from leaderboard.web.contest.join import BY_ADDRESS, BY_PERSON
from tests.leaderboard import builders
from tests.leaderboard.builders import user
from tests.leaderboard.contest_file.full_contest import merge as merged
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db


@pytest.fixture
def contest() -> Competition:
    return running(is_private=True)


@pytest.fixture
def alices(contest: Competition) -> Team:
    return builders.team(contest, "alice", called="새벽")


def link(team: Team) -> str:
    code = invite_by_code(team=team, user=user("alice"), at=timezone.now())[1]
    return f"/join/{code}"


def signed_up(client: Client, way: str, name: str) -> str:
    """Make an account on the page that `way` leads to; where one is led then."""
    typed = {"username": name, "password1": "주전자-4821-도서관"}
    page = client.get(way).text
    typed["password2"] = typed["password1"]
    found = re.search(r'name="next" value="([^"]+)"', page)
    assert found
    answer = client.post("/accounts/signup/", {**typed, "next": found[1]})
    assert answer.status_code == 302, answer.text
    return str(answer["Location"])


def test_a_stranger_reads_contest_and_team_signs_up_and_is_in(
    contest: Competition, alices: Team
) -> None:
    way = link(alices)
    stranger = Client()
    page = stranger.get(way).text
    assert "일상 대화 요약" in page
    assert "새벽" in page
    assert stranger.get("/c/talk/").status_code == 404
    sign_up = f"/accounts/signup/?next={quote(way)}"
    assert sign_up in page
    assert signed_up(stranger, sign_up, "dana") == way
    answer = stranger.post(way, {"verb": "accept"})
    assert (answer.status_code, answer["Location"]) == (302, "/c/talk/data")
    assert team_of(user("dana"), contest) == alices
    assert stranger.get("/c/talk/submit").status_code == 200
    assert stranger.get(way)["Location"] == "/c/talk/team"


@pytest.mark.parametrize("signed_in", [False, True])
def test_codes_that_lead_nowhere_are_one_answer(
    contest: Competition, alices: Team, signed_in: bool
) -> None:
    """Unknown, revoked, expired, used up, of a full, a disqualified, a merged and an empty team.

    Each for its own reason alone: a fresh code of a team as large as any of them is good.
    """
    Competition.objects.filter(pk=contest.pk).update(max_team_size=3)
    contest.refresh_from_db()
    ways = {"unknown": "/join/abcd-efgh-jkmn"}
    for name in ("revoked", "expired", "used", "disqualified", "full", "merged", "empty", "good"):
        captain = user(f"{name}-captain")
        team = builders.team(contest, captain.username)
        made, code = invite_by_code(team=team, user=captain, at=timezone.now() - timedelta(hours=1))
        ways[name] = f"/join/{code}"
        match name:
            case "revoked":
                revoke(team=team, user=captain, invitation=made.pk, at=timezone.now())
            case "expired":
                Invitation.objects.filter(pk=made.pk).update(expires_at=timezone.now())
            case "used":
                Invitation.objects.filter(pk=made.pk).update(uses=1, max_uses=1)
            case "disqualified":
                disqualify(team=team, user=user("olivia"), reason="베낌", at=timezone.now())
            case "full":
                for newcomer in ("gil", "hana"):
                    enter(team=team, user=user(newcomer), at=timezone.now())
            case "merged":
                merged(builders.team(contest, "ian", "judy"), team, at=timezone.now())
            case "empty":
                other = builders.team(contest, "kim")
                grant(team=team, user=user("olivia"), amount=1, reason="정전", at=timezone.now())
                who = {"username": captain.username, "user": user("olivia")}
                put_in_team(competition=contest, team=other, **who, at=timezone.now())
    client = browser("dana" if signed_in else None)
    assert client.get(ways.pop("good")).status_code == 200
    answers = {name: client.get(way) for name, way in ways.items()}
    if signed_in:
        RateCount.objects.all().delete()  # as many guesses as one has were just made
        for name, way in ways.items():
            answers[f"{name} sent"] = client.post(way, {"verb": "accept"})

    def without_address(text: str, way: str) -> str:
        return re.sub(
            r"[\w-]{43,}|\d\d:\d\d:\d\d", "", text.replace(quote(way, ""), "").replace(way, "")
        )

    said = {
        without_address(answer.text, ways[name.removesuffix(" sent")])
        for name, answer in answers.items()
    }
    assert {answer.status_code for answer in answers.values()} == {404}
    assert len(said) == 1
    assert "새벽" not in said.pop()


@pytest.mark.whole
def test_guessing_is_limited_by_address_and_by_person(alices: Team) -> None:
    way = link(alices)
    dana, stranger = browser("dana"), Client()
    for _ in range(BY_PERSON.most):
        assert dana.get("/join/abcd-efgh-jkmn").status_code == 404
    assert dana.get(way).status_code == 429
    assert dana.post(way, {"verb": "accept"}).status_code == 429
    # A right guess and a wrong one read the same, and when to come back.
    right, wrong = (dana.get(each) for each in (way, "/join/abcd-efgh-jkmn"))
    assert (right.status_code, wrong.status_code) == (429, 429)
    assert min(int(each["Retry-After"]) for each in (right, wrong)) > 0
    assert "새벽" not in right.text
    assert team_of(user("dana"), alices.competition) is None
    for _ in range(BY_ADDRESS.most - BY_PERSON.most):
        assert stranger.get("/join/abcd-efgh-jkmn").status_code == 404
    assert stranger.get(way).status_code == 429
    assert Client(REMOTE_ADDR="10.1.2.3").get(way).status_code == 200


def test_good_codes_are_no_guesses(alices: Team) -> None:
    dana, way = browser("dana"), link(alices)
    assert {dana.get(way).status_code for _ in range(BY_PERSON.most + 1)} == {200}


def test_a_contests_own_code_asks_for_an_account_whatever_its_form(contest: Competition) -> None:
    for code in ("CLASS-2026", "ABCD-EFGH-JKMN"):
        change_registration(
            competition=contest,
            user=user("olivia"),
            registration="code",
            code=code,
            at=builders.NOON,
        )
        assert Client().get(f"/join/{code}")["Location"].startswith("/accounts/signup")
        assert browser("dana").get(f"/join/{code}").status_code == 200


def test_the_page_says_who_invites_into_what_until_when(contest: Competition) -> None:
    captain = user("20260001")
    team = builders.team(contest, captain.username, called="새벽")
    way = f"/join/{invite_by_code(team=team, user=captain, at=timezone.now())[1]}"
    dana, stranger = (
        browser("dana").get(way).text,
        Client(headers={"accept-language": "ko"}).get(way).text,
    )
    closes = contest.closes_at.astimezone(contest.zoneinfo)
    for page in (dana, stranger):
        assert f"{closes:%H:%M}" in page
        assert "팀이 쓴 횟수" in page
        assert 'href="/c/talk/"' not in page  # a private contest, which neither may know of yet
    assert "20260001" in dana
    assert "20260001" not in stranger
    Competition.objects.update(is_private=False)
    assert 'href="/c/talk/"' in browser("dana").get(way).text


def test_terms_are_accepted_on_the_way(contest: Competition, alices: Team) -> None:
    change_terms(competition=contest, user=user("olivia"), text="약관", at=builders.NOON)
    dana, way = browser("dana"), link(alices)
    assert 'name="accepted"' in dana.get(way).text
    assert dana.post(way, {"verb": "accept", "terms": "1"}).status_code == 403
    assert team_of(user("dana"), contest) is None
    assert dana.post(way, {"verb": "accept", "terms": "1", "accepted": "on"}).status_code == 302


def test_of_a_contest_with_approval_one_asks_first(contest: Competition, alices: Team) -> None:
    change_registration(
        competition=contest, user=user("olivia"), registration="approval", at=builders.NOON
    )
    dana, way = browser("dana"), link(alices)
    page = dana.get(way).text
    assert 'value="ask"' in page
    assert 'value="accept"' not in page
    for odd in ({}, {"terms": "²"}, {"terms": "9" * 5000}):
        assert dana.post(way, {"verb": "ask", "accepted": "on", **odd}).status_code == 302
    assert "승인" in dana.get(way).text
    decide_request(
        request=JoinRequest.objects.get(), user=user("olivia"), approve=True, at=timezone.now()
    )
    assert dana.post(way, {"verb": "accept"}).status_code == 302
    assert team_of(user("dana"), contest) == alices


def test_an_invitation_by_name_is_for_one_person(contest: Competition, alices: Team) -> None:
    user("dana")
    invite_person(team=alices, user=user("alice"), username="dana", at=timezone.now())
    way = f"/invitations/{Invitation.objects.get().pk}"
    assert browser("erin").get(way).status_code == 404
    assert Client().get(way)["Location"].startswith("/accounts/login")
    dana = browser("dana")
    assert way in dana.get("/inbox").text
    assert "새벽" in dana.get(way).text
    assert dana.post(way, {"verb": "decline"}).status_code == 302
    answer = dana.post(way, {"verb": "accept"})
    assert answer.status_code == 404
    assert team_of(user("dana"), contest) is None
