"""The forum's pages: what they show to whom, what their buttons do, how few queries they take."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from leaderboard.actions.forum import (
    TEXT_LENGTH,
    reply,
    start_thread,
)
from leaderboard.community.models import Post, PostReport, Subscription, Thread
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.teams.models import Membership
from leaderboard.web import markdown
from tests.leaderboard.builders import team, user
from tests.leaderboard.material import NOON
from tests.leaderboard.web.pages import browser, running

pytestmark = pytest.mark.django_db

FORUM = "/c/talk/forum"
MINUTE = timedelta(minutes=1)


@pytest.fixture
def contest() -> Competition:
    """Alice and Bob are a team, 20261234 is another; Ada assists Olivia, Charlie joined nothing."""
    made = running()
    team(made, "alice", "bob", called="두괄식")
    team(made, "20261234", called="미괄식")
    user("charlie")
    Organizer.objects.create(competition=made, user=user("ada"), role="assistant")
    return made


@pytest.fixture
def asked(contest: Competition) -> Thread:
    """A question of Alice's."""
    return start_thread(
        competition=contest,
        user=user("alice"),
        kind="question",
        title="데이터가 어디 있나요",
        text="**못** 찾겠어요.\n\n```\nls data\n```",
        at=NOON,
    )


def where(thread: Thread, post: Post | None = None) -> str:
    return f"{FORUM}/{thread.pk}" + (f"/{post.pk}" if post else "")


def text(who: str, address: str) -> str:
    answer = browser(who).get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_question_from_the_empty_forum_to_its_answer(contest: Competition) -> None:
    alice, ada = browser("alice"), browser("ada")
    assert "아직 글이 없습니다" in text("alice", FORUM)
    wanted = {"kind": "question", "title": "데이터", "text": "**어디**에\r\n있나요?"}
    kept = markdown.render_post.cache_info()
    for page in ("", "/new"):
        typed = {**wanted, "verb": "preview", "text": "#" * (TEXT_LENGTH + 1)}
        assert 400 <= alice.post(f"{FORUM}{page}", typed).status_code < 500
    looked = alice.post(f"{FORUM}/new", {"verb": "preview", **wanted})
    assert markdown.render_post.cache_info() == kept
    seen = looked.content.decode().split('id="preview"')[1].split("</section>")[0]
    assert "<b>데이터</b>" in seen
    assert "<strong>어디</strong>" in seen
    assert not Thread.objects.exists()
    made = alice.post(f"{FORUM}/new", {"verb": "start", **wanted})
    thread = Thread.objects.get()
    assert made.headers["Location"] == where(thread)
    sent = ada.post(where(thread), {"verb": "reply", "text": "데이터 탭에요."})
    answer = thread.all_posts.get(opens=False)
    assert sent.headers["Location"] == f"{where(thread)}#{answer.pk}"
    assert "Organizer" not in text("alice", where(thread))
    assert 'class="post official"' in text("alice", where(thread))
    alice.post(where(thread), {"verb": "answer", "id": str(answer.pk)})
    shown = text("bob", where(thread))
    assert shown.count("데이터 탭에요.") == 1  # it follows the question anyway
    assert "답으로 선택한 글입니다" not in shown
    assert "답변 완료" in text("bob", FORUM)
    later = reply(thread=thread, user=user("bob"), text="여기도요.", at=answer.at + MINUTE)
    alice.post(where(thread), {"verb": "answer", "id": str(later.pk)})
    shown = text("bob", where(thread))
    assert shown.count("여기도요.") == 1  # below the question, not in its place as well
    assert shown.index("여기도요.") < shown.index("데이터 탭에요.")
    assert "답으로 선택한 글입니다" in shown


def test_what_is_sent_twice_leads_to_the_first_post(contest: Competition) -> None:
    alice = browser("alice")

    def sent(address: str, **typed: str) -> str:
        form = alice.get(address).content.decode()
        key = re.search(r'name="key" value="(\w{32})"', form)
        assert key
        first, again, other = (
            alice.post(address, {**typed, "key": key[1], "text": words})
            for words in ("어디에 있나요?", "어디에 있나요?", "거기 있네요.")
        )
        assert first.headers["Location"] == again.headers["Location"] != other.headers["Location"]
        return first.headers["Location"]

    thread = sent(f"{FORUM}/new", verb="start", kind="inquiry", title="데이터")
    assert Thread.objects.count() == 2
    sent(thread, verb="reply")
    assert Post.objects.count() == 4
    # Nobody's key is another's, and what was sent is led to where it stands by now.
    made = Thread.objects.get(pk=thread.rsplit("/", 1)[1])
    ada = browser("ada")
    typed = {"verb": "reply", "text": "데이터 탭에요.", "key": "a"}
    first = ada.post(thread, typed).headers["Location"]
    for _ in range(20):
        reply(thread=made, user=user("olivia"), text="네", at=NOON)
    assert made.all_posts.count() == 24
    again = ada.post(thread, typed).headers["Location"]
    assert again == first.replace("#", "?page=2#")
    assert made.all_posts.count() == 24


