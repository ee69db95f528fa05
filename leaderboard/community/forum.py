"""What follows from the posts of a forum, and what is left when somebody leaves."""

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


def unfollow_inquiries(competition: Competition, *, user: User) -> None:
    """Of what others ask the organizers this person, who is none any more, hears nothing."""
    asked = Subscription.objects.filter(
        user=user, thread__competition=competition, thread__kind=Thread.Kind.INQUIRY
    )
    asked.exclude(thread__author=user).delete()


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
    for table in (PostReport, Subscription, ReadMark):
        table._default_manager.filter(user=user).delete()
