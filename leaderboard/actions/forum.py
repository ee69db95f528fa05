"""What people write in a forum: threads, answers, their own words anew, reports, following."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from leaderboard.accounts.models import User
from leaderboard.accounts.rate_limits import Limit
from leaderboard.actions.decisions import Deciding, reason_within, refuse_ended
from leaderboard.actions.refusals import Refused, count
from leaderboard.community import forum, webhooks
from leaderboard.community.models import Post, Thread, Webhook
from leaderboard.community.reading import followers, threads_for
from leaderboard.community.webhooks import queue
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import is_organizer, organizers
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import News
from leaderboard.inbox.tell import retitle, tell, without_unread
from leaderboard.teams.queries import team_of

TITLE_LENGTH = 150
TEXT_LENGTH = 20_000
REPORT_LENGTH = 300
# Nobody writes as fast as that for long. Organizers, who answer a whole class, are not counted.
THREADS = Limit("too_many_threads", 10, timedelta(hours=1))
POSTS = Limit("too_many_posts", 20, timedelta(minutes=10))
REPORTS = Limit("too_many_reports", 20, timedelta(hours=1))
# A search looks through all posts, and a preview formats whatever was typed: without these one
# reader could keep every thread of the server busy. Members are known by name, so their searches
# are not counted: that would cost each of them five queries.
SEARCHES = Limit("too_many_searches", 60, timedelta(minutes=1))  # of an address of visitors
PREVIEWS = Limit("too_many_previews", 30, timedelta(minutes=1))


@dataclass(frozen=True)
class Writing:
    """A person who writes in a forum, in their transaction; `runs_it`: as an organizer."""

    competition: Competition
    user: User
    runs_it: bool
    at: datetime

    def count(self, limit: Limit) -> None:
        """One more of these. Raises Refused for too many in a short time."""
        if not self.runs_it:
            count(limit, str(self.user.pk), self.at)

    def wrote(self, key: str) -> Post | None:
        """What this person wrote under the key already. They are locked: nobody is faster."""
        rows = Post.objects.select_related("thread__competition")
        return rows.filter(author=self.user, key=key).first() if key else None

    def tell_followers(self, thread: Thread, kind: Notification.Kind, news: str) -> None:
        """Who follows the thread finds it in the inbox, once until they read it."""
        tell(
            users=followers(thread).exclude(pk=self.user.pk),
            kind=kind,
            subject=thread.pk,
            competition=self.competition.pk,
            competition_slug=self.competition.slug,
            data=News(news, title=thread.title).kept,
            at=self.at,
            again=True,
        )

    def tell_organizers(self, about: str, thread: Thread) -> None:
        """One notice however many ask or report, until it is read."""
        people = User.objects.filter(pk__in=[row.user_id for row in organizers(self.competition)])
        people = without_unread(people.exclude(pk=self.user.pk), self.competition.pk, about=about)
        decision = Deciding(self.competition, self.user, self.at)
        data = {"about": about, **News(f"thread.{about}").kept}
        decision.tell(people, Notification.Kind.REPORTED, thread.pk, data)


def _writing(competition: Competition, user: User, at: datetime, *, kind: str) -> Writing:
    """Raises Refused for who may not write in a thread of this kind.

    The person is locked: who is just closing the account writes nothing after it. Before the
    opening, during a pause and after the close people have questions too, so dates stop nobody. Of
    a disqualified team all that is left is to ask the organizers.
    """
    if not lock(User.objects.filter(pk=user.pk, is_active=True)):
        raise Refused("account_closed")
    refuse_ended(competition)
    if is_organizer(user, competition):
        return Writing(competition, user, True, at)
    team = team_of(user, competition)
    if team is None:
        raise Refused("not_in_forum")
    if team.disqualified_at is not None and kind != Thread.Kind.INQUIRY:
        raise Refused("disqualified.forum")
    return Writing(competition, user, False, at)


@contextmanager
def writing_in(thread: Thread, user: User, at: datetime) -> Iterator[tuple[Thread, Writing]]:
    """The thread as it is, locked until this transaction ends. Raises Refused."""
    with transaction.atomic():
        try:
            locked = lock_one(Thread.objects.select_related("competition").filter(pk=thread.pk))
        except Thread.DoesNotExist:
            raise Refused("unknown_thread") from None
        who = _writing(locked.competition, user, at, kind=locked.kind)
        readable = threads_for(locked.competition, user, runs_it=who.runs_it)
        if not readable.filter(pk=locked.pk).exists():
            raise Refused("unknown_thread")
        yield locked, who


@contextmanager
def writing_on(post: Post, user: User, at: datetime) -> Iterator[tuple[Post, Writing]]:
    """The post as it is, its thread locked. Raises Refused."""
    with writing_in(post.thread, user, at) as (thread, who):
        found = Post.objects.filter(pk=post.pk, thread=thread).first()
        if found is None or found.deleted_at is not None:
            raise Refused("unknown_post")
        found.thread = thread
        yield found, who


def clean_title(title: str) -> str:
    """The title as it is kept, in one line. Raises Refused."""
    title = " ".join(title.replace("\0", "").split())
    if not 1 <= len(title) <= TITLE_LENGTH:
        raise Refused("title_length", length=TITLE_LENGTH)
    return title


def clean_text(text: str) -> str:
    """The text as it is kept. Raises Refused."""
    text = text.replace("\0", "").replace("\r\n", "\n").strip()
    if not 1 <= len(text) <= TEXT_LENGTH:
        raise Refused("post_length", length=TEXT_LENGTH)
    return text


def _sent(key: str, *words: str) -> str:
    """What is kept of a form's key: other words from the same form, typed after going back to it,
    are another post. Nothing for none."""
    return hashlib.sha256("\0".join([key, *words]).encode()).hexdigest() if key else ""


def start_thread(
    *,
    competition: Competition,
    user: User,
    kind: str,
    title: str,
    text: str,
    key: str = "",
    at: datetime,
) -> Thread:
    """Members and organizers may. Of an inquiry the organizers alone know. Raises Refused.

    The same words under the same key are the same thread.
    """
    if kind not in Thread.Kind.values:
        raise Refused("unknown_kind")
    title, text = clean_title(title), clean_text(text)
    key = _sent(key, str(competition.pk), kind, title, text)
    with transaction.atomic():
        who = _writing(competition, user, at, kind=kind)
        if (earlier := who.wrote(key)) is not None:
            return earlier.thread
        if who.runs_it and kind == Thread.Kind.INQUIRY:
            raise Refused("inquiry_of_organizer")
        who.count(THREADS)
        thread = forum.start(
            competition=competition,
            author=user,
            by_organizer=who.runs_it,
            kind=kind,
            title=title,
            text=text,
            key=key,
            at=at,
        )
        if kind == Thread.Kind.INQUIRY:
            who.tell_organizers("inquiry", thread)
            queue(Webhook.Event.INQUIRY, competition=competition.pk, at=at)
        elif kind == Thread.Kind.QUESTION and not who.runs_it:
            queue(
                Webhook.Event.ASKED,
                competition=competition.pk,
                subject=thread.pk,
                title=title,
                at=at,
            )
    return thread


def reply(*, thread: Thread, user: User, text: str, key: str = "", at: datetime) -> Post:
    """Whoever may write and reads the thread, unless it is locked. Raises Refused.

    The same words under the same key are the same post.
    """
    text = clean_text(text)
    key = _sent(key, str(thread.pk), text)
    with writing_in(thread, user, at) as (locked, who):
        if (earlier := who.wrote(key)) is not None:
            return earlier
        _refuse_closed(locked, who)
        who.count(POSTS)
        post = forum.add(locked, author=user, by_organizer=who.runs_it, text=text, key=key, at=at)
        who.tell_followers(locked, Notification.Kind.POSTED, "thread.post")
        if locked.kind == Thread.Kind.INQUIRY and not who.runs_it:
            who.tell_organizers("inquiry", locked)
            queue(Webhook.Event.INQUIRY, competition=locked.competition_id, at=at)
    return post


def edit_post(*, post: Post, user: User, text: str, title: str = "", at: datetime) -> Post:
    """One's own, with the thread's title for the first post. Marked as edited. Raises Refused."""
    text = clean_text(text)
    with writing_on(post, user, at) as (locked, who):
        _refuse_others(locked, who)
        title = clean_title(title) if locked.opens else ""
        if text == locked.text and (not locked.opens or title == locked.thread.title):
            raise Refused("nothing_changes")
        who.count(POSTS)
        was_called = locked.thread.title if locked.opens else ""
        forum.reword(locked, title=title, text=text, at=at)
        if title != was_called:
            _retitle(locked.thread, title, followers(locked.thread))
    return locked


def delete_post(*, post: Post, user: User, at: datetime) -> Post:
    """One's own; its words are gone for all but the organizers. Raises Refused."""
    with writing_on(post, user, at) as (locked, who):
        _refuse_others(locked, who)
        forum.take_back(locked, at=at)
        if locked.opens or locked.thread.deleted_at is not None:
            _retitle(locked.thread, "", User.objects.none())
    return locked


