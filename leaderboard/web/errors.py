"""Errors: what happened, what it cost, what to do next. A page in the reader's language, and for
programs a problem (RFC 9457) in both."""

import errno
import sqlite3
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import mod
from typing import NamedTuple
from urllib.parse import urlsplit

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override
from django_stubs_ext import StrOrPromise

from leaderboard.competitions.storage import StoreAway
from leaderboard.refusals import Refused
from leaderboard.texts import reader_language
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.uploads import FIELD_CHARACTERS, FORM_BYTES, STRANGERS_BYTES, drain
from scoring.findings import Finding, InvalidFile
from scoring.messages import size

API = "/api/"
PROBLEM = "application/problem+json"


class Code(NamedTuple):
    """What an error is called for programs, for good, and what that means."""

    code: str
    meaning: StrOrPromise


INVALID_FILE = Code(
    "invalid_file", _("The file has problems: “problems” lists each with its lines.")
)
CODES = {
    400: Code("bad_request", _("The request could not be read.")),
    401: Code("no_token", _("This needs a token.")),
    403: Code("forbidden", _("You do not have permission to do this.")),
    404: Code("not_found", _("This page does not exist, or you cannot see it.")),
    405: Code(
        "wrong_method", _("This address does not accept this method. “Allow” lists the methods.")
    ),
    413: Code("too_large", _("The request is larger than this address accepts.")),
    415: Code("encoded", _("The body is compressed. Send it uncompressed.")),
    422: Code("invalid_request", _("Fields are missing or wrong: “fields” names them.")),
    500: Code("server_error", _("It failed on our side. If you contact us, quote “request”.")),
    503: Code("busy", _("This cannot be done right now. “Retry-After” says when to retry.")),
    507: Code("storage_full", _("The server's storage is full. Nothing was changed.")),
}
"""Of an error without a code of its own, by status."""
OF_PAGES = (400, 500)  # they speak of going back, and of a number that stands below


@dataclass(frozen=True)
class ErrorText:
    """An error as a person reads it. `next_step` is a way out of it, `way_back` the page to reopen.

    For programs: a stable `code`, else that of the status; `findings`, what is wrong with a file,
    line by line; `more` members of the problem.
    """

    status: int
    title: StrOrPromise
    text: StrOrPromise
    next_step: StrOrPromise = ""
    reference: str = ""
    code: str = ""
    findings: tuple[Finding, ...] = ()
    more: Mapping[str, object] = field(default_factory=dict)
    way_back: str = ""


def _as_problem(problem: ErrorText, retry_after: int | None) -> HttpResponse:
    """As RFC 9457 has it, with a code that stays, and the sentences in both languages."""
    code = problem.code or CODES[problem.status].code
    texts = {"title": problem.title, "detail": problem.text, "next_step": problem.next_step}
    if not problem.code and problem.status in OF_PAGES:
        texts |= {"detail": CODES[problem.status].meaning, "next_step": ""}
    said = {}
    for language in ("ko", "en"):
        with override(language):
            said[language] = {name: str(text) for name, text in texts.items()}
    body: dict[str, object] = {
        "type": f"{settings.BASE_URL}{reverse('api_docs')}#{code}",
        "status": problem.status,
        "code": code,
        **said[reader_language()],
        **said,
        "problems": [finding.to_dict() for finding in problem.findings],
        "request": str(structlog.contextvars.get_contextvars().get("request", "")),
        **problem.more,
    }
    if retry_after is not None:
        body["retry_after"] = retry_after
    return JsonResponse(
        body, status=problem.status, content_type=PROBLEM, json_dumps_params={"ensure_ascii": False}
    )


RETRY_SECONDS = 5
FREED_SECONDS = 60  # as long as `actions.submissions` asks for when the disk is full
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


# What fills a sentence that is said later, in whatever language.
_filled = lazy(mod, str)
_spoken = lazy(spoken, str)


