"""What people write in a forum, and what organizers, assistants too, decide about it.

Whoever writes in a thread, or decides about it, has locked its row.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import User
from leaderboard.accounts.rate_limits import Limit, count
from leaderboard.actions.decisions import Deciding, not_an_editor, reason_within
from leaderboard.audit.log import KINDS
from leaderboard.community import webhooks
from leaderboard.community.forum import folded, followers, settle, threads_for
from leaderboard.community.models import (
    Post,
    PostReport,
    Subscription,
    Thread,
    Webhook,
)
from leaderboard.competitions.locking import lock, lock_one
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import is_organizer, organizers
from leaderboard.competitions.schedule import refuse_ended
from leaderboard.inbox.models import Notification
from leaderboard.inbox.news import as_news
from leaderboard.inbox.tell import retitle, withdraw, without_unread
from leaderboard.refusals import Forbidden, Invalid, Refused, Unknown
from leaderboard.teams.queries import team_of

KINDS |= {
    "forum.pinned": _("Pinned a thread"),
    "forum.unpinned": _("Unpinned a thread"),
    "forum.locked": _("Locked a thread"),
    "forum.unlocked": _("Unlocked a thread"),
    "forum.thread_hidden": _("Hid a thread"),
    "forum.thread_shown": _("Showed a hidden thread again"),
    "forum.post_hidden": _("Hid a post"),
    "forum.post_shown": _("Showed a hidden post again"),
    "forum.reports_dismissed": _("Dismissed the reports of a post"),
}

TITLE_LENGTH = 150
TEXT_LENGTH = 20_000
REASON_LENGTH = 300
# Nobody writes as fast as that for long. Organizers, who answer a whole class, are not counted.
THREADS = Limit(
    "too_many_threads", 10, timedelta(hours=1), _("You started {most} threads within the hour.")
)
POSTS = Limit(
    "too_many_posts", 20, timedelta(minutes=10), _("You wrote {most} posts in a short time.")
)
REPORTS = Limit(
    "too_many_reports", 20, timedelta(hours=1), _("You reported {most} posts within the hour.")
)
# A search looks through all posts, and a preview formats whatever was typed: without these one
# reader could keep every thread of the server busy. Members are known by name, so their searches
# are not counted: that would cost each of them five queries.
SEARCHES = Limit(
    "too_many_searches",
    60,
    timedelta(minutes=1),
    _("You searched {most} times in a short time."),
    _("You can search again in {minutes} min. You can still read the forum."),
)
PREVIEWS = Limit(
    "too_many_previews",
    30,
    timedelta(minutes=1),
    _("You opened {most} previews in a short time."),
    _("You can preview again in {minutes} min. You can still send your post."),
)

unknown_thread = partial(
    Unknown, "unknown_thread", _("There is no such thread. It may just have been hidden.")
)
unknown_post = partial(
    Unknown, "unknown_post", _("There is no such post. It may just have been deleted.")
)
not_the_author = partial(Forbidden, "not_the_author", _("Only its author can do this."))


# --- Who writes ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Writing(Deciding):
    """A person who writes in a forum, in their transaction; `runs_it`: as an organizer."""

    runs_it: bool

    def count(self, limit: Limit) -> None:
        """One more of these. Raises Refused for too many in a short time."""
        if not self.runs_it:
            count(limit, self.user.pk, self.at)

    def wrote(self, key: str) -> Post | None:
        """What this person wrote under the key already. They are locked: nobody is faster."""
        rows = Post.objects.select_related("thread__competition")
        return rows.filter(author=self.user, key=key).first() if key else None

    def write(self, thread: Thread, text: str, key: str, *, opens: bool) -> Post:
        """One post more. Who writes follows the thread."""
        post = Post.objects.create(
            competition_id=thread.competition_id,
            thread=thread,
            author=self.user,
            by_organizer=self.runs_it,
            opens=opens,
            at=self.at,
            text=text,
            folded=folded(thread.title if opens else "", text),
            key=key,
        )
        _follow(thread, self.user)
        return post

    def tell_followers(self, thread: Thread, kind: Notification.Kind, news: str) -> None:
        """Who follows the thread finds it in the inbox, once until they read it."""
        others = followers(thread).exclude(pk=self.user.pk)
        self.tell(others, kind, thread.pk, as_news(news, title=thread.title), again=True)

    def tell_organizers(self, about: str, thread: Thread) -> None:
        """One notice however many ask or report, until it is read."""
        people = User.objects.filter(pk__in=[row.user_id for row in organizers(self.competition)])
        people = without_unread(people.exclude(pk=self.user.pk), self.competition.pk, about=about)
        data = {"about": about, **as_news(f"thread.{about}")}
        self.tell(people, Notification.Kind.REPORTED, thread.pk, data)

    def tell_author(
        self, author: User, subject: UUID, thread: Thread, news: str, reason: str
    ) -> None:
        """Why what they wrote was hidden."""
        if author.pk != self.user.pk:
            data = {"about": "forum", "thread": str(thread.pk), "reason": reason, **as_news(news)}
            self.tell([author], Notification.Kind.WARNED, subject, data)

    def call(self, event: Webhook.Event, thread: Thread | None = None, title: str = "") -> None:
        """Let the contest's webhook say this; of an inquiry that there is one, and no more."""
        webhooks.queue(
            event,
            competition=self.competition.pk,
            subject=thread.pk if thread else None,
            title=title,
            at=self.at,
        )

    def decided(self, kind: str, subject: UUID, thread: Thread, reason: str = "") -> UUID:
        """Log it with the id of the thread: titles are their authors', who may take them back."""
        return self.record(kind, subject, after={"thread": str(thread.pk)}, reason=reason).pk


