"""Middleware: entry time, probes, what a request may send, who may keep an answer, what is
compressed, and the way to one's own password for who still has a printed one.

`Received` must stand above `CsrfViewMiddleware`: the CSRF check reads the form, and a form is
parsed only once, with the upload handlers set by then.
"""

import re
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import MemoryFileUploadHandler
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    UnreadablePostError,
)
from django.middleware.gzip import GZipMiddleware
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.deprecation import MiddlewareMixin
from structlog.contextvars import bound_contextvars

from leaderboard.accounts import tokens
from leaderboard.accounts.models import User
from leaderboard.accounts.sessions import SEEN_EVERY
from leaderboard.operations.health import livez, readyz
from leaderboard.operations.metrics import metrics, request_table
from leaderboard.web import errors
from leaderboard.web.lookups import WebRequest
from leaderboard.web.uploads import (
    ENVELOPE_BYTES,
    FIELD_CHARACTERS,
    FORM_BYTES,
    STRANGERS_BYTES,
    Accepted,
    Files,
    NoFiles,
    drain,
)

SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
QUOTED = "application/x-www-form-urlencoded"
FORMS = (QUOTED, "multipart/form-data")
PROBES = {"/livez": livez, "/readyz": readyz, "/metrics": metrics}

PAGES = ("text/html", "application/json")
# What may stand in a line of the log and in a head as it is.
_REQUEST_ID = re.compile("[A-Za-z0-9._-]{1,64}")


