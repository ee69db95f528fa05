"""Error pages: what happened, what it cost, what to do next. In the reader's language."""

import errno
import sqlite3
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import structlog
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from leaderboard.actions.refusals import Refused
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.web.uploads import FORM_BYTES, STRANGERS_BYTES, drain
from scoring.messages import size

RETRY_SECONDS = 5
FREED_SECONDS = 60  # as long as `actions.submissions` asks for when the disk is full
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True)
class Problem:
    """An error as a person reads it. `next_step` is a way out of it."""

    status: int
    title: str
    text: str
    next_step: str = ""
    reference: str = ""


def show(request: HttpRequest, problem: Problem, *, retry_after: int | None = None) -> HttpResponse:
    """The error page, or only its notice where htmx will put it into a page."""
    fragment = getattr(request, "htmx", False) or request.headers.get("HX-Request") == "true"
    template = "parts/error.html" if fragment else "error.html"
    response = render(request, template, {"error": problem}, status=problem.status)
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    return response


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: the browser sent something that no page of ours sends."""
    title = _("요청을 읽지 못했습니다")
    text = _(
        "주소나 양식의 내용이 깨져 있습니다. 이전 화면으로 돌아가 다시 해 주세요. "
        "횟수는 쓰지 않았습니다."
    )
    return show(request, Problem(400, title, text))


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403: known, but not for this person."""
    title = _("이 화면을 볼 권한이 없습니다")
    text = _(
        "다른 계정으로 들어와 있다면 로그아웃하고 다시 로그인해 주세요. "
        "주최자에게 권한을 부탁할 수도 있습니다."
    )
    return show(request, Problem(403, title, text))


def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 from the CSRF check: nearly always a form that was left open over a sign-in."""
    title = _("양식이 오래되었습니다")
    text = _(
        "다른 창에서 로그인하거나 로그아웃한 뒤일 수 있습니다. 화면을 새로 열고 다시 보내 주세요. "
        "보내신 내용은 처리하지 않았고, 횟수도 쓰지 않았습니다."
    )
    return show(request, Problem(403, title, text))


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: nothing here, or nothing that this person may know of."""
    title = _("이 주소에는 아무것도 없습니다")
    text = _("주소가 바뀌었거나, 참가한 사람만 볼 수 있는 대회일 수 있습니다.")
    return show(request, Problem(404, title, text))


def too_large(request: HttpRequest, *, limit: int, sent: int | None) -> HttpResponse:
    """413: more bytes than this form takes. `sent` is unknown if the upload was cut off."""
    title = _("파일이 너무 큽니다")
    text = _("%(limit)s까지 받습니다.") % {"limit": size(limit)}
    if sent is not None:
        text = _("%(limit)s까지 받습니다. 보내신 파일은 %(sent)s입니다.") % {
            "limit": size(limit),
            "sent": size(sent),
        }
    step = _("요약이 아닌 열이 들어 있지 않은지 확인해 주세요. 횟수는 쓰지 않았습니다.")
    return show(request, Problem(413, title, text, step))


def too_much(request: HttpRequest) -> HttpResponse:
    """413: more than a form, or a body without a length, where no file is taken."""
    title = _("보내신 내용이 너무 큽니다")
    text = _(
        "이 주소는 파일을 받지 않고, 양식은 %(limit)s까지 받습니다. 길이를 알리지 않은 요청도 "
        "받지 않습니다."
    ) % {"limit": size(FORM_BYTES)}
    step = _(
        "파일은 그 파일을 고르는 화면에서 보내 주세요. 프로그램이라면 Content-Length를 보내 주세요."
    )
    return show(request, Problem(413, title, text, step))


def encoded(request: HttpRequest) -> HttpResponse:
    """415: a compressed body, whose size nobody knows before it is unpacked."""
    title = _("압축한 요청은 받지 않습니다")
    text = _("요청의 Content-Encoding이 identity가 아닙니다. 본문은 읽지 않았습니다.")
    step = _("압축하지 않고 다시 보내 주세요.")
    response = show(request, Problem(415, title, text, step))
    response["Accept-Encoding"] = "identity"
    return response


def no_room(request: HttpRequest) -> HttpResponse:
    """503: other large files are coming in, and together they would take too much of the disk."""
    title = _("지금은 큰 파일을 받을 자리가 없습니다")
    text = _("다른 큰 파일들이 올라오는 중입니다. 아무것도 저장하지 않았습니다.")
    step = _("1분쯤 뒤에 다시 보내 주세요.")
    return show(request, Problem(503, title, text, step), retry_after=60)


