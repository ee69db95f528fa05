"""Tokens: shown once, kept as a hash, as far as their scope goes, until they end."""

import base64
import re
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any
from unittest.mock import patch

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from leaderboard.accounts import tokens
from leaderboard.accounts.models import ApiToken, User
from leaderboard.accounts.tokens import MOST
from leaderboard.actions.closing import close_account
from leaderboard.actions.people import make_password_link, make_token, use_password_link
from leaderboard.audit.models import AuditEvent
from leaderboard.inbox.models import Notification
from leaderboard.refusals import Refused
from tests.leaderboard import builders
from tests.leaderboard.api.calling import BASE, contest_url, json_of, program, token
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.pages import browser, csv_file, running
from tests.leaderboard.web.stage import build, secret_of, stop_clock

pytestmark = pytest.mark.django_db
FORM = {"verb": "make", "name": "notebook", "scope": "submit", "days": "90"}


def secret_read() -> str:
    """Olivia's token that only reads, in the time of the stage."""
    user = User.objects.get(username="olivia")
    return tokens.make(user=user, name="read", scope="read", days=30, at=NOON)[1]


def bearer(secret: str) -> Client:
    return Client(headers={"authorization": f"Bearer {secret}"})


def test_a_token_is_shown_once_and_kept_as_a_hash() -> None:
    alice = browser("alice")
    answer = alice.post("/settings/tokens", FORM)
    found = re.search(r'<code id="secret">(slb_[\w-]{43})</code>', answer.text)
    assert "no-store" in answer["Cache-Control"]
    kept = ApiToken.objects.get()
    assert found[1] not in str(ApiToken.objects.values())
    assert kept.expires_at - kept.made_at == timedelta(days=90)
    page = alice.get("/settings/tokens").text
    assert "notebook" in page
    assert found[1] not in page
    assert json_of(bearer(found[1]).get(f"{BASE}/me"))["username"] == "alice"
    assert AuditEvent.objects.filter(kind="account.token_made").count() == 1


def test_a_page_that_is_loaded_again_makes_no_second_token() -> None:
    alice = browser("alice")
    key = re.search('name="key" value="([0-9a-f]{32})"', alice.get("/settings/tokens").text)
    sent = FORM | {"key": key[1]}
    made = alice.post("/settings/tokens", sent)
    again = alice.post("/settings/tokens", sent)
    assert (made.status_code, again.status_code) == (200, 422)
    assert "slb_" not in again.text
    assert "이미 한 번 보여 드렸습니다" in again.text
    assert ApiToken.objects.count() == 1
    assert key[1] not in made.text  # the form below it is another one


def test_it_ends_by_its_person_alone() -> None:
    secret = token("alice")
    pk = ApiToken.objects.get().pk
    for other in ("charlie",):
        answer = browser(other).post("/settings/tokens", {"verb": "end", "id": pk})
        assert answer.status_code == 404
    browser("alice").post("/settings/tokens", {"verb": "end", "id": pk})
    assert json_of(bearer(secret).get(f"{BASE}/me"), 401)["code"] == "token_unusable"


def test_what_is_no_token_is_refused_even_where_none_is_needed() -> None:
    running()
    for said in ["Bearer", "Bearer slb_x", "Token x", "Basic x", "Basic eDp5", ""]:
        for where in (f"{BASE}/me", f"{BASE}/competitions"):
            answer = Client(headers={"authorization": said}).get(where)
            assert json_of(answer, 401)["code"] == "token_unusable"
            assert answer["WWW-Authenticate"].startswith("Bearer")


def test_an_expired_token_and_one_of_a_closed_account_are_none() -> None:
    old = token("alice", days=30, age=timedelta(days=31))
    assert bearer(old).get(f"{BASE}/me").status_code == 401
    living = token("alice")
    assert bearer(living).get(f"{BASE}/me").status_code == 200
    close_account(user=User.objects.get(), password="alice-secret", at=timezone.now())
    assert bearer(living).get(f"{BASE}/me").status_code == 401
    assert not ApiToken.objects.exists()


def test_who_must_choose_another_password_does_that_first() -> None:
    secret = token("alice")
    User.objects.update(must_change_password=True)
    assert json_of(bearer(secret).get(f"{BASE}/me"), 403)["code"] == "password_first"


def test_a_scope_goes_so_far() -> None:
    builders.team(running(), "alice")
    reads = program("alice", "read")
    answer = reads.post(contest_url("/submissions"), {"file": csv_file()})
    assert json_of(answer, 403)["code"] == "token_scope"
    assert reads.get(contest_url("/submissions")).status_code == 200
    submits = program("alice", "submit")
    assert submits.post(contest_url("/submissions"), {"file": csv_file()}).status_code == 201


def test_it_is_the_password_of_its_person_for_who_knows_no_bearer() -> None:
    secret = token("alice")

    def basic(name: str) -> Client:
        said = base64.b64encode(f"{name}:{secret}".encode()).decode()
        return Client(headers={"authorization": f"Basic {said}"})

    assert json_of(basic("alice").get(f"{BASE}/me"))["username"] == "alice"
    assert basic("charlie").get(f"{BASE}/me").status_code == 401


