"""The join page in its four kinds, the address with a code, and the page of the terms."""

from typing import Any
from urllib.parse import quote

import pytest

from leaderboard.actions.competition import change_registration, change_terms
from leaderboard.actions.registration import decide_request
from leaderboard.competitions.models import Competition, TermsAcceptance
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import JoinRequest
from leaderboard.teams.queries import team_of
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON, user
from tests.leaderboard.web.pages import browser, csv_file, running

pytestmark = pytest.mark.django_db

JOIN, TERMS = "/c/talk/join", "/c/talk/terms"


def contest_with(kind: str, code: str = "", emails: tuple[str, ...] = (), **fields: Any) -> Any:
    contest = running(**fields)
    change_registration(
        competition=contest,
        user=user("olivia"),
        registration=kind,
        code=code,
        emails=emails,
        at=NOON,
    )
    contest.refresh_from_db()
    return contest


def write_terms(contest: Competition, text: str) -> None:
    change_terms(competition=contest, user=user("olivia"), text=text, at=NOON)


def is_in(name: str, contest: Competition) -> bool:
    return team_of(user(name), contest) is not None


# --- The page -------------------------------------------------------------------------------------


def test_a_wrong_code_is_said_beside_its_field_and_the_right_one_lets_in() -> None:
    contest = contest_with("code", "NLP-2026")
    alice = browser("alice")
    answer = alice.post(JOIN, {"code": "NLP-2027", "team_name": "새벽"})
    assert answer.status_code == 403
    assert 'value="새벽"' in answer.text
    assert "NLP-2026" not in answer.text
    assert alice.post(JOIN, {"code": "nlp-2026", "team_name": "새벽"}).status_code == 302
    assert is_in("alice", contest)


def test_guessing_codes_is_stopped_even_for_the_right_one() -> None:
    contest = contest_with("code", "NLP-2026", is_private=True)
    alice = browser("alice")
    # Ten wrong ones in five minutes, typed or in the address, as the settings say.
    for number in range(10):
        assert alice.get(f"/join/NLP-20{number:02}").status_code == 404
    assert alice.get("/join/NLP-2026").status_code == 429
    assert alice.post("/join/NLP-2026", {}).status_code == 429
    assert not is_in("alice", contest)
    assert browser("bob").get("/join/NLP-2026").status_code == 200  # somebody else of the class


def test_guessing_listed_addresses_is_stopped_too() -> None:
    contest = contest_with("allow-list", emails=("alice@school.kr",))
    alice = browser("alice")
    for number in range(10):
        assert alice.post(JOIN, {"email": f"a{number}@school.kr"}).status_code == 403
    assert alice.post(JOIN, {"email": "alice@school.kr"}).status_code == 429
    assert not is_in("alice", contest)


def test_a_listed_address_is_asked_for_by_each_contest_and_said_to_be_unverified() -> None:
    contest = contest_with("allow-list", emails=("alice@school.kr",))
    alice = browser("alice")
    page = alice.get(JOIN).text
    assert 'name="email"' in page
    assert "이 대회에서만 쓰고" in page
    assert alice.post(JOIN, {"email": "alice@school.kr"}).status_code == 302
    assert is_in("alice", contest)
    other = contest_with("allow-list", emails=("alice@school.kr",), slug="other")
    page = alice.get("/c/other/join").text
    assert 'name="email"' in page, "typed for one contest, it counts in no other"
    assert "alice@school.kr" not in page
    assert alice.post("/c/other/join", {"email": "alice@school.kr"}).status_code == 302
    assert is_in("alice", other)
    desk = browser("olivia").get("/c/other/desk/people").text
    assert "직접 입력, 확인되지 않음" in desk


def test_who_asked_waits_and_reads_the_decision() -> None:
    contest = contest_with("approval")
    alice = browser("alice")
    assert "참가 신청" in alice.get(JOIN).text
    answer = alice.post(JOIN, {"team_name": "새벽"})
    assert answer.headers["Location"] == JOIN
    assert "주최자의 승인을 기다립니다" in alice.get(JOIN).text
    assert "참가 승인을 기다립니다" in alice.get("/c/talk/").text
    asked = JoinRequest.objects.get()
    who = {"request": asked, "user": user("olivia"), "at": NOON}
    decide_request(approve=False, reason="<b>다음에</b>", **who)
    assert "받아들여지지 않았습니다" in alice.get(JOIN).text
    assert "&lt;b&gt;다음에&lt;/b&gt;" in alice.get("/inbox").text
    decide_request(approve=True, **who)
    assert alice.get(JOIN).headers["Location"] == "/c/talk/data"
    assert is_in("alice", contest)


# --- The address with a code ----------------------------------------------------------------------


