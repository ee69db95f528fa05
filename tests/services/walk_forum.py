"""Steps of the random walk in which people write in the forum, and organizers keep order there."""

from typing import ClassVar

from leaderboard.actions.forum import (
    close,
    delete_post,
    dismiss_reports,
    edit_post,
    follow,
    hide_post,
    hide_thread,
    mark_all_read,
    mark_answer,
    mark_read,
    pin,
    reply,
    report,
    show_post,
    show_thread,
    start_thread,
    unmark_answer,
)
from leaderboard.community.models import Post, Thread
from tests.services.walker import Walker


class ForumSteps(Walker):
    WEIGHTS: ClassVar[dict[str, int]] = {
        "start_thread": 6,
        "reply": 10,
        "edit_post": 4,
        "delete_post": 2,
        "mark_answer": 4,
        "report": 2,
        "read": 3,
        "moderate": 5,
    }

    def start_thread(self) -> None:
        user = self.dice.choice([self.person(), self.olivia])
        words = {"title": "제목", "text": f"글 {self.dice.random()}", "at": self.moment()}
        kind = self.dice.choice(Thread.Kind.values)
        start_thread(competition=self.contest(), user=user, kind=kind, **words)

    def reply(self) -> bool:
        if (thread := self._thread()) is None:
            return False
        user = self.dice.choice([self.person(), self.olivia])
        reply(thread=thread, user=user, text=f"답 {self.dice.random()}", at=self.moment())
        return True

    def edit_post(self) -> bool:
        if (post := self._post()) is None:
            return False
        text = f"새 글 {self.dice.random()}"
        edit_post(post=post, user=post.author, title="새 제목", text=text, at=self.moment())
        return True

    def delete_post(self) -> bool:
        if (post := self._post()) is None:
            return False
        delete_post(post=post, user=post.author, at=self.moment())
        return True

    def mark_answer(self) -> bool:
        post = self._post(opens=False, thread__kind__in=Thread.ASKING)
        if post is None:
            return False
        if self.dice.random() < 0.2:
            unmark_answer(thread=post.thread, user=post.thread.author, at=self.moment())
        else:
            mark_answer(post=post, user=post.thread.author, at=self.moment())
        return True

    def report(self) -> bool:
        if (post := self._post()) is None:
            return False
        report(post=post, user=self.person(), reason="광고", at=self.moment())
        return True

    def read(self) -> bool:
        if (thread := self._thread()) is None:
            return False
        user, at = self.person(), self.moment()
        follow(thread=thread, user=user, follows=self.dice.random() < 0.7, at=at)
        mark_read(thread=thread, user=user, at=at)
        if self.dice.random() < 0.2:
            mark_all_read(competition=thread.competition, user=user, at=at)
        return True

    def moderate(self) -> bool:
        """Whatever an organizer, or somebody who may be one, decides about a thread or a post."""
        if (post := self._post()) is None:
            return False
        who = {"user": self.organizer(), "at": self.moment()}
        match self.dice.randrange(6):
            case 0:
                pin(thread=post.thread, pinned=post.thread.pinned_at is None, **who)
            case 1:
                close(thread=post.thread, locked=post.thread.locked_at is None, **who)
            case 2:
                hide_thread(thread=post.thread, reason="도배", **who)
            case 3:
                show_thread(thread=post.thread, **who)
            case 4:
                hide = post.hidden_at is None
                hide_post(post=post, reason="실례", **who) if hide else show_post(post=post, **who)
            case _:
                dismiss_reports(post=post, **who)
        return True

    def _thread(self) -> Thread | None:
        found: Thread | None = self.one(Thread.objects.select_related("competition", "author"))
        return found

    def _post(self, **where: object) -> Post | None:
        rows = Post.objects.filter(**where).select_related(
            "author", "thread__competition", "thread__author"
        )
        found: Post | None = self.one(rows)
        return found
