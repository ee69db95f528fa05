"""What is private in the forum of the stage: one more thing that no answer to others depends on."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from leaderboard.actions.forum import delete_post, hide_post, hide_thread, reply, start_thread
from leaderboard.community import forum
from leaderboard.community.models import Post, PostReport, Thread
from leaderboard.competitions.models import Competition
from tests.leaderboard import builders
from tests.leaderboard.builders import NOON
from tests.leaderboard.web.crawl import Page, Probe
from tests.leaderboard.web.stage import Stage

FORUM = "/c/talk/forum"
SECRET, OTHER = "숨은 낱말", "다른 비밀 이야기"


def fill(stage: Stage, readers: str = "public") -> list[Probe]:
    """Of Erin's: an inquiry, a hidden thread, a hidden reply, one that she took back.

    Returned is what somebody would ask to learn of these.
    """
    Competition.objects.filter(pk=stage.contest.pk).update(forum_readers=readers)
    erin, olivia = builders.user("erin"), builders.user("olivia")
    words = {"competition": stage.contest, "user": erin, "title": SECRET, "text": SECRET}
    # Before what a walk writes, and one after the other: posts of one moment have no order.
    first, second, third = (NOON - timedelta(seconds=left) for left in (30, 20, 10))
    inquiry = start_thread(kind="inquiry", at=first, **words)
    reply(thread=inquiry, user=olivia, text=SECRET, at=second)
    hidden = start_thread(kind="talk", at=first, **words)
    hide_thread(thread=hidden, user=olivia, reason=SECRET, at=second)
    asked = stage.reply.thread
    said = reply(thread=asked, user=erin, text=SECRET, at=first)
    hide_post(post=said, user=olivia, reason="실례", at=second)
    gone = reply(thread=asked, user=erin, text=SECRET, at=second)
    delete_post(post=gone, user=erin, at=third)
    addresses = [
        *(f"{FORUM}?{query}" for query in ("kind=inquiry", "q=낱말", "q=비밀", "page=2")),
        *(f"{FORUM}/{thread.pk}" for thread in (inquiry, hidden)),
        *(f"{FORUM}/{one.thread_id}/{one.pk}" for one in Post.objects.filter(text=SECRET)),
    ]
    return [
        probe
        for where in addresses
        for probe in (Probe(where), Probe(where, "POST", lambda: {"text": "안녕"}))
    ]


def change(at: datetime) -> None:
    """Other words and times in all of it, and an open report."""
    private = Thread.objects.filter(title=SECRET)
    Post.objects.filter(text=SECRET).update(text=OTHER, folded=forum.fold(OTHER))
    post = Post.objects.select_related("thread").filter(text=OTHER)[0]
    made = {"competition_id": post.thread.competition_id, "user": builders.user("gil")}
    PostReport.objects.create(post=post, reason=OTHER, at=at, **made)
    private.exclude(hidden_at=None).update(hide_reason=OTHER)
    private.update(title=OTHER, last_post_at=at, waiting_since=None, posts=7)


def found(pages: Iterable[Page]) -> list[str]:
    """The requests whose answers hold words of it that were not in the request itself."""
    return [page.asked for page in pages if SECRET in page.text and "?q=" not in page.asked]
