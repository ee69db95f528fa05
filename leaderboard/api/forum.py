"""The forum of a contest: read, ask, answer."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from leaderboard.actions import forum as actions
from leaderboard.api import calls
from leaderboard.api.calls import Paged, paged
from leaderboard.api.middleware import ApiRequest
from leaderboard.boards.visibility import Viewer
from leaderboard.community import forum as reading
from leaderboard.community.models import Thread
from leaderboard.web.contest.forum import POSTS_SHOWN, THREADS_SHOWN, bylines

router = Router(tags=["forum"], auth=calls.READ)


class ThreadOut(Schema):
    """One thread of the list."""

    id: UUID
    kind: str = Field(examples=list(Thread.Kind.values))
    title: str
    author: str = Field(alias="byline")
    posts: int
    started_at: datetime = Field(alias="created_at")
    last_post_at: datetime
    is_answered: bool = Field(alias="answered")
    is_locked: bool

    @staticmethod
    def resolve_is_locked(thread: Thread) -> bool:
        return thread.locked_at is not None


class ThreadList(Paged):
    items: list[ThreadOut]


class PostOut(Schema):
    """One post as it was written (Markdown). `text` is None where its words are hidden."""

    id: UUID
    author: str = Field(alias="byline")
    at: datetime
    text: str | None
    is_answer: bool = Field(alias="answers")


class PostList(Paged):
    thread: ThreadOut
    items: list[PostOut]


class PostIn(calls.BodyIn):
    text: str = Field(min_length=1, max_length=actions.TEXT_LENGTH)


class ThreadIn(PostIn):
    """A new thread. A private inquiry is read by you and the organizers alone."""

    kind: Literal["question", "talk", "code", "inquiry"] = "question"
    title: str = Field(min_length=1, max_length=actions.TITLE_LENGTH)


@router.get("/{slug:slug}/forum", response=ThreadList)
def threads(request: ApiRequest, slug: str, page: int = 1, q: str = "") -> Any:
    """Threads by their last post, 30 on a page; `q` looks for words."""
    seen = _reader(request, slug)
    rows: Any = _threads(seen)
    if wanted := reading.to_search(q):
        runs_it = seen.role is not None
        rows = reading.searched(seen.competition, rows, wanted, runs_it=runs_it)
    found = paged(rows, page, size=THREADS_SHOWN)
    return found | {"items": _signed(seen, *found["items"])}


@router.get("/{slug:slug}/forum/{uuid:thread_id}", response=PostList)
def posts(request: ApiRequest, slug: str, thread_id: UUID, page: int = 1) -> Any:
    """A thread's posts, 20 on a page, the first one first."""
    seen = _reader(request, slug)
    thread = get_object_or_404(_threads(seen), pk=thread_id)
    found = paged(reading.posts_for(thread), page, size=POSTS_SHOWN)
    _signed(seen, thread, *found["items"])
    for post in found["items"]:
        reads = reading.reads_words(post, seen.user, runs_it=seen.role is not None)
        post.text = post.text if reads and post.deleted_at is None else None
    return found | {"thread": thread}


@router.post("/{slug:slug}/forum", response={201: ThreadOut}, auth=calls.SUBMIT)
def ask(request: ApiRequest, slug: str, new: ThreadIn) -> Any:
    """Start a thread."""
    seen = _writer(request, slug)
    thread = actions.start_thread(**calls.who(seen, request), **new.dict())
    return Status(201, *_signed(seen, thread))


@router.post("/{slug:slug}/forum/{uuid:thread_id}", response={201: PostOut}, auth=calls.SUBMIT)
def reply(request: ApiRequest, slug: str, thread_id: UUID, new: PostIn) -> Any:
    """Answer in a thread."""
    seen = _writer(request, slug)
    thread = get_object_or_404(_threads(seen), pk=thread_id)
    user = calls.person(request)
    post = actions.reply(thread=thread, user=user, text=new.text, at=seen.at)
    return Status(201, *_signed(seen, post))


def _reader(request: ApiRequest, slug: str) -> Viewer:
    seen = calls.viewer(request, slug)
    takes_part, runs_it = seen.team is not None, seen.role is not None
    if not reading.may_read_forum(seen.competition, takes_part=takes_part, runs_it=runs_it):
        raise calls.not_joined()
    return seen


def _writer(request: ApiRequest, slug: str) -> Viewer:
    seen = calls.viewer(request, slug)
    if seen.role is None:
        calls.team(seen)
    return seen


def _threads(seen: Viewer) -> QuerySet[Thread]:
    return reading.threads_for(seen.competition, seen.user, runs_it=seen.role is not None)


def _signed(seen: Viewer, *rows: Any) -> tuple[Any, ...]:
    """These threads and posts with who wrote each, as this reader may read it."""
    by = bylines(seen, [row.author for row in rows])
    for row in rows:
        row.byline = by[row.author_id].name
    return rows