def refused(
    request: HttpRequest,
    refusal: Refused,
    page: Callable[[], HttpResponse] | None = None,
) -> HttpResponse:
    """A rule said no (403, 409, 422, 429, 507); its own words say why and what next.

    `page` makes the page that the form stands on, with what was typed: it comes back with the
    reason on top. Without one the reason is all there is, for who may not see such a page.
    """
    if page is not None:
        request.refusal = refusal  # type: ignore[attr-defined]
        return kept(page(), refusal)
    titles = {
        403: _("지금은 할 수 없습니다"),
        409: _("지금 상태에서는 할 수 없습니다"),
        429: _("조금 뒤에 다시 해 주세요"),
    }
    title = titles.get(refusal.status, _("지금은 받을 수 없습니다"))
    problem = Problem(refusal.status, title, spoken(refusal), spoken(refusal, "next_step"))
    return show(request, problem, retry_after=refusal.retry_after)


def kept(page: HttpResponse, refusal: Refused) -> HttpResponse:
    """A page that says a refusal itself, with the status and the wait that belong to it."""
    page.status_code = refusal.status
    if refusal.retry_after is not None:
        page["Retry-After"] = str(refusal.retry_after)
    return page


def busy(request: HttpRequest) -> HttpResponse:
    """503: the database did not answer in time, or is being started again."""
    title = _("지금은 처리하지 못했습니다")
    text = _("서버가 몹시 바쁘거나 다시 켜지는 중입니다.")
    step = _(
        "몇 초 뒤에 다시 해 주세요. 제출하던 중이었다면 같은 양식을 다시 보내도 한 번만 접수됩니다."
    )
    return show(request, Problem(503, title, text, step), retry_after=RETRY_SECONDS)


def wrong_clock(request: HttpRequest) -> HttpResponse:
    """503: this host's clock is off, so it cannot say what is in time. Another host may take it."""
    text = _(
        "이 서버의 시계가 맞지 않아, 마감을 잘못 판단하지 않도록 지금은 받지 않습니다. "
        "횟수는 쓰지 않았습니다."
    )
    step = _("1분 뒤에 같은 양식을 다시 보내 주세요. 계속되면 주최자에게 알려 주세요.")
    return show(request, Problem(503, _("지금은 받을 수 없습니다"), text, step), retry_after=60)


def shown_too_early(request: HttpRequest) -> HttpResponse:
    """503: this host's clock is off, so it cannot say which results are open."""
    text = _(
        "이 서버의 시계가 맞지 않아, 결과를 잘못된 때에 보이지 않도록 지금은 보여 주지 않습니다."
    )
    step = _("1분 뒤에 다시 열어 주세요. 계속되면 주최자에게 알려 주세요.")
    return show(request, Problem(503, _("지금은 볼 수 없습니다"), text, step), retry_after=60)


def storage_full(request: HttpRequest) -> HttpResponse:
    """507: the disk takes nothing more. Whatever was being written is as it was before."""
    with suppress(OSError):
        # Unread bytes would reset the connection before the answer is read.
        drain(request, at_most=STRANGERS_BYTES)
    title = _("지금은 저장할 수 없습니다")
    text = _(
        "서버의 저장 공간이 부족해 아무것도 바꾸지 못했습니다. 보는 것은 그대로 할 수 있습니다."
    )
    step = _(
        "잠시 뒤에 다시 해 주세요. 계속되면 관리자에게 알려 주세요. "
        "제출하던 중이었다면 횟수는 쓰지 않았습니다."
    )
    return show(request, Problem(507, title, text, step), retry_after=FREED_SECONDS)


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

    Django calls this while it handles the exception; a full disk is a 507, and a database that
    cannot be used a 503.
    """
    error = sys.exception()
    if found_no_room(error):
        return storage_full(request)
    if isinstance(error, OperationalError | InterfaceError):
        return busy(request)
    title = _("우리 쪽에서 문제가 생겼습니다")
    text = _(
        "기록해 두었습니다. 제출하던 중이었다면 내 제출에서 접수됐는지 확인해 주세요. "
        "문의할 때 아래 번호를 알려 주세요."
    )
    reference = str(structlog.contextvars.get_contextvars().get("request", ""))
    return show(request, Problem(500, title, text, reference=reference))
