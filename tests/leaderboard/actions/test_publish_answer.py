"""The answer to one person's inquiry becomes an announcement that nothing leads back from."""

import json

import pytest

from leaderboard.actions.announcements import (
    answer_to_publish,
    correct_announcement,
    publish_answer,
)
from leaderboard.actions.decisions import LookFirst
from leaderboard.actions.forum import reply, start_thread
from leaderboard.audit.log import about
from leaderboard.audit.models import AuditEvent
from leaderboard.community import webhooks
from leaderboard.community.models import Announcement, Post, Thread, Webhook
from leaderboard.community.reading import answered_inquiries
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.contest_file.export import package
from leaderboard.inbox.models import Notification
from leaderboard.outbox.models import Message
from leaderboard.refusals import Refused
from leaderboard.teams.models import Membership
from tests.leaderboard.builders import NOON, open_competition, team, user, webhook
from tests.leaderboard.web.pages import browser

pytestmark = pytest.mark.django_db

TITLE = "카나리아제목에서 궁금한 것"
ASKED = "카나리아본문: 우리 모델이 Kanarie-3.5인데 외부 데이터를 써도 되나요? 꼭 알려 주세요."
ANSWER = "> 카나리아본문: 우리 모델이\n\n외부 데이터는 쓸 수 없습니다."
PUBLISHED = "자주 묻는 것: 대회 밖의 자료로 **학습한 모델**은 낼 수 없습니다."


@pytest.fixture
def contest() -> Competition:
    made = open_competition()
    alices = team(made, "kanarieuser", "bob", called="카나리아팀")
    Membership.objects.filter(team=alices, user=user("kanarieuser")).update(
        listed_name="카나리 아이름"
    )
    team(made, "dana")
    user("charlie")
    Organizer.objects.create(competition=made, user=user("ada"), role="assistant")
    return made


@pytest.fixture
def inquiry(contest: Competition) -> Thread:
    made = start_thread(
        competition=contest,
        user=user("kanarieuser"),
        kind="inquiry",
        title=TITLE,
        text=ASKED,
        at=NOON,
    )
    reply(thread=made, user=user("ada"), text=ANSWER, at=NOON)
    return made


def publish(inquiry: Thread, text: str = PUBLISHED, who: str = "ada", **options: object) -> None:
    publish_answer(inquiry=inquiry, user=user(who), text=text, at=NOON, **options)  # type: ignore[arg-type]


def test_nothing_of_who_asked_leaves_by_any_road(contest: Competition, inquiry: Thread) -> None:
    webhook(contest, "announced", format="json")
    before = set(Notification.objects.values_list("pk", flat=True))
    publish(inquiry)
    said = Announcement.objects.get()
    correct_announcement(announcement=said, user=user("ada"), text=PUBLISHED + " 끝.", at=NOON)
    told = Notification.objects.exclude(pk__in=before)
    assert {row.user.username for row in told} == {"kanarieuser", "bob", "dana"}
    rows = package(contest, full=True).document["announcements"]
    assert "대회 밖의 자료" in str(rows)
    sent = [
        json.dumps(
            [
                list(Announcement.objects.values()),
                list(told.values("kind", "subject", "data", "competition_slug")),
                list(AuditEvent.objects.filter(subject=said.pk).values()),
            ],
            default=str,
            ensure_ascii=False,
        ),
        *(webhooks.body(Webhook.objects.get(), row).decode() for row in Message.objects.all()),
        str(rows),
        browser("dana").get("/c/talk/").text,
        browser("dana").get("/inbox").text,
        browser().get("/c/talk/").text,
    ]
    assert Webhook.objects.exists()
    assert Message.objects.count() == 1
    posts = [str(pk) for pk in Post.objects.values_list("pk", flat=True)]
    traces = ["anarie", "카나리", "외부 데이터", "궁금한", str(inquiry.pk), *posts]
    assert [(word, text[:80]) for text in sent for word in traces if word in text] == []
    # The inquiry's log says that it was published, and not as what.
    (logged,) = about(contest.pk, inquiry.pk)
    assert (logged.kind, logged.after) == ("inquiry.published", None)


def test_what_was_published_is_not_offered_again(contest: Competition, inquiry: Thread) -> None:
    assert list(answered_inquiries(contest)) == [inquiry]
    publish(inquiry)
    assert not answered_inquiries(contest)