class Received(GZipMiddleware):
    """Set `request.received_at`, the one time that every decision about this request uses, decide
    by its head what it may send before anybody reads its body, and who may keep the answer.

    A request is received once its whole body is here: whoever holds the rest back could first read
    what opens meanwhile. Before the view the body is read and the time set again. Every line logged
    meanwhile carries the request's id, and so does the answer. Probes are answered before the Host
    is read.

    A view without `accepts_upload` gets no file and at most `FORM_BYTES`, whatever the method and
    the application. A mark's `sender` is asked before a larger body is read.

    Answers within a session are not stored and not compressed: the length of a secret beside words
    of a stranger would tell the secret (BREACH). The session's cookie decides, since asking who is
    signed in would ask the database. Files are sent as they are, so that parts of them can be.
    """

    def __call__(self, request: WebRequest) -> HttpResponseBase:  # type: ignore[override]
        request.now = timezone.now
        request.received_at = request.now()
        length = request.META.get("CONTENT_LENGTH") or ""
        request.sent = int(length) if length.isdecimal() else 0
        if request.META.get("HTTP_TRANSFER_ENCODING"):
            request.sent = None
        request.upload_handlers = [NoFiles(request)]
        # PostgreSQL takes no NUL, and the sign-in is asked for by a cookie, for an error page too.
        for name in [name for name, value in request.COOKIES.items() if "\0" in name + value]:
            del request.COOKIES[name]
        # The id that the lines of a proxy's log have. A client without a proxy could send any.
        is_proxied = settings.ALLAUTH_TRUSTED_PROXY_COUNT and "X-Forwarded-For" in request.headers
        request_id = request.headers.get("X-Request-ID", "") if is_proxied else ""
        if not _REQUEST_ID.fullmatch(request_id):
            request_id = uuid.uuid4().hex[:16]
        began = time.monotonic()
        with bound_contextvars(request=request_id), ExitStack() as request.opened:
            response: Any = PROBES.get(request.path_info, self.get_response)(request)
        if settings.METRICS_TOKEN:  # else nobody asks
            request_table().count(request, response.status_code, time.monotonic() - began)
        response["X-Request-ID"] = request_id
        response.headers.setdefault("X-Content-Type-Options", "nosniff")  # probes, too
        cookie = settings.SESSION_COOKIE_NAME
        if cookie in request.COOKIES or cookie in response.cookies:
            if "Cache-Control" not in response:
                patch_cache_control(response, private=True, no_store=True)
        elif (
            response.get("Content-Type", "").startswith(PAGES)
            and not response.streaming
            and "Authorization" not in request.headers
        ):
            response = self.process_response(request, response)
        return response  # type: ignore[no-any-return]

    def process_view(
        self,
        request: WebRequest,
        view: Callable[..., HttpResponseBase],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        accepted: Accepted | None = getattr(view, "accepted", None)
        # No file comes as a quoted form, and to unquote 5 MB of `%CC` takes half a second.
        if accepted and (request.method != accepted.method or request.content_type == QUOTED):
            accepted = None
        limit, sent = accepted.max_bytes if accepted else 0, request.sent
        answer: HttpResponseBase | None = None
        at_most = STRANGERS_BYTES  # of a refused body, read so that the answer arrives
        if request.headers.get("Content-Encoding", "").strip().lower() not in ("", "identity"):
            answer = errors.encoded(request)
        elif sent is None or (sent > FORM_BYTES and accepted is None):
            answer = errors.too_much(request)
        elif sent > FORM_BYTES and accepted is not None:  # of a small form the view itself asks
            try:
                answer = accepted.sender(request, **kwargs)
            except Http404:
                drain(request, at_most=at_most)
                raise
        if answer is None and sent and request.method not in SAFE:
            at_most = max(at_most, 2 * limit)
            answer = _read_body(request, sent, limit)
            request.received_at = request.now()
            request.viewer = None  # looked at the contest before
        if answer is not None:
            drain(request, at_most=at_most)
        return answer


def _read_body(request: WebRequest, sent: int, limit: int) -> HttpResponseBase | None:
    """Read a form with its files, anything else into memory. Return the answer to who sends more
    files than the view accepts, or a body that cannot be read or kept."""
    try:
        if limit and sent > limit + ENVELOPE_BYTES:
            return errors.too_large(request, limit=limit, sent=sent)
        if limit:
            # In memory, by Django's own handler, whose limit is the same; larger ones on the disk.
            request.upload_handlers = [MemoryFileUploadHandler(request)]
            if sent > settings.FILE_UPLOAD_MAX_MEMORY_SIZE:
                request.upload_handlers = [Files(request.opened)]
        files = request.FILES  # of a POST that is a form
        if request.method != "POST" or request.content_type not in FORMS:
            len(request.body)
        if sum(file.size or 0 for _, each in files.lists() for file in each) > limit:
            return errors.too_large(request, limit=limit, sent=None)
    except RequestDataTooBig:
        return errors.too_large(request, limit=limit, sent=None)
    except UnreadablePostError:
        return errors.bad_request(request)
    except OSError as error:
        if not errors.found_no_room(error):
            raise
        return errors.storage_full(request)
    return None


class BeforeView(MiddlewareMixin):
    """What comes before any view, once it is known who asks.

    Refuse a query or a form that holds a NUL, for all views at once: no page sends one, PostgreSQL
    takes none; and one with a field that is longer than any page sends, before anybody looks at it.

    Note when a signed-in person last sent something, once an hour at most; reading pages writes
    nothing; and that a program's token was used. First, so that a database that is held says so
    while nothing is done yet.

    Lead a person whose password somebody else has seen to the page where they choose another.
    """

    OWN_PASSWORD = frozenset(
        {
            "account_change_password",
            "account_logout",
            "account_inactive",
            "password_link",
            "set_language",
        }
    )

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> HttpResponse | None:
        sends = request.method == "POST"
        try:
            sent = [*request.GET.lists(), *(request.POST.lists() if sends else ())]
        except UnreadablePostError:
            return errors.bad_request(request)
        if any("\0" in text for name, values in sent for text in (name, *values)):
            return errors.bad_request(request)
        long = getattr(view, "long_fields", ())
        if any(
            len(name) > FIELD_CHARACTERS
            or (name not in long and any(len(text) > FIELD_CHARACTERS for text in values))
            for name, values in sent
        ):
            return errors.too_long(request)
        asked = request.resolver_match.view_name if request.resolver_match else ""
        if sends and (key := request.session.session_key):
            at: datetime = request.received_at  # type: ignore[attr-defined]
            stale = UserSession.objects.filter(session_key=key, last_seen_at__lte=at - SEEN_EVERY)
            if stale.exists():
                stale.update(last_seen_at=at)
        if token := getattr(request, "token", None):
            tokens.note_use(token, request.received_at)  # type: ignore[attr-defined]
        if asked not in self.OWN_PASSWORD:
            user = request.user
            if isinstance(user, User) and user.must_change_password:
                onward = request.get_full_path() if request.method == "GET" else "/"
                return redirect_to_login(onward, "account_change_password")
        return None
