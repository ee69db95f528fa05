"""What a request may send: nothing large without a mark, and only from whom the view names."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from leaderboard.competitions import storage
from leaderboard.competitions.models import DataFile
from leaderboard.competitions.storage import spool
from leaderboard.submissions.models import Submission
from leaderboard.web.uploads import (
    FORM_BYTES,
    STRANGERS_BYTES,
)
from tests.leaderboard import builders
from tests.leaderboard.web.addresses import csv_file
from tests.leaderboard.web.parts import parts

pytestmark = pytest.mark.django_db
LOGIN = "/accounts/login/?next="
LARGE = 7_000_000  # not kept in memory


def browser(name: str | None = None, **options: Any) -> Client:
    client = Client(**options)
    if name is not None:
        client.force_login(builders.user(name))
    return client


@pytest.fixture(autouse=True)
def contest() -> None:
    builders.team(builders.open_competition(opens_at=timezone.now()), "alice")


class Unread(io.BytesIO):
    """A body that nobody may read."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise AssertionError("the body was read")


def unread(size: int) -> dict[str, Any]:
    """A request of so many bytes that are never there."""
    return {"CONTENT_LENGTH": str(size), "wsgi.input": Unread()}


def test_a_view_that_says_nothing_takes_a_form_of_a_megabyte_and_no_more() -> None:
    kind = "application/x-www-form-urlencoded"
    form = b"language=en" + b"".join(b"&%02d=%s" % (n, b"x" * 39_000) for n in range(25))
    form = (form + b"&x=").ljust(FORM_BYTES, b"x")
    assert browser().post("/i18n/setlang/", form, content_type=kind).status_code == 302
    answer = browser().post("/i18n/setlang/", form + b"x", content_type=kind)
    assert answer.status_code == 413


def test_a_view_that_says_nothing_takes_no_file() -> None:
    answer = browser().post("/i18n/setlang/", {"file": csv_file(), "language": "en"})
    assert answer.cookies["django_language"].value == "en"
    assert not answer.wsgi_request.FILES


def test_no_method_makes_a_large_body_welcome() -> None:
    for method in ["get", "put", "patch", "delete", "options"]:
        for path in ["/accounts/login/", "/", "/c/talk/submit", "/admin/login/"]:
            answer = getattr(browser("alice"), method)(path, **unread(50_000_000))
            assert answer.status_code == 413


def test_a_body_whose_length_nobody_tells_is_refused() -> None:
    answer = browser("alice").post("/c/talk/submit", headers={"Transfer-Encoding": "chunked"})
    assert answer.status_code == 413
    assert "Content-Length" in answer.text


def test_a_compressed_body_is_refused_unread() -> None:
    for coding in ["gzip", "br", "identity, gzip", " GZIP "]:
        for path in ["/accounts/login/", "/c/talk/submit", "/"]:
            sent = {"HTTP_CONTENT_ENCODING": coding, **unread(50_000_000)}
            answer = browser("alice").post(path, **sent)
            assert (answer.status_code, answer["Accept-Encoding"]) == (415, "identity")
            assert "압축하지 않고 다시 보내 주세요" in answer.text


def test_a_body_that_is_as_it_is_may_say_so() -> None:
    sent = {"file": csv_file(), "key": "k"}
    answer = browser("alice").post("/c/talk/submit", sent, headers={"Content-Encoding": "identity"})
    assert answer.status_code == 302


def test_who_may_not_send_files_is_answered_before_they_are_read() -> None:
    for path, visitor, stranger in [
        ("/c/talk/desk/golds", LOGIN, 404),
        ("/c/talk/desk/dev-set", LOGIN, 404),
        ("/c/talk/desk/data", LOGIN, 404),
        ("/c/talk/desk/baselines", LOGIN, 404),
        ("/c/talk/desk/enrol", LOGIN, 404),
        ("/contests/import", LOGIN, 403),
        ("/c/talk/submit", LOGIN, "/c/talk/join?next="),
        ("/c/talk/submit/check", LOGIN, "/c/talk/join?next="),
        ("/c/talk/submit/repaired", LOGIN, "/c/talk/join?next="),
        ("/c/talk/lab", LOGIN, "/c/talk/join?next="),
        *(row for part in parts() for row in part.UPLOADS),
    ]:
        for name, right in ((None, visitor), ("charlie", stranger)):
            # No token either: the CSRF check would have to read the form for it.
            client = browser(name, enforce_csrf_checks=True)
            answer = client.post(path, **unread(STRANGERS_BYTES + 1))
            found = answer.headers.get("Location", answer.status_code)
            assert found == right or str(found).startswith(str(right)), f"{path} by {name}: {found}"


def test_somebody_whose_session_ended_can_read_where_to_sign_in() -> None:
    body = io.BytesIO(b"x" * 5_000_000)
    sent = {"CONTENT_LENGTH": "5000000", "wsgi.input": body}
    answer = browser().post("/c/talk/submit", content_type="multipart/form-data", **sent)
    assert answer.headers["Location"].startswith(LOGIN)
    assert body.tell() == 5_000_000  # else the connection would be reset under the answer


def test_a_form_that_breaks_off_is_a_400() -> None:
    sent = {"CONTENT_LENGTH": "5000", "wsgi.input": Gone()}
    kind = "multipart/form-data; boundary=edge"
    answer = browser("alice").post("/c/talk/submit", content_type=kind, **sent)
    assert answer.status_code == 400
    assert not Submission.objects.exists()


class Gone(io.BytesIO):
    """The body of a browser that has left."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise ConnectionResetError


# --- Files too large for memory ------------------------------------------------------------------


def add_file(name: str = "olivia") -> Any:
    data = SimpleUploadedFile("big.bin", b"0123456789" * (LARGE // 10))
    sent = {"verb": "add", "file": data, "description": "x"}
    return browser(name).post("/c/talk/desk/data", sent)


def test_a_large_file_waits_in_the_spool_and_leaves_it() -> None:
    assert add_file().status_code == 302
    assert DataFile.objects.get().size == LARGE
    assert not list(spool().iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
def test_a_full_disk_is_a_507_with_a_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    full = Path("/dev/full")
    monkeypatch.setattr(
        storage.tempfile, "TemporaryFile", lambda **_: full.open("r+b", buffering=0)
    )
    answer = add_file()
    assert (answer.status_code, answer["Retry-After"]) == (507, "60")
    assert "관리자에게 알려 주세요" in answer.text
    export = browser("alice", raise_request_exception=False).post("/settings", {"verb": "export"})
    assert (export.status_code, export["Retry-After"]) == (507, "60")
    monkeypatch.undo()
    assert add_file().status_code == 302
