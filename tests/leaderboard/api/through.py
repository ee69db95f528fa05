"""The client's requests, answered by the application in this process instead of over a socket."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request
from urllib.response import addinfourl

import pytest
from django.test import Client

from leaderboard.api.client import leaderboard_client
from tests.leaderboard.api.calling import token

URL = "http://testserver"


class Through:
    """In place of urllib's opener."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def open(self, request: Request, timeout: float = 0) -> addinfourl:
        where = urlsplit(request.full_url)
        self.asked.append(f"{request.get_method()} {where.path}")
        response = Client(raise_request_exception=False).generic(
            request.get_method(),
            where.path,
            request.data or b"",
            content_type=request.get_header("Content-type", ""),
            query_params=None,
            headers=dict(request.header_items()),
            QUERY_STRING=where.query,
        )
        headers = Message()
        for name, value in response.headers.items():
            headers[name] = value
        body = io.BytesIO(b"".join(response))
        if response.status_code >= 300:
            raise HTTPError(request.full_url, response.status_code, "", headers, body)
        return addinfourl(body, headers, request.full_url, response.status_code)


@contextmanager
def as_person(
    monkeypatch: pytest.MonkeyPatch, name: str | None, scope: str = "submit"
) -> Iterator[Through]:
    """The client talks to this application with a token of this person's, in English."""
    opener = Through()
    with monkeypatch.context() as patch:
        patch.setattr(leaderboard_client.urllib.request, "build_opener", lambda *_: opener)
        for variable, value in environment(token(name, scope) if name else "").items():
            patch.setenv(variable, value)
        yield opener


def environment(secret: str, url: str = URL, contest: str = "talk") -> dict[str, str]:
    return {
        "LEADERBOARD_URL": url,
        "LEADERBOARD_TOKEN": secret,
        "LEADERBOARD_COMPETITION": contest,
        "LC_ALL": "C.UTF-8",
    }
