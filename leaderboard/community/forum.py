"""A forum: who reads what, what follows from its posts, and what is left when somebody leaves."""

from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Value
from django.db.models.functions import StrIndex
from django.db.models.lookups import Contains

from leaderboard.accounts.models import User
from leaderboard.community.models import Post, PostReport, Subscription, Thread
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import Anyone
from leaderboard.teams.models import Membership
from scoring.characters import nfc

LIVE = Q(hidden_at=None, deleted_at=None)


def fold(text: str) -> str:
    """What search compares: composed letters, no case, one blank between words.

    >>> fold("\\u1112\\u1161\\u11ab  TEAM\\n2") == "한 team 2"
    True
    """
    composed = nfc(text)
    return " ".join(nfc(composed.casefold()).split())


def folded(title: str, text: str) -> str:
    """What search reads of a post; the title in the first one alone."""
    return fold(f"{title}\n{text}")


def settle(thread: Thread) -> None:
    """Keep the thread's row, with what follows from its posts as they are now.

    It is gone while its opening post is and no other can be read. Its author waits from the first
    post that no organizer has answered, until one is marked as the answer, or nobody may answer any
    more.
    """
    rows = Post.objects.filter(thread=thread)
    found = rows.aggregate(
        posts=Count("pk"),
        readable=Count("pk", filter=LIVE),
        opening=Count("pk", filter=Q(opens=True, deleted_at=None)),
        deleted=Max("deleted_at"),
        answers=Count("pk", filter=Q(answers=True)),
        last=Max("at", filter=LIVE),
        replied=Max("at", filter=LIVE & Q(by_organizer=True) & ~Q(author=thread.author_id)),
    )
    thread.posts, thread.answered = found["posts"], found["answers"] > 0
    thread.last_post_at = found["last"] or thread.created_at
    is_gone = not found["opening"] and not found["readable"]
    thread.deleted_at = found["deleted"] if is_gone else None
    thread.waiting_since = None
    over = thread.answered or thread.locked_at or thread.hidden_at or thread.deleted_at
    if thread.asks and not over:
        own = rows.filter(LIVE, author=thread.author_id)
        if found["replied"]:
            own = own.filter(at__gt=found["replied"])
        thread.waiting_since = own.aggregate(first=Min("at"))["first"]
    thread.save(
        update_fields=[
            "posts",
            "last_post_at",
            "waiting_since",
            "answered",
            "pinned_at",
            "locked_at",
            "hidden_at",
            "hide_reason",
            "deleted_at",
        ]
    )


def rebuild(competition: Competition) -> None:
    """Write what follows from posts that came with a contest's file."""
    for thread in Thread.objects.filter(competition=competition):
        posts = list(thread.all_posts.all())
        for post in posts:
            title = thread.title if post.opens else ""
            post.folded = folded(title, post.text) if post.deleted_at is None else ""
        Post.objects.bulk_update(posts, ["folded"], batch_size=500)
        settle(thread)


def threads_of(user: User) -> QuerySet[Thread]:
    """Those in which the person wrote."""
    return Thread.objects.filter(pk__in=Post.objects.filter(author=user).values("thread"))


def forget(threads: list[Thread], *, user: User, at: datetime) -> None:
    """Remove the words of a person who leaves; others' words and places stay.

    `threads` are theirs, all locked. One in which nobody else ever wrote goes as a whole.
    """
    for thread in threads:
        own = thread.all_posts.filter(author=user)
        if thread.author_id == user.pk and not thread.all_posts.exclude(author=user).exists():
            lock(Thread.objects.filter(pk=thread.pk), to_delete=True)
            thread.delete()
            continue
        own.filter(deleted_at=None).update(deleted_at=at, answers=False, text="", folded="")
        if thread.author_id == user.pk:
            thread.title = ""
            thread.save(update_fields=["title"])
        settle(thread)
    for table in (PostReport, Subscription):
        table._default_manager.filter(user=user).delete()


# --- Who reads what ------------------------------------------------------------------------------

SEARCH_LENGTH = 100
FOUND = 300
HITS = 2000  # posts: more of one word tell no more


def may_read_forum(competition: Competition, *, takes_part: bool, runs_it: bool) -> bool:
    """Whether somebody who may know of the contest reads its forum; a private one's is for its
    people."""
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
    """Who is told of what is done in the thread: of those who follow it, who may read it now."""
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
    """All posts of a thread in order, with whether each is `reported`; hidden and deleted ones,
    too."""
    is_open = PostReport.objects.filter(post=OuterRef("pk"), settled_at=None)
    rows = Post.objects.filter(thread=thread).annotate(reported=Exists(is_open))
    return rows.select_related("author").order_by("at", "pk")


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


def open_reports(competition: Competition) -> QuerySet[PostReport]:
    """What nobody has settled yet, the oldest first."""
    rows = PostReport.objects.filter(competition=competition, settled_at=None)
    return rows.select_related("user", "post__author", "post__thread").order_by("at", "pk")
