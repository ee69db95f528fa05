"""Who reads what of a forum: threads, posts, search, and what waits for the organizers."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import StrIndex

from leaderboard.accounts.models import User
from leaderboard.community.forum import fold
from leaderboard.community.models import Post, ReadMark, Report, Subscription, Thread
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import Anyone

SEARCH_LENGTH = 100
FOUND = 300


def may_read_forum(competition: Competition, *, takes_part: bool, runs_it: bool) -> bool:
    """Whether somebody who may know of the contest reads its forum.

    A private contest's is never for everybody.
    """
    public = competition.forum_readers == Competition.ForumReaders.PUBLIC
    return takes_part or runs_it or (public and not competition.is_private)


def threads_for(competition: Competition, user: Anyone, *, runs_it: bool) -> QuerySet[Thread]:
    """The threads that somebody may read who reads the forum: organizers all of them.

    An inquiry is its author's and the organizers'; a hidden thread too.
    """
    rows = Thread.objects.filter(competition=competition).select_related("author")
    if runs_it:
        return rows
    everybodys = Q(hidden_at=None) & ~Q(kind=Thread.Kind.INQUIRY)
    own = Q(author=user) if isinstance(user, User) else Q(pk__in=())
    return rows.filter(everybodys | own, deleted_at=None)


def posts_for(thread: Thread) -> QuerySet[Any]:
    """All posts of a thread, the first one first, hidden and deleted ones with their places.

    `reported`: whether a report of it is open.
    """
    is_open = Report.objects.filter(post=OuterRef("pk"), settled_at=None)
    rows = Post.objects.filter(thread=thread).annotate(reported=Exists(is_open))
    return rows.select_related("author").order_by("at", "pk")


def posts_before(post: Post) -> int:
    """How many stand before this one in its thread."""
    earlier = Q(at__lt=post.at) | Q(at=post.at, pk__lt=post.pk)
    return Post.objects.filter(earlier, thread=post.thread_id).count()


def reads_words(post: Post, user: Anyone, *, runs_it: bool) -> bool:
    """Whether this person reads a post's words: hidden ones its author and organizers do."""
    return post.hidden_at is None or runs_it or post.author_id == user.pk


def searched(threads: QuerySet[Thread], wanted: str, *, runs_it: bool) -> list[Thread]:
    """The newest FOUND of these threads in which a post, or the title, holds what was typed.

    The text is compared as it is stored, composed and without case, so that it does not matter how
    a keyboard composes 한글. Threads are looked through in their order, until enough are found.
    """
    rows = Post.objects.filter(thread=OuterRef("pk"))
    if not runs_it:
        rows = rows.filter(hidden_at=None)
    place = StrIndex("folded", Value(fold(wanted[:SEARCH_LENGTH])))
    return list(threads.filter(Exists(rows.annotate(place=place).filter(place__gt=0)))[:FOUND])


def unread(threads: Iterable[Thread], competition: Competition, user: Anyone) -> set[UUID]:
    """The ids of those in which something was written since this person looked. One query."""
    if not isinstance(user, User):
        return set()
    threads = list(threads)
    wanted = Q(thread__in=[thread.pk for thread in threads]) | Q(thread=None)
    rows = ReadMark.objects.filter(wanted, competition=competition, user=user)
    read: dict[UUID | None, datetime] = dict(rows.values_list("thread", "at"))
    whole = read.get(None)

    def is_read(thread: Thread) -> bool:
        marks = [at for at in (whole, read.get(thread.pk)) if at is not None]
        return any(at >= thread.last_post_at for at in marks)

    return {thread.pk for thread in threads if not is_read(thread)}


def read_until(thread: Thread, user: Anyone) -> datetime | None:
    """Until when this person has read the thread; None: never looked."""
    if not isinstance(user, User):
        return None
    wanted = Q(thread=thread) | Q(thread=None)
    rows = ReadMark.objects.filter(wanted, competition=thread.competition_id, user=user)
    return max(rows.values_list("at", flat=True), default=None)


def with_following(threads: QuerySet[Thread], user: Anyone) -> QuerySet[Any]:
    """The threads with `followed`: whether this person is told of what is written there."""
    own = Q(user=user) if isinstance(user, User) else Q(pk__in=())
    return threads.annotate(
        followed=Exists(Subscription.objects.filter(own, thread=OuterRef("pk")))
    )


# --- The desk ------------------------------------------------------------------------------------


def waiting(competition: Competition) -> QuerySet[Thread]:
    """Questions and inquiries whose authors wait for an answer, the oldest first."""
    rows = Thread.objects.filter(competition=competition, waiting_since__isnull=False)
    return rows.select_related("author").order_by("waiting_since", "pk")


def inquiries(competition: Competition) -> QuerySet[Thread]:
    """All inquiries, the newest first."""
    rows = Thread.objects.filter(competition=competition, kind=Thread.Kind.INQUIRY)
    return rows.select_related("author")


def answered_inquiries(competition: Competition) -> QuerySet[Thread]:
    """Those that an organizer has answered, the newest first."""
    answers = Post.objects.filter(by_organizer=True, deleted_at=None)
    return inquiries(competition).filter(pk__in=answers.values("thread"))


def open_reports(competition: Competition) -> QuerySet[Report]:
    """What nobody has settled yet, the oldest first."""
    rows = Report.objects.filter(post__thread__competition=competition, settled_at=None)
    return rows.select_related("user", "post__author", "post__thread").order_by("at", "pk")
