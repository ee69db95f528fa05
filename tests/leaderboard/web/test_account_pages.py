"""A person's own account: settings, a new password, closing."""

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.accounts.models import User
from leaderboard.actions.people import make_password_link
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db
LINK = "/accounts/password/link"
NEW = "a-long-new-one-7"


def link(name: str = "alice") -> str:
    return make_password_link(user=builders.user(name), made_by=None, at=timezone.now())


def test_a_link_leads_to_a_new_password_and_works_once() -> None:
    token, visitor = link(), Client()
    page = visitor.get(LINK, {"token": token})
    assert "alice" in page.text
    assert "no-store" in page.headers["Cache-Control"]
    sent = {"token": token, "password1": NEW, "password2": NEW}
    weak = visitor.post(LINK, {**sent, "password1": "1234", "password2": "1234"})
    assert weak.status_code == 422
    different = visitor.post(LINK, {**sent, "password2": "other"})
    assert "두 비밀번호가 다릅니다" in different.text
    assert visitor.post(LINK, sent).headers["Location"] == "/accounts/login/"
    assert builders.user("alice").check_password(NEW)
    for again in (visitor.post(LINK, sent), visitor.get(LINK, {"token": token}), visitor.get(LINK)):
        assert again.status_code == 404


def test_the_administrator_makes_links_on_the_page_of_accounts() -> None:
    for name in ("alice", "bob", "sue"):
        builders.user(name)
    User.objects.filter(username="sue").update(is_superuser=True, is_staff=True)
    User.objects.filter(username="bob").update(is_active=False)
    chosen = User.objects.filter(username__in=("alice", "bob")).values_list("pk", flat=True)
    sent = {"action": "password_links", "_selected_action": list(chosen)}
    answer = browser("sue").post("/admin/accounts/user/", sent)
    assert "no-store" in answer.headers["Cache-Control"]
    token = answer.text.partition("?token=")[2].partition("<")[0]
    assert answer.text.count("?token=") == 1
    assert Client().get(LINK, {"token": token}).status_code == 200


def test_a_printed_password_must_be_changed_before_anything_else() -> None:
    running()
    alice = browser("alice")
    User.objects.filter(username="alice").update(must_change_password=True)
    for where in ("/", "/c/talk/", "/inbox", "/settings"):
        answer = alice.get(where)
        assert answer.headers["Location"].startswith("/accounts/password/change/?next=")
    assert alice.get("/livez").status_code == 200
    page = alice.get("/accounts/password/change/?next=/c/talk/")
    assert "받은 비밀번호는 다른 사람도 알고 있습니다" in page.text
    sent = {"oldpassword": "alice-secret", "next": "/c/talk/"}
    same = {"password1": "alice-secret", "password2": "alice-secret"}
    refused = alice.post("/accounts/password/change/", {**sent, **same})
    assert "받은 비밀번호와 다른 것" in refused.text
    done = alice.post("/accounts/password/change/", {**sent, "password1": NEW, "password2": NEW})
    assert done.headers["Location"] == "/c/talk/"
    assert alice.get("/c/talk/").status_code == 200


def test_settings_keep_language_and_display() -> None:
    alice = browser("alice")
    assert alice.post("/settings", {"language": "en", "theme": "dark"}).status_code == 302
    page = alice.get("/settings").text
    assert '<html lang="en" data-theme="dark">' in page
    assert builders.user("alice").language == "en"
    assert alice.post("/settings", {"language": "xx", "theme": "pink"}).status_code == 422


def test_closing_asks_for_the_password_and_ends_every_session() -> None:
    contest = running()
    builders.team(contest, "alice")
    alice, elsewhere = browser("alice"), browser("alice")
    assert "탈퇴한 팀" in alice.get("/accounts/close").text
    assert alice.post("/accounts/close", {"password": "alice-secret"}).status_code == 422
    wrong = alice.post("/accounts/close", {"password": "x", "sure": "on"})
    assert (wrong.status_code, "비밀번호가 올바르지 않습니다" in wrong.text) == (422, True)
    done = alice.post("/accounts/close", {"password": "alice-secret", "sure": "on"})
    assert done.headers["Location"] == "/"
    assert "탈퇴했습니다" in alice.get("/").text
    assert elsewhere.get("/settings").status_code == 302
    signing_in = {"login": "alice", "password": "alice-secret"}
    assert Client().post("/accounts/login/", signing_in).status_code == 200
