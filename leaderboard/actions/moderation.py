"""What organizers decide about a forum, assistants too: pin, lock, hide with a reason, reports."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import Deciding, reason_within, refuse_ended
from leaderboard.actions.refusals import Refused
from leaderboard.community import forum
from leaderboard.community.models import Post, Thread
from leaderboard.community.webhooks import retitle
from leaderboard.competitions.locking import lock_one
from leaderboard.competitions.roles import is_organizer
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import News
from leaderboard.inbox.tell import withdraw

REASON_LENGTH = 300


@contextmanager
def _deciding(thread: Thread, user: User, at: datetime) -> Iterator[tuple[Thread, Deciding]]:
    """The thread, locked, for every organizer of its contest. Raises Refused."""
    with transaction.atomic():
        rows = Thread.objects.select_related("competition", "author").filter(pk=thread.pk)
        try:
            locked = lock_one(rows)
        except Thread.DoesNotExist:
            raise Refused("unknown_thread") from None
        if not is_organizer(user, locked.competition):
            raise Refused("not_an_editor")
        refuse_ended(locked.competition)
        yield locked, Deciding(locked.competition, user, at)


def pin(*, thread: Thread, user: User, pinned: bool, at: datetime) -> None:
    """On top of the forum, or no more. Raises Refused."""
    with _deciding(thread, user, at) as (locked, decision):
        if (locked.pinned_at is not None) is pinned:
            return
        locked.pinned_at = at if pinned else None
        forum.settle(locked)
        decision.record(
            "forum.pinned" if pinned else "forum.unpinned", locked.pk, after=_of(locked)
        )


def close(*, thread: Thread, user: User, locked: bool, at: datetime) -> None:
    """Nobody but organizers writes in it any more, or everybody again. Raises Refused."""
    with _deciding(thread, user, at) as (found, decision):
        if (found.locked_at is not None) is locked:
            return
        found.locked_at = at if locked else None
        forum.settle(found)
        decision.record("forum.locked" if locked else "forum.unlocked", found.pk, after=_of(found))


def hide_thread(*, thread: Thread, user: User, reason: str, at: datetime) -> None:
    """Out of the forum; its author, who still reads it, is told why. Raises Refused."""
    reason = reason_within(reason.replace("\0", ""), REASON_LENGTH)
    with _deciding(thread, user, at) as (locked, decision):
        if locked.hidden_at is not None:
            raise Refused("already_hidden")
        locked.hidden_at, locked.hide_reason = at, reason
        forum.settle(locked)
        for post in locked.all_posts.all():
            forum.settle_reports(post, at=at)
        withdraw(subjects=[locked.pk])
        event = decision.record("forum.thread_hidden", locked.pk, after=_of(locked), reason=reason)
        _tell_author(decision, locked.author, event.pk, locked, "thread.hidden", reason)
        retitle([locked.pk])  # locked last


def show_thread(*, thread: Thread, user: User, at: datetime) -> None:
    """In the forum again. Raises Refused."""
    with _deciding(thread, user, at) as (locked, decision):
        if locked.hidden_at is None:
            raise Refused("not_hidden")
        locked.hidden_at, locked.hide_reason = None, ""
        forum.settle(locked)
        decision.record("forum.thread_shown", locked.pk, after=_of(locked))


def hide_post(*, post: Post, user: User, reason: str, at: datetime) -> None:
    """Its place says why; its author, who still reads it, is told. Raises Refused.

    What is reported of it is settled with that. To hide a first post, hide the thread.
    """
    reason = reason_within(reason.replace("\0", ""), REASON_LENGTH)
    with _deciding(post.thread, user, at) as (thread, decision):
        found = _found(post, thread)
        if found.opens:
            raise Refused("hide_the_thread")
        if found.hidden_at is not None:
            raise Refused("already_hidden")
        forum.hide(found, reason=reason, at=at)
        forum.settle_reports(found, at=at)
        event = decision.record("forum.post_hidden", found.pk, after=_of(thread), reason=reason)
        _tell_author(decision, found.author, event.pk, thread, "post.hidden", reason)
        if thread.deleted_at is not None:  # nothing else in it could be read
            withdraw(subjects=[thread.pk])


def show_post(*, post: Post, user: User, at: datetime) -> None:
    """For everybody again who reads the thread. Raises Refused."""
    with _deciding(post.thread, user, at) as (thread, decision):
        found = _found(post, thread)
        if found.hidden_at is None:
            raise Refused("not_hidden")
        forum.unhide(found)
        decision.record("forum.post_shown", found.pk, after=_of(thread))


def dismiss_reports(*, post: Post, user: User, at: datetime) -> None:
    """The post may stay as it is. Raises Refused."""
    with _deciding(post.thread, user, at) as (thread, decision):
        if not forum.settle_reports(_found(post, thread), at=at):
            raise Refused("nothing_reported")
        decision.record("forum.reports_dismissed", post.pk, after=_of(thread))


def _found(post: Post, thread: Thread) -> Post:
    """The post as it is now, its thread locked. Raises Refused."""
    found = Post.objects.select_related("author").filter(pk=post.pk, thread=thread).first()
    if found is None:
        raise Refused("unknown_post")
    found.thread = thread
    return found


def _of(thread: Thread) -> dict[str, str]:
    """What the log keeps: the id, for titles are their authors', who may take them back."""
    return {"thread": str(thread.pk)}


def _tell_author(
    decision: Deciding, author: User, subject: UUID, thread: Thread, news: str, reason: str
) -> None:
    if author.pk != decision.user.pk:
        data = {"about": "forum", "thread": str(thread.pk), "reason": reason, **News(news).kept}
        decision.tell([author], Notification.Kind.WARNED, subject, data)
