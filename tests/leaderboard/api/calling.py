"""A program that calls the API with a token of somebody's."""

from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from leaderboard.accounts import tokens
from tests.leaderboard import builders

BASE = "/api/v1"


def token(name: str, scope: str = "submit", *, days: int = 30, age: timedelta = timedelta()) -> str:
    """A new token's secret."""
    at = timezone.now() - age
    return tokens.make(user=builders.user(name), name="test", scope=scope, days=days, at=at)[1]


def program(name: str | None = None, scope: str = "submit", **headers: str) -> Client:
    """A client with a token of this person's; a visitor without a name."""
    said = {"authorization": f"Bearer {token(name, scope)}"} if name else {}
    return Client(headers={**said, **headers}, raise_request_exception=False)


def contest_url(rest: str = "", slug: str = "talk") -> str:
    return f"{BASE}/competitions/{slug}{rest}"


def json_of(answer: Any, status: int = 200) -> Any:
    """The body; fails with it where the status is another."""
    assert answer.status_code == status, answer.text
    return answer.json()
