"""Who asks, and the end of their tokens."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from leaderboard.actions import people
from leaderboard.api import calls

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


@router.get("/me", response=Me, auth=calls.READ)
def me(request: HttpRequest) -> Any:
    """Who is asking."""
    user = calls.person(request)
    token = request.token  # type: ignore[attr-defined]
    return {"username": user.username, "language": user.language, "token": token}


@router.delete("/tokens/{int:token_id}", response={204: None}, auth=calls.READ)
def end_token(request: HttpRequest, token_id: int) -> Any:
    """End one of your tokens. Any of them may: whoever finds one can only end them."""
    people.end_token(user=calls.person(request), pk=token_id, at=calls.at(request))
    return Status(204, None)