def _writing(competition: Competition, user: User, at: datetime, *, kind: str) -> Writing:
    """Raises Refused for who may not write in a thread of this kind.

    The person is locked: who is just closing the account writes nothing after it. Before the
    opening, during a pause and after the close people have questions too, so dates stop nobody. Of
    a disqualified team all that is left is to ask the organizers.
    """
    if not lock(User.objects.filter(pk=user.pk, is_active=True)):
        raise Forbidden("account_closed", _("This account is suspended or closed."))
    refuse_ended(competition)
    if is_organizer(user, competition):
        return Writing(competition, user, at, True)
    team = team_of(user, competition)
    if team is None:
        raise Forbidden(
            "not_in_forum",
            _("Only participants and organizers can write in the forum."),
            _("Join the competition first."),
        )
    if team.disqualified_at is not None and kind != Thread.Kind.INQUIRY:
        raise Forbidden(
            "disqualified",
            _("A disqualified team cannot write in the forum."),
            _("You can still send the organizers a private inquiry."),
        )
    return Writing(competition, user, at, False)


@contextmanager
def writing_in(thread: Thread, user: User, at: datetime) -> Iterator[tuple[Thread, Writing]]:
    """The thread as it is, locked until this transaction ends. Raises Refused."""
    with transaction.atomic():
        rows = Thread.objects.select_related("competition", "author").filter(pk=thread.pk)
        try:
            locked = lock_one(rows)
        except Thread.DoesNotExist:
            raise unknown_thread() from None
        who = _writing(locked.competition, user, at, kind=locked.kind)
        readable = threads_for(locked.competition, user, runs_it=who.runs_it)
        if not readable.filter(pk=locked.pk).exists():
            raise unknown_thread()
        yield locked, who


@contextmanager
def moderating(thread: Thread, user: User, at: datetime) -> Iterator[tuple[Thread, Writing]]:
    """The same for an organizer alone. Raises Refused."""
    with writing_in(thread, user, at) as (locked, who):
        if not who.runs_it:
            raise not_an_editor()
        yield locked, who


@contextmanager
def writing_on(post: Post, user: User, at: datetime) -> Iterator[tuple[Post, Writing]]:
    """The post as it is, its thread locked. Raises Refused."""
    with writing_in(post.thread, user, at) as (thread, who):
        found = _found(post, thread)
        if found.deleted_at is not None:
            raise unknown_post()
        yield found, who


def _found(post: Post, thread: Thread) -> Post:
    """The post as it is now, its thread locked. Raises Refused."""
    found = Post.objects.select_related("author").filter(pk=post.pk, thread=thread).first()
    if found is None:
        raise unknown_post()
    found.thread = thread
    return found


