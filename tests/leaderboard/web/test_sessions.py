"""Where a person is signed in, and signing out there."""

import pytest
from allauth.usersessions.models import UserSession
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.accounts import sessions
from leaderboard.actions.closing import close_account
from leaderboard.audit.models import AuditEvent
from tests.leaderboard.builders import user
from tests.leaderboard.web.pages import browser

pytestmark = pytest.mark.django_db
PHONE = (
    "Mozilla/5.0 (Linux; Android 15; SM-S921N) AppleWebKit/537.36 (KHTML, like Gecko) "
    "SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36"
)
LAPTOP = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/140.0.0.0 Safari/537.36"
)
NEW = "a-long-new-one-7"


def sign_in(described: str, name: str = "alice") -> Client:
    user(name)
    device = Client(headers={"user-agent": described})
    sent = {"login": name, "password": f"{name}-secret"}
    assert device.post("/accounts/login/", sent).status_code == 302
    return device


def is_in(device: Client) -> bool:
    return device.get("/inbox").status_code == 200


def key_of(device: Client) -> str:
    return device.cookies["sessionid"].value


def number(device: Client) -> int:
    return UserSession.objects.get(session_key=key_of(device)).pk


def test_each_device_is_named_in_plain_words_and_this_one_is_marked() -> None:
    phone, laptop = sign_in(PHONE), sign_in(LAPTOP)
    sign_in("curl/8.1", "bob")
    page = laptop.get("/settings").text.partition("<main")[2]
    assert "Android · Samsung Internet" in page
    assert "Windows · Chrome" in page
    assert page.index("Windows · Chrome") < page.index("지금 이 기기") < page.index("Android")
    assert page.count("127.0.0.1") == 3, "of each device, and in the words of the button"
    assert (
        "Unknown device"
        in sign_in("?", "bob").get("/settings", headers={"accept-language": "en"}).text
    )
    assert is_in(phone)


def test_one_device_is_signed_out_and_the_others_stay() -> None:
    phone, laptop, tablet = sign_in(PHONE), sign_in(LAPTOP), sign_in(PHONE)
    gone = number(phone)
    answer = laptop.post("/settings/sessions", {"session": gone})
    assert answer.headers["Location"] == "/settings#sessions"
    assert (is_in(phone), is_in(laptop), is_in(tablet)) == (False, True, True)
    assert laptop.post("/settings/sessions", {"session": gone}).status_code == 404


def test_nobody_elses_session_can_be_ended() -> None:
    alices, bobs = sign_in(PHONE), sign_in(LAPTOP, "bob")
    for pk in (str(number(alices)), "0", "x", "9" * 30):
        assert bobs.post("/settings/sessions", {"session": pk}).status_code == 404
    assert is_in(alices)
    assert alices.get("/settings/sessions").status_code == 405
    assert Client().post("/settings/sessions").headers["Location"].startswith("/accounts/login/")


def test_all_others_are_signed_out_also_those_that_no_list_has() -> None:
    phone, laptop = sign_in(PHONE), sign_in(LAPTOP)
    older = browser("alice")  # signed in before sessions were listed
    assert is_in(older)
    bobs = sign_in(PHONE, "bob")
    assert laptop.post("/settings/sessions").status_code == 302
    assert [is_in(one) for one in (phone, older, laptop, bobs)] == [False, False, True, True]
    page = laptop.get("/settings").text
    assert "Windows · Chrome" in page
    assert "Android" not in page
    assert is_in(sign_in(PHONE)), "and sign in again"
    assert laptop.post("/settings/sessions").status_code == 302, "a second time"
    assert is_in(laptop)
    assert AuditEvent.objects.filter(kind="account.sessions_ended").count() == 2


def test_a_changed_password_signs_out_everywhere_else() -> None:
    phone, laptop = sign_in(PHONE), sign_in(LAPTOP)
    sent = {"oldpassword": "alice-secret", "password1": NEW, "password2": NEW}
    assert laptop.post("/accounts/password/change/", sent).status_code == 302
    assert (is_in(phone), is_in(laptop)) == (False, True)
    page = laptop.get("/settings").text
    assert "Windows · Chrome" in page
    assert "Android" not in page


def test_looking_writes_nothing_and_sending_notes_the_time_once_an_hour() -> None:
    laptop = sign_in(LAPTOP)
    sign_in(PHONE)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        laptop.get("/settings")
    assert not [one for one in asked if not one["sql"].startswith("SELECT")]
    long_ago = timezone.now() - sessions.SEEN_EVERY * 2
    UserSession.objects.update(last_seen_at=long_ago)
    laptop.post("/settings", {"language": "ko", "theme": ""})
    seen = UserSession.objects.get(pk=number(laptop)).last_seen_at
    assert seen > long_ago
    laptop.post("/settings", {"language": "ko", "theme": ""})
    assert UserSession.objects.get(pk=number(laptop)).last_seen_at == seen
    assert UserSession.objects.exclude(pk=number(laptop)).get().last_seen_at == long_ago


def test_signing_out_and_closing_leave_no_row() -> None:
    laptop = sign_in(LAPTOP)
    laptop.post("/accounts/logout/")
    assert "Windows" not in sign_in(PHONE).get("/settings").text
    close_account(user=user("alice"), password="alice-secret", at=timezone.now())
    assert not UserSession.objects.exists()
