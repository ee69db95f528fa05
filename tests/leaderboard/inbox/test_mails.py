"""Mail: each at least once, one in doubt at most, whatever the mail server does."""

import re
from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import EmailMessage
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import LazySettings
from django.core.mail import EmailMessage as Message
from django.db import connection, transaction

from leaderboard.accounts.models import User
from leaderboard.actions import mails as sending
from leaderboard.actions.mails import (
    ask_for_mail,
    choose_how_often,
    confirm_mail,
    remove_mail,
    stop_mail,
    written,
)
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.inbox import mails
from leaderboard.inbox.models import MailAddress, Notification
from leaderboard.inbox.news import SENTENCES
from leaderboard.inbox.tell import tell
from leaderboard.outbox.models import Message as Sent
from leaderboard.refusals import Refused
from tests.leaderboard.builders import competition, mail_address, mail_out, user
from tests.leaderboard.material import NOON
from tests.leaderboard.payloads import PAYLOADS
from tests.mail_server import MailServer

pytestmark = pytest.mark.django_db
Kind = Notification.Kind
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture(autouse=True)
def mail_on(settings: LazySettings) -> None:
    settings.MAIL_ON = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    settings.EMAIL_TIMEOUT = 2


@pytest.fixture
def server(settings: LazySettings) -> Iterator[MailServer]:
    with MailServer() as running:
        settings.EMAIL_PORT = running.port
        yield running


def reader(name: str, **fields: object) -> User:
    """Somebody with a confirmed address."""
    return mail_address(name, **fields).user


def told(*people: User, kind: Kind = Kind.ANSWERED, number: int = 1, **data: Any) -> None:
    for _ in range(number):
        tell(
            users=people,
            kind=kind,
            subject=uuid4(),
            competition=UUID(int=9),
            competition_slug="talk",
            data=data,
            at=NOON,
        )


def text(mail: EmailMessage) -> str:
    return str(mail.get_content())


# --- What is sent, and when ----------------------------------------------------------------------


def test_what_is_new_goes_out_as_one_mail(server: MailServer) -> None:
    contest = competition()
    alice = reader("alice")
    rows = Notification.objects.filter(user=alice)
    told(alice, kind=Kind.FAILED, number=13)
    told(alice, kind=Kind.ANNOUNCED, ko="내일 점검합니다", en="Maintenance tomorrow")
    rows.update(competition=contest.pk)
    assert mail_out(at=NOON) == 1
    (mail,) = server.mails
    assert mail["To"] == "alice@school.example"
    assert "새 알림 14건" in mail["Subject"]
    assert text(mail).count("[일상 대화 요약]") == 2
    assert "(13)" in text(mail)
    assert "내일 점검합니다" in text(mail)
    assert mail.get_content_type() == "text/plain"
    assert mail_out(at=NOON + MINUTE) == 0
    told(alice)
    assert mail_out(at=NOON + MINUTE) == 1
    choose_how_often(user=alice, every="day", at=NOON + 2 * HOUR)
    told(alice)
    assert mail_out(at=NOON + 2 * HOUR) == 1
    told(alice)
    assert mail_out(at=NOON + 25 * HOUR) == 0
    assert mail_out(at=NOON + 26 * HOUR) == 1
    choose_how_often(user=alice, every="never", at=NOON + 50 * HOUR)
    told(alice)
    assert mail_out(at=NOON + 100 * HOUR) == 0


def test_it_is_written_in_the_language_of_its_reader(server: MailServer) -> None:
    reader("alice")
    User.objects.filter(username="alice").update(language="en")
    told(user("alice"), kind=Kind.ANNOUNCED, ko="내일 점검합니다", en="Maintenance tomorrow")
    mail_out(at=NOON)
    assert "New notices: 1" in server.mails[0]["Subject"]
    assert "Maintenance tomorrow" in text(server.mails[0])


def test_what_was_read_meanwhile_is_not_mailed(server: MailServer) -> None:
    alice = reader("alice")
    told(alice)
    Notification.objects.update(read_at=NOON)
    assert mail_out(at=NOON) == 0
    told(alice)
    assert mail_out(at=NOON) == 1  # and the hour has not begun