def clean_title(title: str) -> str:
    """The title as it is kept, in one line. Raises Refused."""
    title = " ".join(title.replace("\0", "").split())
    if not 1 <= len(title) <= TITLE_LENGTH:
        raise Invalid(
            "title_length", _("A title has 1 to {length} characters."), length=TITLE_LENGTH
        )
    return title


def clean_text(text: str) -> str:
    """The text as it is kept. Raises Refused."""
    text = text.replace("\0", "").replace("\r\n", "\n").strip()
    if not 1 <= len(text) <= TEXT_LENGTH:
        raise Invalid(
            "post_length", _("A post has 1 to {length:,} characters."), length=TEXT_LENGTH
        )
    return text


def _clean_reason(reason: str) -> str:
    return reason_within(reason.replace("\0", ""), REASON_LENGTH)


def _sent(key: str, *words: str) -> str:
    """What is kept of a form's key: other words from the same form, typed after going back to it,
    are another post. Nothing for none."""
    return hashlib.sha256("\0".join([key, *words]).encode()).hexdigest() if key else ""


# --- Threads and posts ---------------------------------------------------------------------------


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
    """Members and organizers may; the same words under one key are one thread. Raises Refused."""
    if kind not in Thread.Kind.values:
        raise Invalid("unknown_kind", _("Choose what kind of thread it is."))
    title, text = clean_title(title), clean_text(text)
    key = _sent(key, str(competition.pk), kind, title, text)
    with transaction.atomic():
        who = _writing(competition, user, at, kind=kind)
        if (earlier := who.wrote(key)) is not None:
            return earlier.thread
        if who.runs_it and kind == Thread.Kind.INQUIRY:
            raise Refused(
                "inquiry_of_organizer",
                _("An inquiry is for participants who ask the organizers."),
                _("To inform some teams, send them an announcement."),
            )
        who.count(THREADS)
        thread = Thread.objects.create(
            competition=competition,
            kind=kind,
            title=title,
            author=user,
            created_at=at,
            last_post_at=at,
            posts=1,
            waiting_since=at if kind in Thread.ASKING else None,
        )
        who.write(thread, text, key, opens=True)
        if kind == Thread.Kind.INQUIRY:
            who.tell_organizers("inquiry", thread)
            who.call(Webhook.Event.INQUIRY)
        elif kind == Thread.Kind.QUESTION and not who.runs_it:
            who.call(Webhook.Event.ASKED, thread, title)
    return thread


def reply(*, thread: Thread, user: User, text: str, key: str = "", at: datetime) -> Post:
    """Whoever may write and reads the thread; the same words under one key are one post. Raises
    Refused."""
    text = clean_text(text)
    key = _sent(key, str(thread.pk), text)
    with writing_in(thread, user, at) as (locked, who):
        if (earlier := who.wrote(key)) is not None:
            return earlier
        _refuse_closed(locked, who)
        who.count(POSTS)
        post = who.write(locked, text, key, opens=False)
        settle(locked)
        who.tell_followers(locked, Notification.Kind.POSTED, "thread.post")
        if locked.kind == Thread.Kind.INQUIRY and not who.runs_it:
            who.tell_organizers("inquiry", locked)
            who.call(Webhook.Event.INQUIRY)
    return post


def edit_post(*, post: Post, user: User, text: str, title: str = "", at: datetime) -> Post:
    """One's own, with the thread's title for the first post. Marked as edited. Raises Refused."""
    text = clean_text(text)
    with writing_on(post, user, at) as (locked, who):
        _refuse_others(locked, who)
        thread = locked.thread
        title = clean_title(title) if locked.opens else ""
        if text == locked.text and (not locked.opens or title == thread.title):
            raise Invalid("nothing_changes", _("Nothing was changed."))
        who.count(POSTS)
        is_retitled = locked.opens and title != thread.title
        if is_retitled:
            _entitle(thread, title)
        locked.text, locked.folded, locked.edited_at = text, folded(title, text), at
        locked.save(update_fields=["text", "folded", "edited_at"])
        if is_retitled:
            _retitle(thread, followers(thread))
    return locked


