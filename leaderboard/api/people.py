"""What is a person's own: who they are, their tokens, their inbox."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from leaderboard.accounts import tokens
from leaderboard.accounts.models import User
from leaderboard.actions import people
from leaderboard.api import calls
from leaderboard.api.calls import Paged, paged
from leaderboard.inbox import lines
from leaderboard.inbox.models import Notification
from leaderboard.teams.queries import visible_to
from leaderboard.texts import reader_language

router = Router(tags=["you"])


class Token(Schema):
    """A token without its secret, which is shown only where it is made: in the settings."""

    id: int = Field(alias="pk")
    name: str
    scope: str
    made_at: datetime
    expires_at: datetime
    last_used_at: datetime | None


class Me(Schema):
    """Whose token this is."""

    username: str
    language: str
    token: Token


class NoticeOut(Schema):
    """One line of the inbox. `text` is in the reader's language (`Accept-Language`)."""

    id: UUID
    kind: str
    competition: str | None
    title: str
    text: str
    created_at: datetime
    read_at: datetime | None
    url: str = Field(description="the page that it leads to; may be empty")


class NoticesOut(Paged):
    """A page of the inbox, the newest first."""

    items: list[NoticeOut]


class Marked(Schema):
    marked: int


@router.get("/me", response=Me, auth=calls.READ)
def me(request: HttpRequest) -> Any:
    """Who is asking."""
    user = calls.person(request)
    token = request.token  # type: ignore[attr-defined]
    return {"username": user.username, "language": user.language, "token": token}


@router.get("/tokens", response=list[Token], auth=calls.READ, operation_id="tokens")
def own_tokens(request: HttpRequest) -> Any:
    """Your tokens; those that have expired, too."""
    return list(tokens.of_person(calls.person(request)))


@router.delete("/tokens/{int:token_id}", response={204: None}, auth=calls.READ)
def end_token(request: HttpRequest, token_id: int) -> Any:
    """End one of your tokens. Any of them may: whoever finds one can only end them."""
    people.end_token(user=calls.person(request), pk=token_id, at=calls.at(request))
    return Status(204, None)


@router.get("/inbox", response=NoticesOut, auth=calls.READ)
def inbox(request: HttpRequest, page: int = 1, unread: bool = False) -> Any:
    """What you should know, 100 on a page."""
    user = calls.person(request)
    rows = Notification.objects.filter(user=user)
    return paged(
        rows.filter(read_at=None) if unread else rows, page, lambda shown: _notices(shown, user)
    )


@router.post("/inbox/read", response=Marked, auth=calls.SUBMIT)
def mark_read(request: HttpRequest) -> Any:
    """Mark all of it as read."""
    return {"marked": lines.mark_read(user=calls.person(request), at=calls.at(request))}


def _notices(rows: list[Notification], user: User) -> list[dict[str, Any]]:
    known = visible_to(user).in_bulk({row.competition for row in rows} - {None})
    return [_notice(row, known=row.competition in known) for row in rows]


def _notice(row: Notification, *, known: bool) -> dict[str, Any]:
    return {
        **calls.given(row, NoticeOut),
        "competition": row.competition_slug if known else None,
        "title": lines.heading(row),
        "text": row.message(reader_language()),
        "url": lines.address(row, known=known),
    }