def mark_answer(*, post: Post, user: User, at: datetime) -> None:
    """This post answers the question: its author says so, or an organizer. Followers are told.

    Raises Refused.
    """
    with writing_on(post, user, at) as (locked, who):
        thread = locked.thread
        _refuse_asked_by_another(thread, who)
        if not thread.asks or locked.opens or locked.hidden_at is not None:
            raise Refused("no_answer")
        if locked.answers:
            return
        forum.mark_answer(thread, locked)
        who.tell_followers(thread, Notification.Kind.ANSWERED, "thread.answer")


def unmark_answer(*, thread: Thread, user: User, at: datetime) -> None:
    """Nothing answers the question after all. Raises Refused."""
    with writing_in(thread, user, at) as (locked, who):
        _refuse_asked_by_another(locked, who)
        forum.mark_answer(locked, None)


def report(*, post: Post, user: User, reason: str, at: datetime) -> None:
    """Tell the organizers that a post breaks the rules; a second time changes nothing.

    Raises Refused.
    """
    reason = reason_within(reason.replace("\0", ""), REPORT_LENGTH)
    with writing_on(post, user, at) as (locked, who):
        if locked.author_id == user.pk or locked.hidden_at is not None:
            raise Refused("not_to_report")
        who.count(REPORTS)
        if forum.report(locked, user=user, reason=reason, at=at):
            who.tell_organizers("report", locked.thread)
            about = locked.thread
            queue(
                Webhook.Event.REPORTED,
                competition=about.competition_id,
                subject=about.pk,
                at=at,
            )