def delete_post(*, post: Post, user: User, at: datetime) -> Post:
    """One's own; its words are gone for all but the organizers. Raises Refused."""
    with writing_on(post, user, at) as (locked, who):
        _refuse_others(locked, who)
        locked.text, locked.folded, locked.deleted_at, locked.answers = "", "", at, False
        locked.save(update_fields=["text", "folded", "deleted_at", "answers"])
        if locked.opens:
            _entitle(locked.thread, "")
        settle(locked.thread)
        if locked.opens or locked.thread.deleted_at is not None:
            _retitle(locked.thread, User.objects.none())
    return locked


def mark_answer(*, post: Post, user: User, at: datetime) -> None:
    """This post answers the question: its author or an organizer says so. Raises Refused."""
    with writing_on(post, user, at) as (locked, who):
        thread = locked.thread
        _refuse_asked_by_another(thread, who)
        if not thread.asks or locked.opens or locked.hidden_at is not None:
            raise Refused("no_answer", _("This post cannot be the answer to the question."))
        if locked.answers:
            return
        thread.all_posts.filter(answers=True).update(answers=False)
        Post.objects.filter(pk=locked.pk).update(answers=True)
        settle(thread)
        who.tell_followers(thread, Notification.Kind.ANSWERED, "thread.answer")


def unmark_answer(*, thread: Thread, user: User, at: datetime) -> None:
    """Nothing answers the question after all. Raises Refused."""
    with writing_in(thread, user, at) as (locked, who):
        _refuse_asked_by_another(locked, who)
        locked.all_posts.filter(answers=True).update(answers=False)
        settle(locked)


def report(*, post: Post, user: User, reason: str, at: datetime) -> None:
    """Tell the organizers that a post breaks the rules; twice is once. Raises Refused."""
    reason = _clean_reason(reason)
    with writing_on(post, user, at) as (locked, who):
        if locked.author_id == user.pk or locked.hidden_at is not None:
            raise Refused("not_to_report", _("This post cannot be reported."))
        who.count(REPORTS)
        kept = {"competition_id": locked.competition_id, "at": at, "reason": reason}
        _kept, is_new = PostReport.objects.get_or_create(post=locked, user=user, defaults=kept)
        if is_new:
            who.tell_organizers("report", locked.thread)
            who.call(Webhook.Event.REPORTED, locked.thread)


def _entitle(thread: Thread, title: str) -> None:
    thread.title = title
    thread.save(update_fields=["title"])


def _retitle(thread: Thread, readers: QuerySet[User]) -> None:
    """The title of before is told no more, in no inbox and by no message that waits."""
    retitle(subject=thread.pk, title=thread.title, readers=readers)
    webhooks.retitle([thread.pk], thread.title)


def _refuse_closed(thread: Thread, who: Writing) -> None:
    if thread.deleted_at is not None:
        raise Refused(
            "thread_deleted",
            _("Every post in this thread was deleted or hidden."),
        )
    if thread.locked_at is not None and not who.runs_it:
        raise Refused(
            "thread_locked",
            _("An organizer has locked this thread."),
            _("Start a new one instead."),
        )


def _refuse_others(post: Post, who: Writing) -> None:
    """Raises Refused for all but the author, and for what an organizer has closed or hidden."""
    if post.author_id != who.user.pk:
        raise not_the_author()
    if post.hidden_at is not None or post.thread.hidden_at is not None:
        raise Refused(
            "post_hidden",
            _("An organizer hid this, so it cannot be changed."),
            _("If you disagree, send the organizers a private inquiry."),
        )
    _refuse_closed(post.thread, who)


def _refuse_asked_by_another(thread: Thread, who: Writing) -> None:
    if thread.author_id != who.user.pk and not who.runs_it:
        raise not_the_author()


# --- Who follows ---------------------------------------------------------------------------------


def follow(*, thread: Thread, user: User, follows: bool, at: datetime) -> None:
    """Be told of what is written in the thread, or no more. Raises Refused."""
    with writing_in(thread, user, at) as (locked, _):
        if follows:
            _follow(locked, user)
        else:
            Subscription.objects.filter(thread=locked, user=user).delete()


def _follow(thread: Thread, user: User) -> None:
    """Following twice is following."""
    Subscription.objects.bulk_create(
        [Subscription(thread=thread, user=user)], ignore_conflicts=True, batch_size=1
    )