def test_the_new_words_are_mailed_to_who_wants_them_and_has_not_read_them(
    server: MailServer,
) -> None:
    people = [reader(name) for name in ("alice", "bob", "carol", "dana")]
    told(*people)
    subject = Notification.objects.values_list("subject", flat=True)[0]
    mail_out(at=NOON)
    assert len(server.mails) == 4
    choose_how_often(user=people[2], every="never", at=NOON)
    remove_mail(user=people[3])
    words = {"ko": "고친 말"}
    tell(users=people, kind=Kind.ANSWERED, subject=subject, data=words, at=NOON, again=True)
    Notification.objects.filter(user=people[0]).update(read_at=NOON)
    mail_out(at=NOON + HOUR)
    assert len(server.mails) == 5
    assert server.recipients["bob@school.example"] == 2


def test_without_a_mail_server_nothing_is_asked_or_made(settings: LazySettings) -> None:
    settings.MAIL_ON = False
    alice = reader("alice")
    told(alice)
    assert mail_out(at=NOON) == 0
    assert not Sent.objects.exists()
    with pytest.raises(Refused, match="no_mail_server"):
        ask_for_mail(user=alice, address="alice@home.example", at=NOON)


# --- Addresses -----------------------------------------------------------------------------------


def link(mail: EmailMessage) -> str:
    found = re.search(r"/settings/mail\?token=(\w+)", text(mail))
    assert found is not None
    return found[1]


def test_only_a_followed_link_makes_an_address(server: MailServer) -> None:
    alice = user("alice")
    ask_for_mail(user=alice, address="alice@home.example", at=NOON)
    told(alice)
    assert mail_out(at=NOON) == 1
    token = link(server.mails[0])
    row = MailAddress.objects.get()
    assert token not in (row.token_sha256, str(row.pk))
    for who, when in (("bob", NOON), ("alice", NOON + timedelta(hours=24))):
        with pytest.raises(Refused, match="mail_link_unusable"):
            confirm_mail(user=user(who), token=token, at=when)
    confirm_mail(user=alice, token=token, at=NOON + HOUR)
    with pytest.raises(Refused, match="mail_link_unusable"):
        confirm_mail(user=alice, token=token, at=NOON + HOUR)
    told(alice)
    assert mail_out(at=NOON + HOUR) == 1
    assert server.recipients == {"alice@home.example": 2}


def test_another_address_takes_the_place_once_it_is_confirmed(server: MailServer) -> None:
    alice = reader("alice", every="day")
    ask_for_mail(user=alice, address="alice@typo.example", at=NOON)
    ask_for_mail(user=alice, address="alice@home.example", at=NOON)
    assert mail_out(at=NOON) == 1  # the first was forgotten
    confirm_mail(user=alice, token=link(server.mails[0]), at=NOON)
    kept = MailAddress.objects.get()
    assert (kept.address, kept.every) == ("alice@home.example", "day")
    told(alice)
    remove_mail(user=alice)
    assert mail_out(at=NOON + HOUR) == 0
    assert not Sent.objects.exists()


def test_nobody_is_flooded_with_links() -> None:
    for name in ("alice", "bob", "carol"):
        ask_for_mail(user=user(name), address="Victim@home.example", at=NOON)
    with pytest.raises(Refused, match="too_many_tries"):
        ask_for_mail(user=user("dana"), address="victim@home.example", at=NOON)
    for number in range(4):
        ask_for_mail(user=user("alice"), address=f"a{number}@home.example", at=NOON)
    with pytest.raises(Refused, match="too_many_tries"):
        ask_for_mail(user=user("alice"), address="a9@home.example", at=NOON)