def test_who_reads_it(contest: Competition, asked: Thread) -> None:
    for page in (FORUM, where(asked)):
        assert "데이터가 어디 있나요" in text("bob", page)
        assert "/accounts/login/" in Client().get(page).headers["Location"]
        assert "/c/talk/join" in browser("charlie").get(page).headers["Location"]
    Competition.objects.update(forum_readers="public")
    for page in (FORUM, where(asked)):
        assert "데이터가 어디 있나요" in Client().get(page).content.decode()
    posted = Client().post(where(asked), {"verb": "reply", "text": "광고"})
    assert "/accounts/login/" in posted.headers["Location"]
    assert "/c/talk/join" in browser("charlie").get(f"{FORUM}/new").headers["Location"]
    Competition.objects.update(is_private=True)
    assert browser("charlie").get(FORUM).status_code == 404


def test_names_are_read_as_on_the_board(contest: Competition, asked: Thread) -> None:
    reply(thread=asked, user=user("20261234"), text="저도요", at=NOON)
    shown = text("alice", where(asked))
    assert "20261234" not in shown
    assert "미괄식" in shown
    assert ' lang="ko"><b>' in browser("alice", "en").get(FORUM).text
    assert "20261234" not in text("ada", where(asked))
    assert "20261234" in text("olivia", where(asked))
    assert "alice" in text("bob", where(asked))
    Membership.objects.filter(user=user("20261234")).delete()
    assert "참가자" in text("alice", where(asked))


def test_buttons_follow_report_edit_and_delete(contest: Competition, asked: Thread) -> None:
    post = asked.all_posts.get()
    bob, alice, ada = browser("bob"), browser("alice"), browser("ada")
    for verb, follows in (("follow", True), ("unfollow", False)):
        bob.post(where(asked), {"verb": verb})
        assert Subscription.objects.filter(user=user("bob")).exists() is follows
    bob.post(where(asked, post), {"verb": "report", "reason": "광고"})
    assert PostReport.objects.get().reason == "광고"
    assert "광고" in text("ada", "/c/talk/desk/forum")
    ada.post(where(asked, post), {"verb": "dismiss"})
    assert PostReport.objects.get().settled_at is not None
    refused = alice.post(where(asked, post), {"verb": "edit", "title": " ", "text": "새 글"})
    assert refused.status_code == 422
    assert "새 글" in refused.content.decode()
    edited = {"verb": "edit", "title": "새 제목", "text": "새 글"}
    assert bob.post(where(asked, post), edited).status_code == 403
    assert alice.post(where(asked, post), edited).status_code == 302
    assert "새 제목" in text("bob", FORUM)
    assert "못** 찾겠어요" not in text("bob", where(asked, post))
    ada.post(where(asked), {"verb": "pin"})
    ada.post(where(asked), {"verb": "lock"})
    asked.refresh_from_db()
    assert (asked.pinned_at is None, asked.locked_at is None) == (False, False)
    assert bob.post(where(asked), {"verb": "pin"}).status_code == 403
    assert bob.post(where(asked), {"verb": "reply", "text": "?"}).status_code == 409
    ada.post(where(asked), {"verb": "lock"})
    gone = alice.post(where(asked, post), {"verb": "delete"})
    assert gone.headers["Location"] == FORUM
    assert "글을 삭제했습니다" in alice.get(FORUM).text
    assert "아직 글이 없습니다" in text("bob", FORUM)


def test_every_thread_and_post_is_on_one_page_and_in_order(contest: Competition) -> None:
    """Pages behind the middle are read from the end."""
    olivia = user("olivia")
    said = {"competition": contest, "user": olivia, "kind": "talk", "text": "x"}
    made = [start_thread(title="t", at=NOON + n * MINUTE, **said) for n in range(100)]
    seen: list[str] = []
    for number in range(1, 5):
        seen += re.findall(rf'"{FORUM}/([0-9a-f-]{{36}})"', text("bob", f"{FORUM}?page={number}"))
    assert seen == [str(one.pk) for one in reversed(made)]
    posts = [made[0].all_posts.get()]
    posts += [reply(thread=made[0], user=olivia, text="y", at=NOON + MINUTE) for _ in range(49)]
    posts[1:] = sorted(posts[1:], key=lambda post: post.pk)  # all of one instant
    seen = []
    for number in (1, 2, 3):
        seen += re.findall(
            r'<article [^>]*id="([^"]+)"', text("bob", f"{where(made[0])}?page={number}")
        )
    assert seen == [str(one.pk) for one in posts]