# --- What organizers decide ----------------------------------------------------------------------


def pin(*, thread: Thread, user: User, pinned: bool, at: datetime) -> None:
    """On top of the forum, or no more. Raises Refused."""
    with moderating(thread, user, at) as (found, who):
        if (found.pinned_at is not None) is pinned:
            return
        found.pinned_at = at if pinned else None
        settle(found)
        who.decided("forum.pinned" if pinned else "forum.unpinned", found.pk, found)


def close(*, thread: Thread, user: User, locked: bool, at: datetime) -> None:
    """Nobody but organizers writes in it any more, or everybody again. Raises Refused."""
    with moderating(thread, user, at) as (found, who):
        if (found.locked_at is not None) is locked:
            return
        found.locked_at = at if locked else None
        settle(found)
        who.decided("forum.locked" if locked else "forum.unlocked", found.pk, found)


def hide_thread(*, thread: Thread, user: User, reason: str, at: datetime) -> None:
    """Out of the forum; its author, who still reads it, is told why. Raises Refused."""
    reason = _clean_reason(reason)
    with moderating(thread, user, at) as (found, who):
        if found.hidden_at is not None:
            raise Refused("already_hidden", _("This is already hidden."))
        found.hidden_at, found.hide_reason = at, reason
        settle(found)
        PostReport.objects.filter(post__thread=found, settled_at=None).update(settled_at=at)
        withdraw(subjects=[found.pk])
        event = who.decided("forum.thread_hidden", found.pk, found, reason)
        who.tell_author(found.author, event, found, "thread.hidden", reason)
        webhooks.retitle([found.pk])  # locked last


def show_thread(*, thread: Thread, user: User, at: datetime) -> None:
    """In the forum again. Raises Refused."""
    with moderating(thread, user, at) as (found, who):
        if found.hidden_at is None:
            raise Refused("not_hidden", _("This is not hidden."))
        found.hidden_at, found.hide_reason = None, ""
        settle(found)
        who.decided("forum.thread_shown", found.pk, found)


def hide_post(*, post: Post, user: User, reason: str, at: datetime) -> None:
    """Its place says why; its author, who still reads it, is told. Raises Refused."""
    reason = _clean_reason(reason)
    with moderating(post.thread, user, at) as (thread, who):
        found = _found(post, thread)
        if found.opens:
            raise Refused(
                "hide_the_thread",
                _("This is a thread's first post."),
                _("Hide the whole thread instead."),
            )
        if found.hidden_at is not None:
            raise Refused("already_hidden", _("This is already hidden."))
        found.hidden_at, found.hide_reason, found.answers = at, reason, False
        found.save(update_fields=["hidden_at", "hide_reason", "answers"])
        settle(thread)
        _settle_reports(found, at)
        event = who.decided("forum.post_hidden", found.pk, thread, reason)
        who.tell_author(found.author, event, thread, "post.hidden", reason)
        if thread.deleted_at is not None:  # nothing else in it could be read
            withdraw(subjects=[thread.pk])


def show_post(*, post: Post, user: User, at: datetime) -> None:
    """For everybody again who reads the thread. Raises Refused."""
    with moderating(post.thread, user, at) as (thread, who):
        found = _found(post, thread)
        if found.hidden_at is None:
            raise Refused("not_hidden", _("This is not hidden."))
        found.hidden_at, found.hide_reason = None, ""
        found.save(update_fields=["hidden_at", "hide_reason"])
        settle(thread)
        who.decided("forum.post_shown", found.pk, thread)


def dismiss_reports(*, post: Post, user: User, at: datetime) -> None:
    """The post may stay as it is. Raises Refused."""
    with moderating(post.thread, user, at) as (thread, who):
        if not _settle_reports(_found(post, thread), at):
            raise Refused("nothing_reported", _("This post has no open reports."))
        who.decided("forum.reports_dismissed", post.pk, thread)


def _settle_reports(post: Post, at: datetime) -> int:
    """An organizer has looked at the post; answers how many reports that settles."""
    return PostReport.objects.filter(post=post, settled_at=None).update(settled_at=at)