def show(
    request: HttpRequest, problem: ErrorText, *, retry_after: int | None = None
) -> HttpResponse:
    """The error page, or only its notice where htmx puts it into a page; for programs a problem."""
    if request.path_info.startswith(API):
        response = _as_problem(problem, retry_after)
    else:
        fragment = getattr(request, "htmx", False) or request.headers.get("HX-Request") == "true"
        template = "parts/error.html" if fragment else "error.html"
        response = render(request, template, {"error": problem}, status=problem.status)
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    return response


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: the browser sent something that no page of ours sends."""
    title = _("The request could not be read")
    text = _("The address or the form is damaged. Go back and try again. No attempt was used.")
    return show(request, ErrorText(400, title, text))


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403: known, but not for this person."""
    title = _("You do not have permission to see this page")
    text = _(
        "If you are signed in with another account, sign out and in again. Or ask the "
        "organizer for access."
    )
    return show(request, ErrorText(403, title, text))


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 from the CSRF check: nearly always a form that was left open over a sign-in.

    It leads back to the form's page. Within a page it stands before what was typed.
    """
    title = _("This form is out of date")
    text = _(
        "You may have signed in or out in another window. Nothing you sent was processed and no "
        "attempt was used. Open the page again and resend."
    )
    page = urlsplit(request.headers.get("Referer", ""))
    way_back = f"/{page.path.lstrip('/')}" if page.netloc == request.get_host() else ""
    response = show(request, ErrorText(403, title, text, way_back=way_back))
    response["HX-Reswap"] = "afterbegin"
    return response


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: nothing here, or nothing that this person may know of."""
    title = _("There is no page at this address")
    text = _("The address may have changed, or the competition may be for its participants only.")
    return show(request, ErrorText(404, title, text))


def wrong_method(request: HttpRequest, allowed: str) -> HttpResponse:
    """405: what is there is asked for otherwise. For programs."""
    title = _("This address does not accept this method")
    text = _filled(_("Accepted methods: %(methods)s."), {"methods": allowed})
    response = show(request, ErrorText(405, title, text))
    response["Allow"] = allowed
    return response


def too_large(request: HttpRequest, *, limit: int, sent: int | None) -> HttpResponse:
    """413: more bytes than this form takes. `sent` is unknown if the upload was cut off."""
    title = _("The file is too large")
    text = _filled(_("The limit is %(limit)s."), {"limit": size(limit)})
    if sent is not None:
        text = _filled(
            _("The limit is %(limit)s. Yours is %(sent)s."),
            {"limit": size(limit), "sent": size(sent)},
        )
    step = _("Check whether it has columns other than the summary. No attempt was used.")
    return show(request, ErrorText(413, title, text, step))


def too_much(request: HttpRequest) -> HttpResponse:
    """413: more than a form, or a body without a length, where no file is taken."""
    title = _("Too much was sent")
    text = _filled(
        _(
            "This address accepts no files, and forms of at most %(limit)s. Requests that do not "
            "state their length are not accepted either."
        ),
        {"limit": size(FORM_BYTES)},
    )
    step = _("Send a file from the page where it is chosen. A program must send Content-Length.")
    return show(request, ErrorText(413, title, text, step))


def too_long(request: HttpRequest) -> HttpResponse:
    """413: a field of the form holds more than any of ours."""
    title = _("The text is too long")
    text = _filled(
        _("A field of a form takes at most %(most)d characters. Nothing was saved."),
        {"most": FIELD_CHARACTERS},
    )
    step = _("Go back, shorten the text and send it again.")
    return show(request, ErrorText(413, title, text, step))


def encoded(request: HttpRequest) -> HttpResponse:
    """415: a compressed body, whose size nobody knows before it is unpacked."""
    title = _("Compressed requests are not accepted")
    text = _("The Content-Encoding of the request is not identity. Its body was not read.")
    step = _("Send it again without compressing it.")
    response = show(request, ErrorText(415, title, text, step))
    response["Accept-Encoding"] = "identity"
    return response


