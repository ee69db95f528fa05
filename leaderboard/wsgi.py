"""The entry for gunicorn: `gunicorn leaderboard.wsgi`."""

import os
import sys
from typing import Any

import django
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.utils.http import parse_header_parameters

from leaderboard.operations import installation, requests
from leaderboard.operations.version import version

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")


class Request(WSGIRequest):
    """A request whose form is UTF-8, whatever its Content-Type says of a charset.

    Django looks such a name up before any middleware: a NUL in it was a traceback and a bare 500.
    """

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
# Workers and commands go through Django's checks by themselves.
if refused := installation.half_set():
    sys.exit(installation.lines(refused))
version()  # of the code as it is read now
requests.table()  # one for all processes that are forked from here
application = Application()