def test_a_session_is_nobody_here() -> None:
    builders.team(running(), "alice")
    alice = browser("alice")
    assert json_of(alice.get(f"{BASE}/me"), 401)["code"] == "no_token"
    answer = alice.post(contest_url("/submissions"), {"file": csv_file()})
    assert json_of(answer, 401)["code"] == "no_token"


def test_use_is_kept_to_the_hour() -> None:
    secret = token("alice")
    bearer(secret).get(f"{BASE}/me")
    first = ApiToken.objects.get().last_used_at
    bearer(secret).get(f"{BASE}/me")
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(hours=2))
    bearer(secret).get(f"{BASE}/me")
    assert ApiToken.objects.get().last_used_at != first - timedelta(hours=2)


def test_nobody_has_more_than_so_many() -> None:
    for _ in range(MOST):
        token("alice")
    answer = browser("alice").post("/settings/tokens", FORM)
    assert answer.status_code == 409
    assert ApiToken.objects.count() == MOST
    ApiToken.objects.update(expires_at=timezone.now())
    assert browser("alice").post("/settings/tokens", FORM).status_code == 200


def test_who_runs_a_contest_does_so_with_that_scope_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A token in a notebook opens no private board."""
    build()
    stop_clock(monkeypatch, NOON)
    runs = bearer(secret_of("olivia"))
    reads = bearer(secret_read())
    private = contest_url("/leaderboard?board=private")
    assert runs.get(private).status_code == 200
    assert reads.get(private).status_code == 404
    assert json_of(reads.get(contest_url()))["role"] is None
    assert json_of(reads.get(contest_url("/leaderboard")))["board"] == "public"


def by_its_page() -> None:
    sent = {"oldpassword": "alice-secret", **TWICE}
    assert browser("alice").post("/accounts/password/change/", sent).status_code == 302


def by_link() -> None:
    alice = User.objects.get(username="alice")
    link = make_password_link(user=alice, made_by=None, at=timezone.now())
    use_password_link(token=link, password=NEW, at=timezone.now())


def by_the_administrator(sent: dict[str, str]) -> None:
    builders.user("sue")
    User.objects.filter(username="sue").update(is_superuser=True, is_staff=True)
    alice = User.objects.get(username="alice")
    page = f"/admin/accounts/user/{alice.pk}/password/"
    assert browser("sue").post(page, sent).status_code == 302


def by_command() -> None:
    with patch("getpass.getpass", return_value=NEW):  # it asks a terminal
        call_command("changepassword", "alice", stdout=StringIO())


NEW = "another-long-one-7"
TWICE = {"password1": NEW, "password2": NEW}
TAKEN = {"usable_password": "false", "unset-password": "1"}
ROADS: dict[str, Callable[[], Any]] = {
    "page": by_its_page,
    "link": by_link,
    "administrator": lambda: by_the_administrator({**TWICE, "usable_password": "true"}),
    "administrator, none": lambda: by_the_administrator(TAKEN),
    "command": by_command,
    "everywhere": lambda: browser("alice").post("/settings/sessions"),
}


@pytest.mark.parametrize("road", ROADS)
def test_tokens_end_with_the_password_and_with_all_sessions(road: str) -> None:
    ended, other = token("alice", "organize"), token("charlie")
    assert bearer(ended).get(f"{BASE}/me").status_code == 200
    ROADS[road]()
    assert bearer(ended).get(f"{BASE}/me").status_code == 401
    assert bearer(other).get(f"{BASE}/me").status_code == 200


def test_a_stronger_hash_of_the_same_password_ends_none(settings: Any) -> None:
    kept = token("alice")
    stronger = "django.contrib.auth.hashers.PBKDF2PasswordHasher"
    settings.PASSWORD_HASHERS = [stronger, *settings.PASSWORD_HASHERS]
    before = User.objects.get().password
    assert Client().login(username="alice", password="alice-secret")
    assert User.objects.get().password != before
    assert bearer(kept).get(f"{BASE}/me").status_code == 200


def test_one_that_runs_contests_takes_the_password_and_is_told() -> None:
    olivia = browser("olivia")
    wanted = FORM | {"scope": "organize", "days": "365"}
    for wrong in ({}, {"password": ""}, {"password": "olivia-secre"}):
        assert olivia.post("/settings/tokens", wanted | wrong).status_code == 422
    assert not ApiToken.objects.exists()
    assert not Notification.objects.exists()
    made = olivia.post("/settings/tokens", wanted | {"password": "olivia-secret"})
    assert "slb_" in made.text
    assert "olivia-secret" not in made.text
    told = Notification.objects.get()
    assert (told.user.username, told.kind) == ("olivia", "account")
    assert told.data["values"] == {"name": "notebook"}
    assert 'href="/settings"' in olivia.get("/inbox").text.partition("<main")[2]


def test_the_password_is_guessed_there_no_more_often_than_at_the_sign_in() -> None:
    olivia, wanted = browser("olivia"), FORM | {"scope": "organize", "password": "wrong"}
    codes = {olivia.post("/settings/tokens", wanted).status_code for _ in range(12)}
    assert codes == {422, 429}
    assert olivia.post("/settings/tokens", FORM).status_code == 200


def test_a_token_that_was_asked_for_before_the_password_changed_is_not_made() -> None:
    before = builders.user("alice")
    by_its_page()
    with pytest.raises(Refused, match="wrong_password"):
        make_token(user=before, name="x", scope="read", days=7, password="", at=timezone.now())
