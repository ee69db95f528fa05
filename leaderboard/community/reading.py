"""Who reads what of a forum: threads, posts, search, and what waits for the organizers."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import StrIndex
from django.db.models.lookups import Contains

from leaderboard.accounts.models import User
from leaderboard.community.forum import fold
from leaderboard.community.models import Post, PostReport, ReadMark, Subscription, Thread
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import Anyone
from leaderboard.teams.models import Membership
from scoring.characters import nfc

SEARCH_LENGTH = 100
FOUND = 300
HITS = 2000  # posts: more of one word tell no more


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


def followers(thread: Thread) -> QuerySet[User]:
    """Who is told of what is done in the thread: of those who follow it, who may read it now.

    As `may_read_forum` and `threads_for` have it, for many people in one query.
    """
    contest = thread.competition
    following = Subscription.objects.filter(thread=thread).values("user")
    people = User.objects.filter(pk__in=following, is_active=True)
    runs_it = Q(pk__in=Organizer.objects.filter(competition=contest).values("user"))
    if thread.deleted_at is not None:
        return people.filter(runs_it)
    reads = ~Q(pk=None)
    if not may_read_forum(contest, takes_part=False, runs_it=False):
        reads = Q(pk__in=Membership.objects.filter(competition=contest).values("user"))
    if thread.hidden_at is not None or thread.kind == Thread.Kind.INQUIRY:
        reads &= Q(pk=thread.author_id)
    return people.filter(runs_it | reads)


def posts_for(thread: Thread) -> QuerySet[Any]:
    """All posts of a thread, the first one first, hidden and deleted ones with their places.

    `reported`: whether a report of it is open.
    """
    is_open = PostReport.objects.filter(post=OuterRef("pk"), settled_at=None)
    rows = Post.objects.filter(thread=thread).annotate(reported=Exists(is_open))
    return rows.select_related("author").order_by("at", "pk")


def posts_before(post: Post) -> int:
    """How many stand before this one in its thread."""
    earlier = Q(at__lt=post.at) | Q(at=post.at, pk__lt=post.pk)
    return Post.objects.filter(earlier, thread=post.thread_id).count()


def reads_words(post: Post, user: Anyone, *, runs_it: bool) -> bool:
    """Whether this person reads a post's words: hidden ones its author and organizers do."""
    return post.hidden_at is None or runs_it or post.author_id == user.pk


class WordsAt(StrIndex):
    """Where the words begin, 0 if they are not there; of SQLite only whether they are.

    Its LIKE looks through 100,000 posts in two thirds of the time of its INSTR, PostgreSQL's takes
    twice as long as STRPOS.
    """

    def as_sqlite(
        self, compiler: Any, connection: Any, **extra: Any
    ) -> tuple[str, tuple[Any, ...]]:
        text, words = self.get_source_expressions()
        sql, params = compiler.compile(Contains(text, words.value))
        return f"({sql})", tuple(params)


def to_search(typed: str) -> str:
    """The words that are looked for: so many letters, however a keyboard composed them.

    >>> from scoring.characters import nfd
    >>> len(to_search(nfd("한글" * 99)))
    100
    """
    return nfc(typed[: 4 * SEARCH_LENGTH]).strip()[:SEARCH_LENGTH]


def searched(
    competition: Competition, threads: QuerySet[Thread], wanted: str, *, runs_it: bool
) -> list[Thread]:
    """The newest FOUND of these threads of the contest in which a post holds what was typed.

    The text, with the title in the first post, is compared as it is stored, composed and without
    case, so that it does not matter how a keyboard composes 한글. Posts are looked through from the
    newest on, in one scan, until HITS are found.
    """
    rows = Post.objects.filter(competition=competition)
    if not runs_it:
        rows = rows.filter(hidden_at=None)
    place = WordsAt("folded", Value(fold(to_search(wanted))))
    readable = Exists(threads.filter(pk=OuterRef("thread")))
    hits = rows.annotate(place=place).filter(readable, place__gt=0).order_by("-at")
    return list(threads.filter(pk__in=hits.values("thread")[:HITS])[:FOUND])


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


def open_reports(competition: Competition) -> QuerySet[PostReport]:
    """What nobody has settled yet, the oldest first."""
    rows = PostReport.objects.filter(competition=competition, settled_at=None)
    return rows.select_related("user", "post__author", "post__thread").order_by("at", "pk")
