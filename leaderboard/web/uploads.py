"""What a request may send, by whom, and how the bytes are handed to an action.

Default deny: a view takes no file and at most `FORM_BYTES` of anything, unless `accepts_upload`
says how much more it takes and from whom. `middleware.Received` holds every request to it. No field
of a form is longer than `FIELD_CHARACTERS`, unless `takes_long` names it: `middleware.BeforeView`.
"""

import base64
import binascii
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import IO, Any, TypeVar

from django.core.files.base import File
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import FileResponse, HttpRequest, HttpResponseBase

from leaderboard.competitions.storage import passing_file

View = TypeVar("View", bound=Callable[..., HttpResponseBase])

FORM_BYTES = 1_000_000
# Of one field or its name: twice the longest text that a page takes. A text that is somewhat too
# long comes back with its form, which says so; this one is not looked at.
FIELD_CHARACTERS = 40_000
PREDICTIONS_BYTES = 5_000_000
ORGANIZER_BYTES = 200_000_000
# Room for the multipart boundaries and the form's small fields around the file itself.
ENVELOPE_BYTES = 64 * 1024
# So much is read and thrown away of somebody whose session ended, who is told where to sign in.
STRANGERS_BYTES = 2 * PREDICTIONS_BYTES


# Who may send: None for them, for all others their answer (or a 404, by Http404). Called with the
# view's own arguments before a byte of the body is read.
Sender = Callable[..., HttpResponseBase | None]


@dataclass(frozen=True)
class Accepted:
    """At most `max_bytes` of files in all, from those whom `sender` lets through, by `method`."""

    max_bytes: int
    sender: Sender
    method: str = "POST"


def accepts_upload(
    max_bytes: int, *, sender: Sender, method: str = "POST"
) -> Callable[[View], View]:
    """Mark a view as taking files of at most `max_bytes` in all: `middleware.Received` looks."""

    def mark(view: View) -> View:
        view.accepted = Accepted(max_bytes, sender, method)  # type: ignore[attr-defined]
        return view

    return mark


def takes_long(*fields: str) -> Callable[[View], View]:
    """Mark a view as taking whole files and lists as text, in these fields of its form."""

    def mark(view: View) -> View:
        view.long_fields = fields  # type: ignore[attr-defined]
        return view

    return mark


class NoFiles(FileUploadHandler):
    """Leave out every file of a form whose view takes none."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        raise SkipFile


class Files(FileUploadHandler):
    """Keep the files of a form on the disk until `opened` is closed."""

    kept: IO[bytes]

    def __init__(self, opened: ExitStack) -> None:
        super().__init__()
        self.opened = opened

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.kept = self.opened.enter_context(passing_file())

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.kept.write(raw_data)

    def file_complete(self, file_size: int) -> UploadedFile[Any]:
        self.kept.seek(0)  # writes what is still buffered, too
        return UploadedFile(self.kept, self.file_name, self.content_type, file_size, self.charset)


def drain(request: HttpRequest, *, at_most: int) -> None:
    """Read and throw away a body of at most so many bytes, and nothing of a larger one.

    Unread bytes reset the connection, often before the browser has read its answer; a body that
    no page of ours would send is not worth a thread's time.
    """
    left: int = getattr(request, "sent", None) or 0
    if left > at_most:
        return
    with suppress(OSError):  # the client is gone
        while left > 0 and (chunk := request.read(min(left, 1 << 16))):
            left -= len(chunk)


def carried(data: bytes) -> str:
    """Bytes as text for a hidden field, so that the second step needs no second file choice."""
    return base64.b64encode(data).decode("ascii")


def uncarried(text: str) -> bytes | None:
    """The bytes of a hidden field written by `carried`; None if somebody changed it."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def as_sent(file: File[bytes], name: str) -> FileResponse:
    """An uploaded file as it was sent: never shown by the browser, only saved."""
    kind = "text/plain; charset=utf-8"
    return FileResponse(file.open("rb"), as_attachment=True, filename=name, content_type=kind)
