"""The entry for gunicorn: `gunicorn leaderboard.wsgi`."""

import os
import sys
from typing import Any, BinaryIO

import django
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.utils.http import parse_header_parameters

from leaderboard.operations import installation
from leaderboard.operations.installation import version

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")


class WholeBody:
    """A body that raises where its client leaves early: cut off, it is nobody's file."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream

    def read(self, size: int) -> bytes:
        """Exactly so many bytes. Django asks for no more than the announced length has left."""
        data = self.stream.read(size)
        if len(data) < size:
            raise OSError("the body ended before its length")
        return data

    def readline(self, size: int) -> bytes:
        data = self.stream.readline(size)
        if len(data) < size and not data.endswith(b"\n"):
            raise OSError("the body ended before its length")
        return data


class Request(WSGIRequest):
    """A request whose body is whole, and whose form is UTF-8, whatever charset its type names.

    Django looks such a name up before any middleware: a NUL in it was a traceback and a bare 500.
    """

    def __init__(self, environ: dict[str, Any]) -> None:
        super().__init__({**environ, "wsgi.input": WholeBody(environ["wsgi.input"])})

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        try:
            found = parse_header_parameters(meta.get("CONTENT_TYPE", ""))
        except (ValueError, LookupError):
            meta["CONTENT_TYPE"] = ""  # the reader of multipart forms would parse it again
            found = "", {}
        self.content_type, self.content_params = found


class Application(WSGIHandler):
    """Django's own, with our request."""

    request_class = Request


django.setup(set_prefix=False)

from leaderboard.operations.metrics import request_table  # noqa: E402 (it needs the apps)

# Workers and commands go through Django's checks by themselves.
if refused := installation.half_set():
    sys.exit(installation.lines(refused))
version()  # of the code as it is read now
request_table()  # one for all processes that are forked from here
application = Application()
