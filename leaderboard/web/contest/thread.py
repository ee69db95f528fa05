"""One thread of a forum: its posts, answering, and what can be done about it as a whole."""

from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID

from django.core.paginator import Page
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.actions import forum as actions
from leaderboard.actions import moderation
from leaderboard.community import reading
from leaderboard.community.models import Post
from leaderboard.web import find, markdown
from leaderboard.web.contest.forum import (
    POSTS_SHOWN,
    Byline,
    ForumPage,
    ReplyForm,
    WhyForm,
    bylines,
)
from leaderboard.web.page import page


@dataclass(frozen=True)
class PostLine:
    """A post as it is shown. `html` is None where its words are not for this reader."""

    post: Any  # as `reading.posts_for` reads it
    by: Byline
    html: SafeString | None
    new: bool
    own: bool
    reported: bool


@page("forum/<uuid:thread_id>", "thread")
class ThreadPage(ForumPage):
    """`/c/<slug>/forum/<id>`: its posts in pages, the answer below the question, and what can be
    done about the thread."""

    template = "thread.html"
    default = "reply"
    forms: ClassVar = {"reply": ReplyForm, "preview": ReplyForm, "hide": WhyForm}
    beside: ClassVar = {"reply": None, "hide": "reason"}
    thread: Any  # a Thread, with what `reading.with_following` adds

    def open(self, **address: UUID) -> None:
        rows = reading.with_following(self.threads, self.request.user)
        self.thread = get_object_or_404(rows, pk=address["thread_id"])
        self.thread.competition = self.competition

    def do_reply(self) -> HttpResponse:
        post = actions.reply(thread=self.thread, user=self.user, at=self.at, **self.typed())
        return redirect(post_address(post, page_of_post(post)))

    def do_follow(self) -> str:
        self._follow(True)
        return _("Your inbox will tell you what is written here.")

    def do_unfollow(self) -> str:
        self._follow(False)
        return _("Your inbox will not tell you of this thread any more.")

    def _follow(self, follows: bool) -> None:
        actions.follow(thread=self.thread, user=self.user, follows=follows, at=self.at)

    def do_read(self) -> HttpResponse | None:
        actions.mark_read(thread=self.thread, user=self.user, at=self.at)
        # The page that is open sends this by itself and needs no other one.
        return HttpResponse(status=204) if self.request.htmx else None

    def do_answer(self) -> str:
        post = get_object_or_404(self.thread.all_posts, pk=self.key())
        actions.mark_answer(post=post, user=self.user, at=self.at)
        return _("It stands below the question now.")

    def do_unanswer(self) -> str:
        actions.unmark_answer(thread=self.thread, user=self.user, at=self.at)
        return _("Nothing is marked as the answer any more.")

    def do_pin(self) -> None:
        moderation.pin(pinned=self.thread.pinned_at is None, **self._on_thread())

    def do_lock(self) -> None:
        moderation.close(locked=self.thread.locked_at is None, **self._on_thread())

    def do_hide(self) -> str:
        moderation.hide_thread(**self._on_thread(), **self.typed())
        return _("The thread is hidden. Its author was told why.")

    def do_unhide(self) -> str:
        moderation.show_thread(**self._on_thread())
        return _("The thread is shown again.")

    def _on_thread(self) -> dict[str, Any]:
        return {"thread": self.thread, "user": self.user, "at": self.at}

    def context(self) -> dict[str, Any]:
        thread = self.thread
        posts: Page[Any] = find.page_of(self.request, reading.posts_for(thread), POSTS_SHOWN)
        shown = list(posts)
        answer = None
        if thread.answered and posts.number == 1 and not any(post.answers for post in shown[:2]):
            answer = self._answer()
        known = [post.author for post in (*shown, *([answer] if answer else []))]
        self.by = bylines(self.viewer, known)
        self.read = reading.read_until(thread, self.request.user)
        lines = [self._line(post) for post in shown]
        own = thread.author_id == self.request.user.pk
        return {
            "thread": thread,
            "pages": posts,
            "lines": lines,
            "answer": self._line(answer) if answer else None,
            "has_new": any(line.new for line in lines),
            "own": own,
            "runs_it": self.runs_it,
            "may_write": self._may_reply(),
            "may_answer": thread.asks and self.may_write and (own or self.runs_it),
            "form": self.form("reply"),
            "hide": self.form("hide") if self.runs_it else None,
        }

    def _may_reply(self) -> bool:
        is_locked = self.thread.locked_at is not None and not self.runs_it
        return self.may_write and not is_locked and self.thread.deleted_at is None

    def form(self, verb: str, **options: Any) -> Form:
        if verb == "reply" and self.verb == "preview" and self.bound is not None:
            return self.bound
        return super().form(verb, **options)

    def auto_id(self, verb: str) -> str:
        return f"{verb}_%s"

    def _answer(self) -> Any:
        return reading.posts_for(self.thread).filter(answers=True).first()

    def _line(self, post: Any) -> PostLine:
        user = self.request.user
        words = post.deleted_at is None and reading.reads_words(post, user, runs_it=self.runs_it)
        own = post.author_id == user.pk
        return PostLine(
            post=post,
            by=self.by[post.author_id],
            html=markdown.render_post(post.text) if words else None,
            new=not own and self.may_write and (self.read is None or post.at > self.read),
            own=own,
            reported=self.runs_it and post.reported,
        )


def page_of_post(post: Post) -> int:
    """The page of its thread that it stands on."""
    return 1 + reading.posts_before(post) // POSTS_SHOWN


def post_address(post: Post, number: int = 1) -> str:
    """Where the post stands, on this page of its thread."""
    slug = post.thread.competition.slug
    where = reverse("thread", args=[slug, post.thread_id])
    return f"{where}{f'?page={number}' if number > 1 else ''}#{post.pk}"
