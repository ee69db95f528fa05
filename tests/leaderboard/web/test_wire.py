"""What the head of a request may say of its body, asked of the entry that gunicorn calls."""

from io import BytesIO
from typing import Any

import pytest
from django.http import UnreadablePostError
from django.test import RequestFactory

from leaderboard.wsgi import Request, application

pytestmark = pytest.mark.django_db


def answer(content_type: str) -> tuple[str, bytes]:
    """Status and body for a form of this type, posted to the page that signs in."""
    environ = RequestFactory().post("/accounts/login/", b"login=a&password=b", "text/plain").environ
    environ["CONTENT_TYPE"] = content_type
    said: list[str] = []

    def start(status: str, headers: Any, error: Any = None) -> None:
        said.append(status)

    body = b"".join(application(environ, start))
    return said[0], body


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
@pytest.mark.parametrize(
    "charset",
    [
        "charset*=utf-8''%00",
        "charset*=undefined''x",
        "charset*=zlib_codec''%00",
        "charset=zlib_codec",
        "charset=\0",
        "charset=cp949",
        "boundary*=utf-8''%00",
    ],
)
def test_no_charset_is_an_error_of_ours(kind: str, charset: str) -> None:
    """Django looked some of them up before any middleware: a traceback and a bare 500."""
    status, body = answer(f"{kind}; {charset}")
    assert status.split()[0] in ("400", "403"), status
    assert b"<html" in body


EDGE = "multipart/form-data; boundary=b"
FILE = b'Content-Disposition: form-data; name="file"; filename="p.csv"'
FORM = b"--b\r\n" + FILE + b"\r\n\r\nid,x\r\n--b--\r\n"


@pytest.mark.parametrize(
    ("kind", "body"),
    [("text/csv", b"fname,summary\n1,abc"), (EDGE, FORM), (EDGE, FORM[:-7] + b"x" * 200_000)],
)
def test_a_body_that_ends_early_is_never_taken_for_whole(kind: str, body: bytes) -> None:
    environ = RequestFactory().post("/", body, kind).environ
    cut = {**environ, "wsgi.input": BytesIO(body[:-3]), "CONTENT_LENGTH": str(len(body))}
    request = Request(cut)
    with pytest.raises(UnreadablePostError):
        len(request.FILES if kind == EDGE else request.body)
