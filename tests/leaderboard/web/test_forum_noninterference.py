"""What is private in a forum changes no byte of what others are answered."""

from datetime import datetime, timedelta

import pytest

from leaderboard.actions.forum import delete_post, reply, start_thread
from leaderboard.actions.moderation import hide_post, hide_thread
from leaderboard.community import forum
from leaderboard.community.models import Post, PostVersion, Thread
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.comparison import differences
from tests.leaderboard.web.crawl import Page, Probe, send
from tests.leaderboard.web.stage import Stage, clients

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]
FORUM = "/c/talk/forum"
SECRET, OTHER = "숨은 낱말 kanarie", "다른 비밀 이야기"


def fill(stage: Stage) -> list[Thread]:
    """Of Erin's: an inquiry, a hidden thread, a hidden reply, one that she took back."""
    erin, olivia = builders.user("erin"), builders.user("olivia")
    words = {"competition": stage.contest, "user": erin, "title": SECRET, "text": SECRET}
    inquiry = start_thread(kind="inquiry", at=NOON, **words)
    reply(thread=inquiry, user=olivia, text=SECRET, at=NOON)
    hidden = start_thread(kind="talk", at=NOON, **words)
    hide_thread(thread=hidden, user=olivia, reason=SECRET, at=NOON)
    asked = stage.reply.thread
    said = reply(thread=asked, user=erin, text=SECRET, at=NOON)
    hide_post(post=said, user=olivia, reason="실례", at=NOON)
    gone = reply(thread=asked, user=erin, text=SECRET, at=NOON)
    delete_post(post=gone, user=erin, at=NOON)
    return [inquiry, hidden]


def change(at: datetime) -> None:
    """Other words and times in all of it, and an open report."""
    private = Thread.objects.filter(title=SECRET)
    Post.objects.filter(text=SECRET).update(text=OTHER, folded=forum.fold(OTHER))
    PostVersion.objects.filter(text=SECRET).update(text=OTHER)
    post = Post.objects.select_related("thread").filter(text=OTHER)[0]
    forum.report(post, user=builders.user("gil"), reason=OTHER, at=at)
    private.exclude(hidden_at=None).update(hide_reason=OTHER)
    private.update(title=OTHER, last_post_at=at, waiting_since=None, posts=7)


@pytest.mark.parametrize("readers", [pytest.param("members", marks=pytest.mark.crawl), "public"])
def test_no_answer_depends_on_what_is_private(readers: str, stage: Stage) -> None:
    stage.contest.forum_readers = readers
    stage.contest.save(update_fields=["forum_readers"])
    private = fill(stage)
    asked = f"{FORUM}/{stage.reply.thread_id}"
    addresses = [
        *("/c/talk/", FORUM, f"{FORUM}?kind=inquiry", f"{FORUM}?q=낱말", f"{FORUM}?q=비밀"),
        *(f"{FORUM}?page=2", f"{FORUM}/new", asked, "/c/talk/desk/forum", "/inbox"),
        *(f"{FORUM}/{thread.pk}" for thread in private),
        *(f"{FORUM}/{one.thread_id}/{one.pk}" for one in Post.objects.filter(text=SECRET)),
    ]

    def walk() -> dict[str, Page]:
        pages = [
            send(role, browsers[role], probe)
            for role in ("visitor", "charlie", "alice")
            for address in addresses
            for probe in (Probe(address), Probe(address, "POST", lambda: {"text": "안녕"}))
        ]
        return {f"{number} {page.role} {page.asked}": page for number, page in enumerate(pages)}

    browsers = clients()
    before = walk()
    assert not [
        page.asked for page in before.values() if SECRET in page.text and "?q=" not in page.asked
    ]
    change(NOON + timedelta(minutes=1))
    assert differences(before, walk()) == []
    # Who may read it is answered otherwise.
    desk = send("ada", browsers["ada"], Probe("/c/talk/desk/forum"))
    assert OTHER in desk.text
