"""What somebody is told, where mail goes, and the two links that mails bring."""

from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings
from django.core import mail
from django.test import Client
from django.utils import timezone

from leaderboard.inbox.models import MailAddress
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser

pytestmark = pytest.mark.django_db
NOTICES = "/settings/notices"


@pytest.fixture
def mail_on(settings: LazySettings) -> None:
    settings.MAIL_ON = True  # Django's tests keep what is sent in `mail.outbox`


def link(number: int, page: str) -> str:
    """The address in the mail of this number that leads to this page."""
    (found,) = {word for word in str(mail.outbox[number].body).split() if page in word}
    parts = urlsplit(found)
    return f"{parts.path}?{parts.query}"


def test_without_a_mail_server_nobody_is_asked() -> None:
    alice = browser("alice")
    assert 'name="address"' not in alice.get(NOTICES).text
    assert alice.post(NOTICES, {"verb": "ask", "address": "a@b.example"}).status_code == 409


@pytest.mark.usefixtures("mail_on")
def test_the_way_of_an_address() -> None:
    alice = browser("alice")
    assert alice.post(NOTICES, {"verb": "ask", "address": "a@b.example\nBcc: c"}).status_code == 422
    assert alice.post(NOTICES, {"verb": "ask", "address": "alice@home.example"}).status_code == 302
    assert "아직 확인되지 않았습니다" in alice.get(NOTICES).text
    builders.mail_out(at=timezone.now())
    where = link(0, "/settings/mail?")
    visitor = Client().get(where)
    assert visitor.status_code == 302
    assert "/accounts/login/" in visitor["Location"]
    assert browser("bob").get(where).status_code == 404
    assert "alice@home.example" in alice.get(where).text
    assert MailAddress.objects.get().confirmed_at is None  # a program that looks confirms nothing
    path, _, token = where.partition("?token=")
    assert alice.post(path, {"token": token})["Location"] == NOTICES
    assert alice.get(where).status_code == 404
    assert "alice@home.example" in alice.get(NOTICES).text
    alice.post(NOTICES, {"verb": "every", "every": "day"})
    assert MailAddress.objects.get().every == "day"
    assert "alice@home.example" not in browser("bob").get(NOTICES).text
    alice.post(NOTICES, {"verb": "remove"})
    assert not MailAddress.objects.exists()


@pytest.mark.usefixtures("mail_on")
def test_one_click_stops_mail_without_signing_in() -> None:
    builders.user("alice")
    browser("alice").post(NOTICES, {"verb": "ask", "address": "alice@home.example"})
    MailAddress.objects.update(confirmed_at=timezone.now())
    builders.mail_out(at=timezone.now())
    where = mail.outbox[0].extra_headers["List-Unsubscribe"].strip("<>")
    where = where.removeprefix("http://127.0.0.1:8000")
    stranger = Client(enforce_csrf_checks=True)
    assert "메일 수신 거부" in stranger.get(where).text
    assert MailAddress.objects.get().every == "now"
    for _ in range(2):  # as mail programs send it: RFC 8058
        answer = stranger.post(where, {"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
    assert "메일을 더 보내지 않습니다" in answer.text
    assert "alice" not in answer.text
    assert MailAddress.objects.get().every == "never"
    assert stranger.post(where + "x", {"List-Unsubscribe": "One-Click"}).status_code == 404
    browser("alice").post(NOTICES, {"verb": "every", "every": "now"})
    assert MailAddress.objects.get().every == "now"
