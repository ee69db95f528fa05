"""The one time of a request: when it came, not when a thread was free for it."""

import socket
import time
from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.utils import timezone

from leaderboard.operations.web_clients import ClientSocket
from leaderboard.web.middleware import Received


def received_ago(request: HttpRequest) -> timedelta:
    """How long before now the request says that it came."""
    Received(lambda request: HttpResponse())(request)
    ago: timedelta = timezone.now() - request.received_at  # type: ignore[attr-defined]
    return ago


def test_an_upload_that_waited_for_its_turn_came_before() -> None:
    with ClientSocket(socket.AF_INET) as client:
        client.arrived = time.monotonic() - 40
        request = RequestFactory().post("/", **{"gunicorn.socket": client})
        assert timedelta(seconds=40) <= received_ago(request) < timedelta(seconds=50)


def test_elsewhere_a_request_comes_when_it_is_met() -> None:
    assert received_ago(RequestFactory().post("/")) < timedelta(seconds=10)
