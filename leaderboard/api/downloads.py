"""Files handed out to programs: streamed, with a tag of their content, whole or a part of them."""

import re
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from typing import IO, Any

from django.core.files.base import File
from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.utils.cache import patch_cache_control
from django.utils.http import content_disposition_header, parse_etags, quote_etag

from leaderboard.competitions.storage import passing_file

CHUNK = 1 << 16
_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_ANSWERS: dict[int, Any] = {
    200: {"description": "The file", "content": _BYTES},
    206: {"description": "A part of it", "content": _BYTES},
    304: {"description": "It is as it was"},
    416: {"description": "It has no such part"},
}
# How an operation that answers by `download` is described.
DOWNLOADS: Any = {
    "response": dict.fromkeys(_ANSWERS),
    "openapi_extra": {"responses": _ANSWERS},
}
# One range alone; of several, or of another unit, the whole file is sent, as RFC 9110 lets us.
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def download(
    request: HttpRequest, file: File[Any], *, name: str, sha256: str, size: int
) -> HttpResponseBase:
    """200 with the file, 206 with the part that was asked for, 304 or 416 without either."""
    tag = quote_etag(sha256)
    if is_known(request, tag):
        return _described(HttpResponse(status=304), tag)
    asked = _RANGE.fullmatch(request.headers.get("Range", ""))
    condition = request.headers.get("If-Range")
    part = _part(asked, size) if asked and condition in (None, tag) else None
    if part is not None and not part:
        response = HttpResponse(status=416)
        response["Content-Range"] = f"bytes */{size}"
        return _described(response, tag)
    span = part or range(size)
    answer = StreamingHttpResponse(
        _read(file.open("rb"), span), status=206 if part else 200, content_type="text/plain"
    )
    answer["Content-Type"] = "application/octet-stream"
    answer["Content-Length"] = str(len(span))
    answer["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    answer["X-Content-Type-Options"] = "nosniff"
    if part:
        answer["Content-Range"] = f"bytes {span.start}-{span.stop - 1}/{size}"
    return _described(answer, tag)


def is_known(request: HttpRequest, tag: str) -> bool:
    """Whether `If-None-Match` names this content, weakly compared as RFC 9110 has it."""
    known = parse_etags(request.headers.get("If-None-Match", ""))
    return known == ["*"] or tag.removeprefix("W/") in [one.removeprefix("W/") for one in known]


def _part(asked: re.Match[str], size: int) -> range | None:
    """The bytes that are asked for; an empty range where the file has none of them."""
    first, last = asked.groups()
    if not first and not last:
        return None
    if not first:  # so many from the end
        return range(max(size - int(last), 0), size)
    start, stop = int(first), min(int(last) + 1, size) if last else size
    if last and int(last) < start:  # no range at all
        return None
    return range(start, max(start, stop)) if start < size else range(0)


def _read(file: IO[bytes], span: range) -> Iterator[bytes]:
    with file:
        file.seek(span.start)
        left = len(span)
        while left > 0 and (chunk := file.read(min(left, CHUNK))):
            left -= len(chunk)
            yield chunk


def _described(response: HttpResponseBase, tag: str) -> HttpResponseBase:
    response["ETag"] = tag
    response["Accept-Ranges"] = "bytes"
    patch_cache_control(response, private=True, no_store=True)
    return response


def archive(files: Iterable[tuple[str, File[Any]]]) -> FileResponse:
    """A ZIP of files under these names. It lies in a file that goes when it was sent."""
    packed = passing_file()
    with zipfile.ZipFile(packed, "w") as into:
        for name, file in files:
            with file.open("rb") as read, into.open(name, "w", force_zip64=True) as entry:
                shutil.copyfileobj(read, entry)
    packed.seek(0)
    return FileResponse(packed, content_type="application/zip")
