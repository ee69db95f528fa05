"""The forum's writes. Whoever calls has locked the thread, if it is there already."""

from datetime import datetime

from django.db.models import Count, Max, Min, Q, QuerySet

from leaderboard.accounts.models import User
from leaderboard.community.models import (
    Post,
    PostReport,
    ReadMark,
    Subscription,
    Thread,
)
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from scoring.characters import nfc

LIVE = Q(hidden_at=None, deleted_at=None)


def fold(text: str) -> str:
    """What search compares: composed letters, no case, one blank between words.

    >>> fold("\\u1112\\u1161\\u11ab  TEAM\\n2") == "한 team 2"
    True
    """
    composed = nfc(text)
    return " ".join(nfc(composed.casefold()).split())


def start(
    *,
    competition: Competition,
    author: User,
    by_organizer: bool,
    kind: str,
    title: str,
    text: str,
    key: str,
    at: datetime,
) -> Thread:
    """A thread with its first post. Its author follows it and has read it."""
    thread = Thread.objects.create(
        competition=competition,
        kind=kind,
        title=title,
        author=author,
        created_at=at,
        last_post_at=at,
        posts=1,
        waiting_since=at if kind in Thread.ASKING else None,
    )
    _write(thread, author, by_organizer, text, key, at, opens=True)
    return thread


def add(
    thread: Thread, *, author: User, by_organizer: bool, text: str, key: str, at: datetime
) -> Post:
    """One post more. Who writes follows the thread and has read it."""
    post = _write(thread, author, by_organizer, text, key, at, opens=False)
    settle(thread)
    return post


def _write(
    thread: Thread,
    author: User,
    by_organizer: bool,
    text: str,
    key: str,
    at: datetime,
    *,
    opens: bool,
) -> Post:
    post = Post.objects.create(
        competition_id=thread.competition_id,
        thread=thread,
        author=author,
        by_organizer=by_organizer,
        opens=opens,
        at=at,
        text=text,
        folded=_folded(thread.title if opens else "", text),
        key=key,
    )
    follow(thread, user=author)
    mark_read(thread, user=author, at=at)
    return post


def reword(post: Post, *, title: str, text: str, at: datetime) -> None:
    """Other words, marked as edited. Only an opening post has a title."""
    if post.opens:
        _entitle(post.thread, title)
    post.text, post.folded, post.edited_at = text, _folded(title if post.opens else "", text), at
    post.save(update_fields=["text", "folded", "edited_at"])


def take_back(post: Post, *, at: datetime) -> None:
    """No words any more; of an opening post its title goes too."""
    post.text, post.folded, post.deleted_at, post.answers = "", "", at, False
    post.save(update_fields=["text", "folded", "deleted_at", "answers"])
    if post.opens:
        _entitle(post.thread, "")
    settle(post.thread)


def _folded(title: str, text: str) -> str:
    return fold(f"{title}\n{text}")


def _entitle(thread: Thread, title: str) -> None:
    thread.title = title
    thread.save(update_fields=["title"])


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
            post.folded = _folded(title, post.text) if post.deleted_at is None else ""
        Post.objects.bulk_update(posts, ["folded"], batch_size=500)
        settle(thread)


def mark_answer(thread: Thread, post: Post | None) -> None:
    """This post answers the thread's question, or none does."""
    thread.all_posts.filter(answers=True).update(answers=False)
    if post is not None:
        post.answers = True
        post.save(update_fields=["answers"])
    settle(thread)


def hide(post: Post, *, reason: str, at: datetime) -> None:
    """Out of sight for all but its author and the organizers; it is nobody's answer."""
    post.hidden_at, post.hide_reason, post.answers = at, reason, False
    post.save(update_fields=["hidden_at", "hide_reason", "answers"])
    settle(post.thread)


def unhide(post: Post) -> None:
    """For everybody again who reads the thread."""
    post.hidden_at, post.hide_reason = None, ""
    post.save(update_fields=["hidden_at", "hide_reason"])
    settle(post.thread)


# --- Who follows, who has read -------------------------------------------------------------------


def follow(thread: Thread, *, user: User) -> None:
    """Tell this person of what is written in the thread; following twice is following."""
    Subscription.objects.bulk_create(
        [Subscription(thread=thread, user=user)], ignore_conflicts=True, batch_size=1
    )


def unfollow(thread: Thread, *, user: User) -> None:
    """Tell them no more."""
    Subscription.objects.filter(thread=thread, user=user).delete()


def unfollow_inquiries(competition: Competition, *, user: User) -> None:
    """Of what others ask the organizers this person, who is none any more, hears nothing."""
    asked = Subscription.objects.filter(
        user=user, thread__competition=competition, thread__kind=Thread.Kind.INQUIRY
    )
    asked.exclude(thread__author=user).delete()


def mark_read(thread: Thread, *, user: User, at: datetime) -> None:
    """This person has read the thread up to now."""
    mark = ReadMark(competition_id=thread.competition_id, thread=thread, user=user, at=at)
    ReadMark.objects.bulk_create(
        [mark],
        update_conflicts=True,
        unique_fields=["thread", "user"],
        update_fields=["at"],
        batch_size=1,
    )


def mark_all_read(competition: Competition, *, user: User, at: datetime) -> None:
    """This person has read the whole forum up to now; the marks of its threads are no more use."""
    ReadMark.objects.filter(competition=competition, user=user).delete()
    mark = ReadMark(competition=competition, user=user, at=at)
    ReadMark.objects.bulk_create([mark], ignore_conflicts=True, batch_size=1)


# --- Reports -------------------------------------------------------------------------------------


def report(post: Post, *, user: User, reason: str, at: datetime) -> bool:
    """Keep what this person says of the post; False if they said so before."""
    _, made = PostReport.objects.get_or_create(
        post=post,
        user=user,
        defaults={"competition_id": post.competition_id, "at": at, "reason": reason},
    )
    return made


def settle_reports(post: Post, *, at: datetime) -> int:
    """An organizer has looked at the post; answers how many reports that settles."""
    return PostReport.objects.filter(post=post, settled_at=None).update(settled_at=at)


# --- Leaving -------------------------------------------------------------------------------------


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
            _entitle(thread, "")
        settle(thread)
    for table in (PostReport, Subscription, ReadMark):
        table._default_manager.filter(user=user).delete()
