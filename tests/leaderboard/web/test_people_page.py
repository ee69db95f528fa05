"""The organizers' pages of people: who joins and how, roles, terms."""

import pytest
from django.test import Client

from leaderboard.actions.registration import request_to_join
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import role_of
from leaderboard.teams.queries import team_of
from tests.leaderboard.builders import NOON, user
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db

PEOPLE, ROLES, TERMS = (f"/c/talk/desk/{page}" for page in ("people", "organizers", "terms"))


def contest_with_editor() -> Competition:
    contest = running()
    Organizer.objects.create(competition=contest, user=user("eddie"), role="editor")
    return contest


def send(client: Client, verb: str, at: str = PEOPLE, **fields: str) -> tuple[int, str]:
    answer = client.post(at, {"verb": verb, **fields})
    return answer.status_code, answer.text


def test_an_owner_sees_whose_name_it_is_before_anything_is_done() -> None:
    contest = contest_with_editor()
    ada = user("ada")
    olivia = browser("olivia")
    status, text = send(olivia, "appoint", ROLES, username="ada", role="assistant")
    assert (status, role_of(ada, contest)) == (200, None)
    assert "조교" in text
    for seen in ("other", text.partition('name="seen" value="')[2].partition('"')[0]):
        assert role_of(ada, contest) is None
        send(olivia, "appoint", ROLES, username="ada", role="assistant", seen=seen)
    assert role_of(ada, contest) == "assistant"


def test_an_owner_who_leaves_is_led_out_of_the_desk() -> None:
    contest = contest_with_editor()
    Organizer.objects.filter(competition=contest, user=user("eddie")).update(role="owner")
    olivia = browser("olivia")
    answer = olivia.post(ROLES, {"verb": "dismiss", "username": "olivia"})
    assert answer.headers["Location"] == "/"
    assert olivia.get(ROLES).status_code == 404


def test_registration_is_saved_and_shows_the_address_to_hand_out() -> None:
    contest = contest_with_editor()
    eddie = browser("eddie")
    lines = "A@school.kr\r\nb@school.kr\r\n\r\na@School.kr\r\n"
    fields = {"registration": "allow-list", "code": "nlp-2026", "emails": lines}
    assert send(eddie, "register", **fields)[0] == 302
    page = eddie.get(PEOPLE).text
    assert "http://testserver/join/NLP-2026" in page
    assert "a@school.kr\nb@school.kr</textarea>" in page
    contest.refresh_from_db()
    assert contest.registration == "allow-list"
    browser("alice").post("/c/talk/join", {"email": "a@school.kr"})
    assert 'alice <span class="dim">직접 입력, 확인되지 않음</span></td>' in eddie.get(PEOPLE).text


def test_what_a_form_does_not_send_stays_as_it_was() -> None:
    """The code cannot be lost by a form of another way to join."""
    contest, eddie = contest_with_editor(), browser("eddie")
    fields = {"registration": "code", "code": "nlp-2026", "emails": "a@school.kr"}
    assert send(eddie, "register", **fields)[0] == 302
    for way in ("approval", "allow-list", "code"):
        assert send(eddie, "register", registration=way)[0] == 302
        contest.refresh_from_db()
        assert (contest.registration, contest.registration_code) == (way, "NLP-2026")
        assert contest.allowed_emails.count() == 1
    assert send(eddie, "register", registration="code", code="")[0] == 422


def test_requests_are_approved_and_declined() -> None:
    contest = contest_with_editor()
    Competition.objects.update(registration="approval")
    for name in ("alice", "bob"):
        request_to_join(user=user(name), competition=contest, team_name=f"<i>{name}", at=NOON)
    eddie = browser("eddie")
    page = eddie.get(PEOPLE).text
    assert "&lt;i&gt;alice" in page
    asked = {row.user.username: str(row.pk) for row in contest.join_requests.all()}
    assert send(eddie, "approve", request=asked["alice"])[0] == 302
    assert send(eddie, "decline", request=asked["bob"], reason="정원")[0] == 302
    assert team_of(user("alice"), contest) is not None
    assert team_of(user("bob"), contest) is None
    assert send(eddie, "decline", request=asked["alice"])[0] == 409
    assert send(eddie, "approve", request=asked["bob"])[0] == 302


def test_another_contests_request_is_not_here() -> None:
    contest_with_editor()
    other = running("other", registration="approval")
    asked = request_to_join(user=user("alice"), competition=other, at=NOON)
    for key in (str(asked.pk), "x", "9" * 30, ""):
        assert send(browser("eddie"), "approve", request=key)[0] == 404
    assert team_of(user("alice"), other) is None


def test_terms_are_saved_as_the_next_number() -> None:
    contest = contest_with_editor()
    eddie = browser("eddie")
    wording = {"text": "서로 **존중**합니다.", "text_en": "Be *kind*."}
    assert send(eddie, "change_terms", TERMS, **wording)[0] == 302
    assert "버전 1 · 0명 동의" in eddie.get(TERMS).text
    assert "Be" in browser("charlie", "en").get("/c/talk/terms").text
    send(eddie, "change_terms", TERMS, **wording)
    assert contest.terms.count() == 1
    assert send(eddie, "change_terms", TERMS, text="", text_en="x")[0] == 422
    send(eddie, "change_terms", TERMS, text="", text_en="")
    assert browser("charlie").get("/c/talk/terms").status_code == 404
