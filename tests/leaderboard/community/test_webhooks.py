"""What a webhook says, when, how often it is tried, and what of it nobody outside may know."""

import base64
import json
import re
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import transaction
from django.urls import resolve
from django.utils import timezone

from leaderboard.actions.announcements import announce
from leaderboard.actions.ending import delete_competition
from leaderboard.actions.forum import reply, report, start_thread
from leaderboard.actions.registration import request_to_join
from leaderboard.actions.schedule import announce_reveals
from leaderboard.actions.scoring import fail
from leaderboard.actions.webhooks import remove_webhook, renew_secret, send_test, set_webhook
from leaderboard.audit.models import AuditEvent
from leaderboard.community import webhooks
from leaderboard.community.models import Webhook
from leaderboard.community.webhooks import call, queue
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.claim import next_claim
from leaderboard.outbox.models import Message
from leaderboard.outbox.outgoing import Answer
from leaderboard.outbox.sending import LONGEST_PAUSE, lanes_due, send_due, take_turn
from leaderboard.refusals import Refused
from leaderboard.worker.sweep import steps_of_a_loop
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON, REVEALS, hand_in, open_competition, team, user
from tests.leaderboard.payloads import PAYLOADS
from tests.servers import Chat, wait_for

pytestmark = pytest.mark.django_db
EVERY = [event.value for event in Webhook.Event]
URL = "https://hooks.example.org/services/T0/geheim"
GONE = Answer(status=500)
HERE = Answer(status=200)


def webhook(contest: Competition, *events: str, **fields: str) -> Webhook:
    return builders.webhook(contest, *events, **{"url": URL, **fields})


def ask(contest: Competition, title: str = "", **fields: Any) -> None:
    event = fields.pop("event", Webhook.Event.ASKED)
    with transaction.atomic():
        queue(event, competition=contest.pk, title=title, at=fields.pop("at", NOON), **fields)