def follow(*, thread: Thread, user: User, follows: bool, at: datetime) -> None:
    """Be told of what is written in the thread, or no more. Raises Refused."""
    with writing_in(thread, user, at) as (locked, _):
        change = forum.follow if follows else forum.unfollow
        change(locked, user=user)


def mark_read(*, thread: Thread, user: User, at: datetime) -> None:
    """This person has read the thread up to now."""
    forum.mark_read(thread, user=user, at=at)


def mark_all_read(*, competition: Competition, user: User, at: datetime) -> None:
    """This person has read the forum up to now."""
    with transaction.atomic():
        forum.mark_all_read(competition, user=user, at=at)


def _retitle(thread: Thread, title: str, readers: QuerySet[User]) -> None:
    """The title of before is told no more, in no inbox and by no message that waits."""
    retitle(subject=thread.pk, title=title, readers=readers)
    webhooks.retitle([thread.pk], title)


def _refuse_closed(thread: Thread, who: Writing) -> None:
    if thread.deleted_at is not None:
        raise Refused("thread_deleted")
    if thread.locked_at is not None and not who.runs_it:
        raise Refused("thread_locked")


def _refuse_others(post: Post, who: Writing) -> None:
    """Raises Refused for all but the author, and for what an organizer has closed or hidden."""
    if post.author_id != who.user.pk:
        raise Refused("not_the_author")
    if post.hidden_at is not None or post.thread.hidden_at is not None:
        raise Refused("post_hidden")
    _refuse_closed(post.thread, who)


def _refuse_asked_by_another(thread: Thread, who: Writing) -> None:
    if thread.author_id != who.user.pk and not who.runs_it:
        raise Refused("not_the_author")
