"""The one time of a request: when the whole of it was here."""

from datetime import UTC, datetime, timedelta
from io import BytesIO
from types import SimpleNamespace

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from leaderboard.web.middleware import Received

HEAD = datetime(2026, 12, 1, tzinfo=UTC)
END = HEAD + timedelta(minutes=5)


@pytest.mark.parametrize(
    ("method", "kind", "body"),
    [
        ("POST", "application/x-www-form-urlencoded", b"final=1"),
        ("POST", "text/csv", b"fname,summary"),
        ("PUT", "application/json", b"{}"),
        ("PATCH", "application/json", b"{}"),
        ("DELETE", "application/json", b"{}"),
        ("POST", "multipart/form-data; boundary=b", b"--b--\r\n"),
    ],
)
def test_a_request_is_received_when_its_body_ends(
    monkeypatch: pytest.MonkeyPatch, method: str, kind: str, body: bytes
) -> None:
    clock = [HEAD]

    class Held(BytesIO):
        """A body that comes at END."""

        def read(self, size: int | None = -1) -> bytes:
            clock[0] = END
            return super().read(size)

    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse()

    stopped = SimpleNamespace(now=lambda: clock[0])
    monkeypatch.setattr("leaderboard.web.middleware.timezone", stopped)
    request = RequestFactory().generic(method, "/", body, kind, **{"wsgi.input": Held(body)})
    middleware = Received(view)
    middleware(request)
    assert request.received_at == HEAD  # type: ignore[attr-defined]
    assert middleware.process_view(request, view, (), {}) is None
    assert request.received_at == END  # type: ignore[attr-defined]