@pytest.mark.parametrize(
    "text",
    [
        "kanarieuser 님이 물었습니다.",
        "Kanarieuser가 물었습니다.",
        "카나리아팀이 물었습니다.",
        "카나리 아이름 학생에게 답합니다.",
        "물음: **카나리아제목에서** 궁금한 것",
        "> 우리 모델이 Kanarie-3.5인데\n> 외부 데이터를 써도 되나요?",
        "가능합니다. _꼭_ 알려 주세요… 우리 모델이 kanarie 3.5인데 외부",
        "{link}",
        "{hex}",
    ],
)
def test_a_trace_of_who_asked_is_refused(inquiry: Thread, text: str) -> None:
    link = f"/c/talk/forum/{inquiry.pk}".upper()
    with pytest.raises(Refused) as refused:
        publish(inquiry, text.format(link=link, hex=inquiry.pk.hex))
    assert refused.value.code == "inquiry_traces"
    with pytest.raises(Refused):
        publish(inquiry, text_en=text.format(link=link, hex=inquiry.pk.hex))
    assert not Announcement.objects.exists()


@pytest.mark.parametrize(
    ("asked", "text", "quote"),
    [
        (
            "AI Hub 데이터를 쓰고 싶습니다. 됩니까?",
            "AI Hub 데이터를 쓰고 싶습니다는 물음이 많습니다.",
            "aihub데이터를쓰",
        ),
        (
            "이번 주에 데이터를 쓰고 싶습니다",
            "다들 데이터 를쓰고 싶습니다만",
            "데이터를쓰고싶습니다",
        ),
        ("이번 주에 데이터를 쓰고 싶습니다", "데이터를 쓰고 싶습니까", None),
        ("외부 데이터", "외부 데이터는 쓸 수 없습니다", None),
        ("외부 데이터를 쓸 수 있나요?", "외부 데이터를 쓸 수 없습니다", None),
        ("May we use external data?", "We use external data sets nowhere", "weuseexternaldata"),
        ("May we use external data?", "Use external data only as said", None),
    ],
)
def test_ten_syllables_of_korean_are_a_quotation_as_twenty_letters_are(
    contest: Competition, asked: str, text: str, quote: str | None
) -> None:
    ask = {"competition": contest, "user": user("bob"), "kind": "inquiry", "at": NOON}
    made = start_thread(title="물음", text=asked, **ask)  # type: ignore[arg-type]
    reply(thread=made, user=user("ada"), text="답", at=NOON)
    if quote is None:
        publish(made, text)
        return
    with pytest.raises(Refused) as refused:
        publish(made, text)
    assert (refused.value.code, refused.value.values) == ("inquiry_traces", {"trace": quote})


def test_it_is_looked_at_first(contest: Competition, inquiry: Thread) -> None:
    with pytest.raises(LookFirst) as first:
        publish(inquiry, seen="")
    assert (first.value.preview.people, Announcement.objects.count()) == (3, 0)
    publish(inquiry, seen=first.value.preview.digest)


def test_what_nobody_answered_or_everybody_read_is_not_published(contest: Competition) -> None:
    wanted = {"competition": contest, "user": user("bob"), "title": "제목입니다", "at": NOON}
    unanswered = start_thread(kind="inquiry", text="언제 끝나나요", **wanted)  # type: ignore[arg-type]
    with pytest.raises(Refused, match="not_answered"):
        publish(unanswered)
    question = start_thread(kind="question", text="언제 끝나나요", **wanted)  # type: ignore[arg-type]
    with pytest.raises(Refused, match="unknown_thread"):
        publish(question)


def test_the_page_begins_with_the_answer_without_what_it_quotes(inquiry: Thread) -> None:
    assert answer_to_publish(inquiry) == "외부 데이터는 쓸 수 없습니다."
    where = f"/c/talk/desk/inquiries/{inquiry.pk}/publish"
    ada = browser("ada")
    assert where in ada.get("/c/talk/desk/announcements").text
    page = ada.get(where).text
    assert "\n외부 데이터는 쓸 수 없습니다.</textarea>" in page
    assert ada.post(where, {"text": "kanarieuser 님께"}).status_code == 422
    shown = ada.post(where, {"text": PUBLISHED})
    assert "<strong>학습한 모델</strong>" in shown.text
    assert not Announcement.objects.exists()
    for who in ("kanarieuser", "charlie"):
        assert browser(who).get(where).status_code == 404