def test_the_code_opens_a_private_contest_and_shows_its_title_alone() -> None:
    contest = contest_with("code", "NLP-2026", is_private=True)
    builders.team(running("other"), "bob", called="다른 팀")
    alice = browser("alice")
    assert alice.get("/c/talk/").status_code == 404
    assert alice.get(JOIN).status_code == 404
    page = alice.get("/join/nlp-2026").text
    assert "일상 대화 요약" in page
    assert 'href="/c/talk/' not in page
    assert 'name="code"' not in page
    assert alice.get("/join/NLP-2027").status_code == 404
    answer = alice.post("/join/nlp-2026", {"team_name": "새벽"})
    assert answer.headers["Location"] == "/c/talk/data"
    assert is_in("alice", contest)
    assert alice.get("/c/talk/").status_code == 200


def test_a_visitor_signs_up_first_whatever_the_code() -> None:
    contest_with("code", "NLP-2026", is_private=True)
    right, wrong = (browser().get(f"/join/{code}") for code in ("NLP-2026", "NLP-2027"))
    assert right.headers["Location"] == "/accounts/signup/?next=/join/NLP-2026"
    assert wrong.headers["Location"] == "/accounts/signup/?next=/join/NLP-2027"
    # Nor does the page with the form tell which code is right.
    pages = [browser().get(answer.headers["Location"]).text for answer in (right, wrong)]
    assert not any("일상 대화 요약" in page for page in pages)


# --- From a stranger to the dialogues -------------------------------------------------------------


def test_a_stranger_who_joins_signs_up_and_comes_back() -> None:
    contest_with("open")
    stranger = browser()
    sign_up = stranger.get(JOIN).headers["Location"]
    assert sign_up == f"/accounts/signup/?next={JOIN}"
    page = stranger.get(sign_up).text
    assert f"/accounts/login/?next={quote(JOIN, safe='')}" in page, "who has an account comes along"
    secret = "a-long-enough-secret"
    typed = {"username": "newcomer", "password1": secret, "password2": secret, "next": JOIN}
    assert stranger.post("/accounts/signup/", typed).headers["Location"] == JOIN
    joined = stranger.post(JOIN, {"team_name": "새벽"})
    assert joined.headers["Location"] == "/c/talk/data", "where the dialogues are"


def test_an_odd_next_breaks_no_page() -> None:
    contest_with("open")
    for where in ["https://elsewhere.example/c/talk/", "//x/c/talk/", "\x01", "["]:
        for page in ["login", "signup"]:
            answer = browser().get(f"/accounts/{page}/", {"next": where})
            assert answer.status_code == 200


# --- Terms ----------------------------------------------------------------------------------------


def test_joining_shows_the_terms_and_needs_the_box() -> None:
    contest = contest_with("open")
    write_terms(contest, "서로 **존중**합니다. <script>alert(1)</script>")
    alice = browser("alice")
    page = alice.get(JOIN).text
    assert "<strong>존중</strong>" in page
    assert "<script>alert" not in page
    answer = alice.post(JOIN, {"team_name": "새벽", "terms": "1"})
    assert answer.status_code == 403
    assert (
        alice.post(JOIN, {"team_name": "새벽", "terms": "1", "accepted": "on"}).status_code == 302
    )
    kept = TermsAcceptance.objects.get()
    assert (kept.user.username, kept.terms.number) == ("alice", 1)


def test_new_terms_stand_before_files_and_submissions_with_a_way_back() -> None:
    contest = contest_with("open")
    builders.team(contest, "alice")
    alice = browser("alice")
    assert alice.get(TERMS).status_code == 404
    assert alice.get("/c/talk/data/sample_submission.csv").status_code == 200
    write_terms(contest, "하나")
    for where in ("/c/talk/", "/c/talk/data", "/c/talk/submit"):
        assert f'href="{TERMS}?next={where}"' in alice.get(where).text
    sample = alice.get("/c/talk/data/sample_submission.csv")
    assert sample.headers["Location"] == f"{TERMS}?next=/c/talk/data"
    form = {"key": "k", "note": "", "method_name": ""}
    refused = alice.post("/c/talk/submit", {"file": csv_file(), **form})
    assert refused.status_code == 403
    checked = alice.post("/c/talk/submit/check", {"file": csv_file()})
    assert "아직 동의하지 않았습니다" in checked.text
    agreed = {"terms": "1", "accepted": "on", "next": "/c/talk/data"}
    assert alice.post(TERMS, {**agreed, "accepted": ""}).status_code == 422
    assert alice.post(TERMS, {**agreed, "terms": "7"}).status_code == 409
    assert alice.post(TERMS, agreed).headers["Location"] == "/c/talk/data"
    assert alice.get("/c/talk/data/sample_submission.csv").status_code == 200
    assert "동의할 약관이 있습니다" not in alice.get("/c/talk/submit").text
    assert "에 동의했습니다" in alice.get(TERMS).text
    assert alice.post("/c/talk/submit", {"file": csv_file(), **form}).status_code == 302
    assert Submission.objects.count() == 1