class Ear:
    """Stands for the network: keeps what was sent and answers as it was told."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.heard: list[tuple[UUID, bytes]] = []

    def __call__(self, url: str, body: bytes, headers: dict[str, str], **bounds: Any) -> Answer:
        self.heard.append((UUID(headers["Webhook-Id"]), body))
        return self.answers.pop(0) if self.answers else HERE


def turn(hook: Webhook, ear: Callable[..., Answer], at: datetime = NOON) -> int:
    channel = lambda: nullcontext(partial(call, send=ear))  # noqa: E731
    return take_turn(hook.lane, channel, at=at)


def due(at: datetime = NOON) -> list[str]:
    return lanes_due(["webhook"], at)


def be_due() -> None:
    Message.objects.filter(state="waiting").update(next_at=NOON, lease_until=None)


# --- What is said ---------------------------------------------------------------------------------


def test_it_works() -> None:
    contest = open_competition()
    hook = webhook(contest)
    ask(contest, "초성은 어떻게 세나요?", subject=UUID(int=7))
    ear = Ear()
    assert due() == [hook.lane]
    assert turn(hook, ear) == 1
    assert json.loads(ear.heard[0][1]) == {
        "text": "[일상 대화 요약] 게시판 질문: 초성은 어떻게 세나요?\n"
        f"http://127.0.0.1:8000/c/talk/forum/{UUID(int=7)}",
        "mrkdwn": False,
        "unfurl_links": False,
    }
    done = Message.objects.get()
    assert (done.state, done.failure, done.attempt, done.ended_at) == ("sent", "", 1, NOON)
    assert turn(hook, ear) == 0
    assert due() == []


def test_of_a_contest_that_is_being_deleted_nothing_is_said_any_more() -> None:
    contest, other = open_competition(), open_competition("other")
    hook, kept = webhook(contest), webhook(other)
    ask(contest)
    ask(other)
    delete_competition(competition=contest, user=user("olivia"), typed=contest.slug, at=NOON)
    assert due() == [kept.lane]
    assert turn(hook, ear := Ear()) == 0
    assert ear.heard == []


def test_each_event_is_said_where_it_happens_and_leads_to_a_page() -> None:
    contest = open_competition()
    hook = webhook(contest, format="json", language="en")
    claim = hand_in(team(contest, "alice", called="비밀팀"), at=NOON) and next_claim(at=NOON)
    assert claim is not None
    claim.attempt = 99
    type(claim).objects.filter(pk=claim.pk).update(attempt=99)
    fail(claim=claim, failure="ValueError", at=NOON)
    announce(
        competition=contest, user=user("olivia"), text="내일 쉽니다.", text_en="A rest.", at=NOON
    )
    Competition.objects.update(registration="approval")
    for name in ("charlie", "dana"):
        request_to_join(user=user(name), competition=contest, at=NOON)
    announce_reveals(at=REVEALS)
    said = {row.kind: row for row in Message.objects.all()}
    assert set(said) == {"submission.failed", "announced", "join.requested", "revealed"}
    assert (said["join.requested"].count, said["announced"].title) == (2, "A rest.")
    assert not any(
        word in f"{row.title}{webhooks.body(hook, row)!r}"
        for row in said.values()
        for word in ("alice", "charlie", "dana", "비밀팀")
    )
    assert set(webhooks.PAGES) == {*EVERY, Webhook.TEST}
    for path in webhooks.PAGES.values():
        resolve(re.sub("[?#].*", "", path.format(slug="talk", subject=UUID(int=7))))


def test_the_forum_says_what_waits_and_nothing_of_an_inquiry() -> None:
    contest = open_competition()
    hook = webhook(contest)
    team(contest, "alice", called="비밀팀")
    wanted = {"competition": contest, "user": user("alice"), "at": NOON}
    asked = start_thread(kind="question", title="공개 제목", text="본문 초성", **wanted)
    inquiry = start_thread(kind="inquiry", title="남몰래 제목", text="남몰래 본문", **wanted)
    start_thread(kind="talk", title="잡담 제목", text="잡담", **wanted)
    report(post=asked.all_posts.get(), user=user("olivia"), reason="신고 까닭", at=NOON)
    reply(thread=inquiry, user=user("alice"), text="남몰래 더", at=NOON)
    ear = Ear()
    turn(hook, ear)
    said = {row.kind: (row.count, row.title, row.subject) for row in Message.objects.all()}
    assert said == {
        "question.asked": (1, "공개 제목", asked.pk),
        "inquiry.asked": (2, "", None),
        "post.reported": (1, "", asked.pk),
    }
    sent = "".join(body.decode() for _, body in ear.heard)
    hidden = ("남몰래", "본문", "잡담", "까닭", "alice", "비밀팀", str(inquiry.pk))
    assert [word for word in hidden if word in sent] == []


def test_only_what_was_chosen_is_said() -> None:
    contest = open_competition()
    ask(contest)
    webhook(contest, "revealed")
    ask(contest)
    assert not Message.objects.exists()
    ask(contest, event=Webhook.Event.REVEALED)
    assert Message.objects.get().kind == "revealed"


def test_what_happens_often_before_it_is_sent_is_one_message() -> None:
    contest = open_competition()
    hook = webhook(contest)
    for _ in range(120):
        ask(contest, event=Webhook.Event.REQUESTED)
    ear = Ear(GONE)
    turn(hook, ear)
    assert "참가 신청 × 120\n" in json.loads(ear.heard[0][1])["text"]
    # What has been tried is repeated as it was.
    ask(contest, event=Webhook.Event.REQUESTED)
    assert sorted(Message.objects.values_list("count", flat=True)) == [1, 120]


ATTACKS = [
    "<!channel> <!everyone> <@U123>",
    "@everyone @here @channel @all",
    "<https://evil.example|점수 보기>",
    "https://evil.example www.evil.example evil.example",
    "![x](https://evil.example/a.png) [누르기](https://evil.example)",
    "<@123456789012345678> <#12345> <@&99>",
    "한 줄\n@everyone\r\n> 둘\u2028셋\u202e거꾸로\x00\u200b",
    "`code` **굵게** ||숨김|| # 제목 ~~지움~~",
    "&lt;!channel&gt; &amp;",
    "글" * 5000,
]


@pytest.mark.parametrize("form", ["slack", "discord", "mattermost", "json"])
def test_no_payload_is_more_than_text_as_title_of_contest_or_thread(form: str) -> None:
    contest = open_competition()
    hook = webhook(contest, format=form)
    for text in (*ATTACKS, *PAYLOADS):
        hook.competition.title = text
        row = Message(kind="question.asked", title=webhooks.short(text))
        row.made_at, row.subject = NOON, UUID(int=7)
        assert_only_text(form, webhooks.body(hook, row))


def assert_only_text(form: str, body: bytes) -> None:
    """That nothing in it is a mention, a link or formatting but the address of the page."""
    assert len(body) < 2000
    sent = json.loads(body)
    if form == "json":
        assert len(sent["data"]["title"]) <= 120
        return
    text = sent.get("text") or sent["content"]
    said, address = text.split("\n")
    assert address == f"http://127.0.0.1:8000/c/talk/forum/{UUID(int=7)}"
    assert not re.search(r"@\w|<[!@#h]|://|\w\.\w|[\x00-\x1f\u2028\u202e]", said)
    if form == "slack":
        assert not re.search(r"[<>]|&(?!(?:amp|lt|gt);)", said)
    else:
        assert not re.search(r"(?<!\\)[`*\[\]()#>|~]", said)
    if form == "discord":
        assert sent["allowed_mentions"] == {"parse": []}


def test_the_signature_is_that_of_standard_webhooks() -> None:
    contest = open_competition()
    made = builders.webhook(contest, url=URL, format="json")
    assert len(base64.b64decode(made.secret.removeprefix("whsec_"))) == 24
    ask(contest, "질문", subject=UUID(int=7))
    row = Message.objects.get()
    data = webhooks.body(made, row)
    sent = webhooks.headers(made, row, data, NOON)
    assert sent["Webhook-Id"] == str(row.pk)
    assert json.loads(data)["id"] == str(row.pk)
    expected = webhooks.signature(made.secret, str(row.pk), str(int(NOON.timestamp())), data)
    assert sent["Webhook-Signature"] == expected


# --- How often it is tried ------------------------------------------------------------------------


def test_a_failure_ends_the_turn_and_is_tried_again_with_the_same_id() -> None:
    contest = open_competition()
    hook = webhook(contest)
    ask(contest, "둘")
    ask(contest, "하나", at=NOON - timedelta(seconds=1))
    ear = Ear(GONE)
    assert turn(hook, ear) == 0
    assert len(ear.heard) == 1
    failed = Message.objects.get(title="하나")
    assert (failed.state, failed.failure, failed.ended_at) == ("waiting", "500", None)
    # The other does not wait for it.
    assert turn(hook, ear) == 1
    be_due()
    assert turn(hook, ear) == 1
    assert [pk for pk, _ in ear.heard].count(failed.pk) == 2
    assert ear.heard[0] == ear.heard[2]


def test_it_ends_after_three_days_and_pauses_grow() -> None:
    contest = open_competition()
    hook = webhook(contest)
    ask(contest)
    at, pauses = NOON, []
    while (row := Message.objects.get()).state == "waiting":
        at = row.next_at
        turn(hook, Ear(Answer(failure="timed_out")), at)
        pauses.append((Message.objects.get().next_at - at).total_seconds())
    assert (row.state, row.failure) == ("failed", "timed_out")
    assert pauses[:7] == [60, 120, 240, 480, 960, 1920, 3600]
    assert timedelta(days=3) <= at - NOON <= timedelta(days=3) + LONGEST_PAUSE
    assert turn(hook, Ear(), at + timedelta(days=1)) == 0


@pytest.mark.parametrize(
    ("answer", "state", "pause"),
    [
        (Answer(429, retry_after=600), "waiting", 600),
        (Answer(429, retry_after=1), "waiting", 60),
        (Answer(503, retry_after=999_999), "waiting", 3600),
        (Answer(410, is_final=True), "failed", None),
        (Answer(failure="address_not_allowed", is_final=True), "failed", None),
    ],
)
def test_what_the_other_end_says_about_it(answer: Answer, state: str, pause: int | None) -> None:
    contest = open_competition()
    hook = webhook(contest)
    ask(contest)
    turn(hook, Ear(answer))
    row = Message.objects.get()
    assert row.state == state
    if pause is not None:
        assert (row.next_at - NOON).total_seconds() == pause


def test_who_dies_while_sending_leaves_it_to_be_sent_again_with_the_same_id() -> None:
    contest = open_competition()
    hook = webhook(contest)
    ask(contest)

    class Killed(BaseException):
        pass

    sent: list[str] = []

    def die(url: str, body: bytes, headers: dict[str, str], **bounds: Any) -> Answer:
        sent.append(headers["Webhook-Id"])
        raise Killed

    with pytest.raises(Killed):
        turn(hook, die)
    assert turn(hook, ear := Ear()) == 0  # the lease of the dead one still runs
    be_due()
    assert turn(hook, ear) == 1
    assert [str(pk) for pk, _ in ear.heard] == sent


def test_who_lost_the_lease_changes_nothing() -> None:
    contest = open_competition()
    hook = webhook(contest)
    ask(contest)

    def slow(*args: Any, **bounds: Any) -> Answer:
        be_due()  # so late that another sweeper sends it meanwhile
        turn(hook, Ear())
        return GONE

    turn(hook, slow)
    assert (Message.objects.get().state, Message.objects.get().failure) == ("sent", "")


def test_what_waits_too_long_for_a_dead_server_is_given_up_and_what_ended_is_forgotten() -> None:
    contest = open_competition()
    hook = webhook(contest)
    for title in ("첫째", "둘째", "새"):
        ask(contest, title)
    day = timedelta(days=1)
    old = Message.objects.exclude(title="새")
    old.update(made_at=NOON - 3 * day - timedelta(seconds=1))
    assert turn(hook, Ear(GONE)) == 0
    assert set(old.values_list("state", flat=True)) == {"failed"}  # one try is enough for both
    assert turn(hook, Ear()) == 1
    for days, left in ((30, 3), (31, 0)):
        send_due({}, at=NOON + days * day)
        assert Message.objects.count() == left


# --- Setting it up --------------------------------------------------------------------------------


def test_editors_set_it_the_secret_is_told_once_and_the_log_knows_neither() -> None:
    contest = open_competition()
    made = builders.webhook(contest, "announced", url=URL)
    changed = set_webhook(
        competition=contest,
        user=user("olivia"),
        format="json",
        language="en",
        events=["nonsense", "revealed"],
        at=NOON,
    )
    assert (changed.secret, changed.url, changed.events) == (made.secret, URL, ["revealed"])
    renewed = renew_secret(competition=contest, user=user("olivia"), at=NOON)
    assert renewed.secret not in ("", made.secret)
    ask(contest, event=Webhook.Event.REVEALED)
    remove_webhook(competition=contest, user=user("olivia"), at=NOON)
    assert not Message.objects.exists()
    log = list(AuditEvent.objects.filter(kind__startswith="webhook.").order_by("at"))
    assert sorted(event.kind for event in log) == [
        *("webhook.removed", "webhook.renewed", "webhook.set", "webhook.set")
    ]
    text = "".join(f"{event.before}{event.after}" for event in log)
    assert "hooks.example.org" in text
    assert not any(secret in text for secret in ("geheim", made.secret, renewed.secret))
    with pytest.raises(Refused, match="no_webhook"):
        send_test(competition=contest, user=user("olivia"), at=NOON)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example.org",
        "https://user@hooks.example.org/",
        "https://hooks.example.org/a b",
        "https://hooks.example.org/\nHost: x",
        "https://훅.example.org/",
        "https://hooks.example.org/" + "a" * 500,
        "ftp://hooks.example.org/",
        "http://hooks.example.org/",
        "https://hooks.example.org:22/",
        "https://169.254.169.254/latest",
        "https://[::ffff:10.0.0.1]/",
        "https://2130706433/",
        'https://"><script>xss()</script>',
    ],
)
def test_other_addresses_are_refused(url: str) -> None:
    contest = open_competition()
    with pytest.raises(Refused) as refused:
        webhook(contest, url=url)
    assert refused.value.code == "webhook_address"
    assert not Webhook.objects.exists()


# --- Beside the sweeper's round, with real servers ------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_one_that_hangs_holds_up_neither_the_others_nor_the_sweeper(
    settings: LazySettings,
) -> None:
    release = threading.Event()

    class Hanging(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            release.wait()

        def log_message(self, *args: Any) -> None:
            pass

    with (
        Chat() as chat,
        ThreadingHTTPServer(("127.0.0.1", 0), Hanging) as hanging,
    ):
        threading.Thread(target=hanging.serve_forever, daemon=True).start()
        ports = [server.server_address[1] for server in (chat, hanging)]
        settings.WEBHOOK_ALLOWED_HOSTS = [f"127.0.0.1:{port}" for port in ports]
        settings.WEBHOOK_SECONDS = 1
        settings.ALARM_WEBHOOK = ""
        for number, port in enumerate((ports[1], ports[0])):
            contest = open_competition(f"contest{number}")
            webhook(contest, url=f"http://127.0.0.1:{port}/")
            ask(contest, at=timezone.now())
        step = dict(steps_of_a_loop())["outbox"]
        began = time.monotonic()
        now = timezone.now()
        assert step(now) == 0
        assert step(now) == 0  # still at work, and nobody waits
        assert time.monotonic() - began < 0.9
        wait_for(lambda: step(now) == 1, 30, "the one that does not hang")
        release.set()
        hanging.shutdown()
    assert len(chat.heard) == 1
    assert set(Message.objects.values_list("state", "failure")) == {
        ("sent", ""),
        ("waiting", "timed_out"),
    }