def test_the_link_in_every_mail_stops_all_that_waits(server: MailServer) -> None:
    alice = reader("alice")
    told(alice)
    mail_out(at=NOON)
    header = server.mails[0]["List-Unsubscribe"]
    assert server.mails[0]["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    token = header.strip("<>").partition("token=")[2].replace("%3A", ":")
    told(alice)
    mails.collect(at=NOON + HOUR)
    told(alice)
    stop_mail(token=token, at=NOON + HOUR)
    stop_mail(token=token, at=NOON + HOUR)
    assert mail_out(at=NOON + 2 * HOUR) == 0
    choose_how_often(user=alice, every="now", at=NOON + 2 * HOUR)
    assert mail_out(at=NOON + 2 * HOUR) == 0
    for forged in ("", token[:-1], str(uuid4()), "x:y"):
        with pytest.raises(Refused, match="mail_link_unusable"):
            stop_mail(token=forged, at=NOON)


# --- Hostile texts -------------------------------------------------------------------------------


def made(person: User) -> Message:
    mails.collect(at=NOON)
    message = written(Sent.objects.get(user=person), MailAddress.objects.get(user=person))
    assert message is not None
    return message


LINES = (
    "\r\nBcc: all@evil.example",
    "\nSubject: x\n\n<b>",
    "\u2028Cc: a@b",
    "\0a\x0bb\x85c",
    "=?utf-8?q?x=0A?=",
)


def test_whatever_is_written_a_mail_is_plain_text_with_headers_of_ours() -> None:
    contest = competition()
    plain, olivia = reader("alice"), reader("olivia")
    told(plain)
    usual = made(plain).message()
    keeps_nul = not connection.features.prohibits_null_characters_in_text_exception
    for number, words in enumerate((*LINES, *PAYLOADS)):
        if "\0" in words and not keeps_nul:  # no form lets it in, and here no table
            continue
        title = words * 3 if number < len(LINES) else words
        Competition.objects.update(title=title, title_en=title)
        User.objects.filter(pk=olivia.pk).update(username=f"{words}{number}")
        key, sentence = list(SENTENCES.items())[number % len(SENTENCES)]
        values = dict.fromkeys(re.findall(r"{(\w+)", str(sentence)), words)
        told(olivia, news=key, values=values, reason=words)
        told(olivia, kind=Kind.ANNOUNCED, ko=words, en=words)
        Notification.objects.update(competition=contest.pk, competition_slug=contest.slug)
        MailAddress.objects.update(next_at=NOON)
        sent = made(olivia).message()
        with transaction.atomic():  # in the order in which the product does
            lock(Sent.objects.all(), to_delete=True)
            Sent.objects.all().delete()
        assert sorted(sent.keys()) == sorted(usual.keys())
        changing = ("Message-ID", "Date", "To", "List-Unsubscribe", "Subject")
        assert [sent[name] for name in usual if name not in changing] == [
            usual[name] for name in usual if name not in changing
        ]
        assert str(sent["To"]) == "olivia@school.example"
        assert str(make_header(decode_header(sent["Subject"]))) == "요약 대회 · 새 알림 2건"
        assert (sent.get_content_type(), sent.is_multipart()) == ("text/plain", False)
    ask_for_mail(user=olivia, address='"a, b@evil.example"@x.example', at=NOON)
    confirming = written(
        Sent.objects.get(kind=mails.CONFIRM), MailAddress.objects.get(confirmed_at=None)
    )
    assert confirming is not None
    raw = confirming.message().as_bytes()
    (to,) = message_from_bytes(raw, policy=policy.default)["To"].addresses
    assert to.addr_spec == '"a, b@evil.example"@x.example'


# --- Mail servers --------------------------------------------------------------------------------


def test_a_refused_address_is_told_and_the_others_get_theirs(server: MailServer) -> None:
    people = [reader(name) for name in ("alice", "bob", "carol")]
    server.codes = {"alice@school.example": 550, "bob@school.example": 451}
    told(*people)
    mail_out(at=NOON)
    assert server.recipients == {"carol@school.example": 1}
    state = {mail.user.username: mail for mail in Sent.objects.all() if mail.user}
    assert (state["alice"].state, state["alice"].failure) == ("failed", "550")
    assert MailAddress.objects.get(user=people[0]).refused_code == 550
    assert (state["bob"].state, state["bob"].failure) == ("waiting", "451")
    server.codes = {}
    assert mail_out(at=NOON + 59 * timedelta(seconds=1)) == 0
    assert mail_out(at=NOON + MINUTE) == 1
    told(people[0])
    mail_out(at=NOON + HOUR)  # refused once is not refused for ever
    assert MailAddress.objects.get(user=people[0]).refused_code is None
    assert server.recipients["alice@school.example"] == 1


def test_a_mail_that_cannot_be_written_keeps_no_other_back(
    server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [reader(name) for name in ("alice", "bob")]
    told(*people)
    mails.collect(at=NOON)
    broken = Sent.objects.order_by("made_at", "pk").first()
    assert broken is not None

    def stumble(message: Sent, address: MailAddress) -> Message | None:
        assert message.pk != broken.pk, "planted"
        return written(message, address)

    monkeypatch.setattr(sending, "written", stumble)
    mail_out(at=NOON)
    assert len(server.mails) == 1
    broken.refresh_from_db()
    assert (broken.state, broken.failure) == ("waiting", "AssertionError")