def refused(
    request: HttpRequest,
    refusal: Refused,
    page: Callable[[], HttpResponse] | None = None,
    **more: object,
) -> HttpResponse:
    """A rule said no (403, 409, 422, 429, 507); its own words say why and what next.

    `page` makes the page that the form stands on, with what was typed: it comes back with the
    reason on top. Without one the reason is all there is, for who may not see such a page. `more`:
    what a problem for programs holds besides.
    """
    if page is not None:
        request.refusal = refusal  # type: ignore[attr-defined]
        return kept(page(), refusal)
    titles: dict[int | str, StrOrPromise] = {
        401: _("Not signed in"),
        403: _("Not possible now"),
        404: _("This cannot be used"),
        409: _("Not possible in this state"),
        429: _("Please try again later"),
        "daily_limit": _("Today's submissions are used"),
        "total_limit": _("All submissions of the competition are used"),
        "too_many_waiting": _("Too many files are waiting"),
    }
    problem = ErrorText(
        refusal.status,
        titles.get(refusal.code) or titles.get(refusal.status, _("This cannot be accepted now")),
        _spoken(refusal),
        _spoken(refusal, "next_step"),
        code=refusal.code,
        more=more,
    )
    response = show(request, problem, retry_after=refusal.retry_after)
    if refusal.status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="api"'
    return response


def invalid(request: HttpRequest, file: InvalidFile, **more: object) -> HttpResponse:
    """422: a file that cannot be accepted, with all that is wrong with it. For programs."""
    problem = ErrorText(
        422,
        _("The file cannot be accepted"),
        _("Nothing was saved and no attempt was used."),
        _("Fix the lines listed and check the file again. Checking uses no attempt."),
        code=INVALID_FILE.code,
        findings=file.problems,
        more={"total_problems": file.total, "rows": file.rows, **more},
    )
    return show(request, problem)


def kept(page: HttpResponse, refusal: Refused) -> HttpResponse:
    """A page that says a refusal itself, with the status and the wait that belong to it."""
    page.status_code = refusal.status
    if refusal.retry_after is not None:
        page["Retry-After"] = str(refusal.retry_after)
    return page


def busy(request: HttpRequest) -> HttpResponse:
    """503: database or store did not answer in time, or are being started again."""
    title = _("This could not be done right now")
    text = _("The server is very busy or is being restarted.")
    step = _(
        "Try again in a few seconds. If you were submitting, you can send the same form again: it "
        "counts once."
    )
    return show(request, ErrorText(503, title, text, step), retry_after=RETRY_SECONDS)


def storage_full(request: HttpRequest) -> HttpResponse:
    """507: the disk takes nothing more. Whatever was being written is as it was before."""
    # Unread bytes would reset the connection before the answer is read.
    drain(request, at_most=STRANGERS_BYTES)
    title = _("Nothing can be saved right now")
    text = _("The server's storage is full, so nothing was changed. You can still read everything.")
    step = _(
        "Try again in a few minutes, and tell the administrator if it does not work. If you were "
        "submitting, no attempt was used."
    )
    return show(request, ErrorText(507, title, text, step), retry_after=FREED_SECONDS)


def found_no_room(error: BaseException | None) -> bool:
    """Whether a full disk is behind this error, of a file or of either database."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return True
        # SQLite says "full" only of the file itself, "I/O error" of its log and of quotas.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            return True
        if getattr(error, "sqlstate", "") == "53100":  # PostgreSQL's disk_full
            return True
        error = error.__cause__
    return False


def server_error(request: HttpRequest) -> HttpResponse:
    """500: ours. The reference number finds the request in the log.

    Django calls this while it handles the exception; a full disk is a 507, and a database or a
    store that cannot be used a 503.
    """
    error = sys.exception()
    if found_no_room(error):
        return storage_full(request)
    if isinstance(error, OperationalError | InterfaceError | StoreAway):
        return busy(request)
    title = _("Something went wrong on our side")
    text = _(
        "It has been logged. If you were submitting, see under My submissions whether the file "
        "arrived. If you contact us, please quote this number:"
    )
    reference = str(structlog.contextvars.get_contextvars().get("request", ""))
    return show(request, ErrorText(500, title, text, reference=reference))
