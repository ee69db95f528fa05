"""The desk's page of the webhook: the secret once, the address never, what came of each message."""

from contextlib import nullcontext
from functools import partial

import pytest
from django.utils import timezone

from leaderboard.community.models import Webhook
from leaderboard.community.webhooks import call, queue
from leaderboard.competitions.models import Competition
from leaderboard.outbox.models import Message
from leaderboard.outbox.outgoing import Answer
from leaderboard.outbox.sending import take_turn
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db
WHERE = "/c/talk/desk/webhook"
FORM = {
    **{"verb": "set", "url": "https://hooks.example.org/T0/geheim", "format": "json"},
    **{"language": "ko", "events": ["announced", "question.asked"]},
}


@pytest.fixture
def contest() -> Competition:
    return running()


def test_the_secret_is_shown_once_and_the_address_never(contest: Competition) -> None:
    olivia = browser("olivia")
    answer = olivia.post(WHERE, FORM)
    webhook = Webhook.objects.get()
    assert webhook.secret in answer.text
    assert "no-store" in answer["Cache-Control"]
    later = olivia.get(WHERE).text
    assert "hooks.example.org" in later
    # An empty address keeps the one of before; who may not know it is not told by the log either.
    changed = olivia.post(WHERE, {**FORM, "url": "", "format": "slack"})
    assert (changed.status_code, Webhook.objects.get().format) == (302, "slack")
    log = olivia.get("/c/talk/desk/audit").text
    assert "웹훅을 설정함" in log
    for page in (later, log):
        assert webhook.secret not in page
        assert "geheim" not in page
    renewed = olivia.post(WHERE, {"verb": "renew"}).text
    assert webhook.secret not in renewed
    assert Webhook.objects.get().secret in renewed


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (Answer(204), "보냄"),
        (Answer(failure="timed_out"), "응답 시간 초과"),
        (Answer(410, is_final=True), "HTTP 410"),
    ],
)
def test_the_last_message_stands_there_with_its_state(
    contest: Competition, answer: Answer, shown: str
) -> None:
    olivia = browser("olivia")
    olivia.post(WHERE, FORM)
    assert olivia.post(WHERE, {"verb": "test"}).status_code == 302
    hook = Webhook.objects.get()
    event, title = Webhook.Event.ASKED, "<b>하나</b>"
    queue(event, competition=contest.pk, title=title, subject=hook.pk, at=timezone.now())
    Message.objects.filter(kind=Webhook.TEST).delete()
    send = partial(call, send=lambda *_, **__: answer)
    take_turn(hook.lane, lambda: nullcontext(send), at=timezone.now())
    page = olivia.get(WHERE).text
    assert "&lt;b&gt;하나&lt;/b&gt;" in page
    assert "<b>하나</b>" not in page
    assert shown in page


def test_a_refused_address_is_said_at_its_field(contest: Competition) -> None:
    answer = browser("olivia").post(WHERE, {**FORM, "url": "https://10.0.0.1/"})
    assert answer.status_code == 422
    assert browser("olivia").post(WHERE, {"verb": "test"}).status_code == 404
