"""The client's requests, answered by the application in this process instead of over a socket."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request
from urllib.response import addinfourl

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.api.client import leaderboard_client
from leaderboard.teams.models import Team
from tests.leaderboard import builders
from tests.leaderboard.api.calling import token
from tests.leaderboard.material import GOLDS
from tests.leaderboard.web.pages import hand_in

URL = "http://testserver"
ROUGE = ["rouge1", "rouge2", "rougeL"]
TEXTS = {name: golds[0] for name, golds in GOLDS.items()}


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


def scored(state: Any) -> None:
    """A worker that has done its work by the time that the client looks again."""
    builders.score_all(at=timezone.now())


def run(*words: str) -> int:
    return leaderboard_client.main(words)


def own_file_scored() -> Any:
    """What the API says of a file of Alice's."""
    found = hand_in(Team.objects.get(captain__username="alice"))
    scored(None)
    remote = leaderboard_client.connect()
    return remote.get(remote.of_contest(f"/submissions/{found.pk}"))


def worse(path: str, evil: Any, once: Any) -> Any:
    """`_once` whose answers about this path are changed."""

    def changed(remote: leaderboard_client.Remote, request: Any) -> leaderboard_client.Answered:
        answer: leaderboard_client.Answered = once(remote, request)
        if path in request.full_url and answer.body:
            body = json.dumps(evil(json.loads(answer.body))).encode()
            return answer._replace(body=body)
        return answer

    return changed
