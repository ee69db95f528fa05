"""The forum of a contest: read, ask, answer."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from leaderboard.accounts.models import User
from leaderboard.actions import forum as actions
from leaderboard.api import calls
from leaderboard.api.calls import Paged, not_joined, paged
from leaderboard.boards.visibility import Viewer
from leaderboard.community import forum as reading
from leaderboard.community.models import Thread
from leaderboard.web.contest.forum import POSTS_SHOWN, THREADS_SHOWN, bylines

router = Router(tags=["forum"])


class ThreadOut(Schema):
    """One thread of the list."""

    id: UUID
    kind: str = Field(examples=list(Thread.Kind.values))
    title: str
    author: str
    posts: int
    started_at: datetime
    last_post_at: datetime
    is_answered: bool
    is_locked: bool


class ThreadList(Paged):
    items: list[ThreadOut]


class PostOut(Schema):
    """One post as it was written (Markdown). `text` is None where its words are hidden."""

    id: UUID
    author: str
    at: datetime
    text: str | None
    is_answer: bool


class PostList(Paged):
    thread: ThreadOut
    items: list[PostOut]


class ThreadIn(calls.BodyIn):
    """A new thread. A private inquiry is read by you and the organizers alone."""

    kind: Literal["question", "talk", "code", "inquiry"] = "question"
    title: str = Field(min_length=1, max_length=actions.TITLE_LENGTH)
    text: str = Field(min_length=1, max_length=actions.TEXT_LENGTH)


class PostIn(calls.BodyIn):
    text: str = Field(min_length=1, max_length=actions.TEXT_LENGTH)


@router.get("/{slug:slug}/forum", response=ThreadList, auth=calls.READ)
def threads(request: HttpRequest, slug: str, page: int = 1, q: str = "") -> Any:
    """Threads by their last post, 30 on a page; `q` looks for words."""
    seen = _reader(request, slug)
    rows: Any = _threads(seen)
    if wanted := reading.to_search(q):
        runs_it = seen.role is not None
        rows = reading.searched(seen.competition, rows, wanted, runs_it=runs_it)
    return paged(rows, page, lambda shown: _lines(shown, seen), size=THREADS_SHOWN)


@router.get("/{slug:slug}/forum/{uuid:thread_id}", response=PostList, auth=calls.READ)
def posts(request: HttpRequest, slug: str, thread_id: UUID, page: int = 1) -> Any:
    """A thread's posts, 20 on a page, the first one first."""
    seen = _reader(request, slug)
    thread = get_object_or_404(_threads(seen), pk=thread_id)
    rows = reading.posts_for(thread)
    found = paged(rows, page, lambda shown: _posts(shown, seen), size=POSTS_SHOWN)
    return {**found, "thread": _thread(thread, _name(seen, thread.author))}


@router.post("/{slug:slug}/forum", response={201: ThreadOut}, auth=calls.SUBMIT)
def ask(request: HttpRequest, slug: str, new: ThreadIn) -> Any:
    """Start a thread."""
    seen = _writer(request, slug)
    user = calls.person(request)
    thread = actions.start_thread(competition=seen.competition, user=user, at=seen.at, **new.dict())
    return Status(201, _thread(thread, _name(seen, user)))


@router.post("/{slug:slug}/forum/{uuid:thread_id}", response={201: PostOut}, auth=calls.SUBMIT)
def reply(request: HttpRequest, slug: str, thread_id: UUID, new: PostIn) -> Any:
    """Answer in a thread."""
    seen = _writer(request, slug)
    thread = get_object_or_404(_threads(seen), pk=thread_id)
    user = calls.person(request)
    post = actions.reply(thread=thread, user=user, text=new.text, at=seen.at)
    answer = {"id": post.pk, "at": post.at, "text": post.text, "is_answer": False}
    return Status(201, answer | {"author": _name(seen, user)})


def _reader(request: HttpRequest, slug: str) -> Viewer:
    seen = calls.viewer(request, slug)
    takes_part, runs_it = seen.team is not None, seen.role is not None
    if not reading.may_read_forum(seen.competition, takes_part=takes_part, runs_it=runs_it):
        raise not_joined()
    return seen


def _writer(request: HttpRequest, slug: str) -> Viewer:
    seen = _reader(request, slug)
    if seen.role is None:
        calls.team(seen)
    return seen


def _threads(seen: Viewer) -> QuerySet[Thread]:
    return reading.threads_for(seen.competition, seen.user, runs_it=seen.role is not None)


def _lines(threads: list[Thread], seen: Viewer) -> list[dict[str, Any]]:
    by = bylines(seen, [thread.author for thread in threads])
    return [_thread(thread, by[thread.author_id].name) for thread in threads]


def _posts(posts: list[Any], seen: Viewer) -> list[dict[str, Any]]:
    by = bylines(seen, [post.author for post in posts])
    return [
        {
            "id": post.pk,
            "author": by[post.author_id].name,
            "at": post.at,
            "text": post.text if _reads(post, seen) else None,
            "is_answer": post.answers,
        }
        for post in posts
    ]


def _reads(post: Any, seen: Viewer) -> bool:
    runs_it = seen.role is not None
    return post.deleted_at is None and reading.reads_words(post, seen.user, runs_it=runs_it)


def _name(seen: Viewer, user: User) -> str:
    return bylines(seen, [user])[user.pk].name


def _thread(thread: Thread, author: str) -> dict[str, Any]:
    return {
        **calls.given(thread, ThreadOut),
        "author": author,
        "started_at": thread.created_at,
        "is_answered": thread.answered,
        "is_locked": thread.locked_at is not None,
    }
