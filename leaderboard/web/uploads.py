"""What a form may upload, and how the bytes are handed to an action."""

import base64
import binascii
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest, HttpResponseBase

from leaderboard.web.request import WebRequest

P = ParamSpec("P")
Response = TypeVar("Response", bound=HttpResponseBase)

PREDICTIONS_BYTES = 5_000_000
ORGANIZER_BYTES = 200_000_000


class TooLarge(Exception):
    """The files of one request are larger than its view accepts; `limit` is in bytes."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"upload larger than {limit} bytes")
        self.limit = limit


def accepts_upload(
    max_bytes: int,
) -> Callable[
    [Callable[Concatenate[WebRequest, P], Response]], Callable[Concatenate[WebRequest, P], Response]
]:
    """Mark a view as taking files of at most `max_bytes` in all; `UploadLimit` reads the mark."""

    def mark(
        view: Callable[Concatenate[WebRequest, P], Response],
    ) -> Callable[Concatenate[WebRequest, P], Response]:
        @wraps(view)
        def limited(request: WebRequest, /, *args: P.args, **kwargs: P.kwargs) -> Response:
            # Reading the form, here at the latest, runs the handlers that may stop the upload.
            _ = request.FILES
            if any(getattr(handler, "stopped", False) for handler in request.upload_handlers):
                raise TooLarge(max_bytes)
            return view(request, *args, **kwargs)

        limited.upload_limit = max_bytes  # type: ignore[attr-defined]
        return limited

    return mark


class UploadCap(FileUploadHandler):
    """Stop reading files once they are past the limit, whatever Content-Length claimed.

    The rest of the body is still drained (`connection_reset=False`), so that the browser reads
    the answer instead of a broken connection.
    """

    def __init__(self, request: HttpRequest, *, limit: int) -> None:
        super().__init__(request)
        self.limit = limit
        self.received = 0
        self.stopped = False

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.received += len(raw_data)
        if self.received > self.limit:
            self.stopped = True
            raise StopUpload(connection_reset=False)
        return raw_data

    def file_complete(self, file_size: int) -> UploadedFile[Any] | None:
        return None


def drain(request: HttpRequest, *, at_most: int) -> None:
    """Read and throw away the body, at most so many bytes."""
    left = at_most
    while left > 0:
        chunk = request.read(min(left, 1 << 16))
        if not chunk:
            return
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
