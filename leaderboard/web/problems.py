"""An error as people and programs are told it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import structlog
from django.conf import settings
from django.http import HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override
from django_stubs_ext import StrOrPromise

from leaderboard.texts import reader_language
from scoring.findings import Finding

API = "/api/"
PROBLEM = "application/problem+json"


class Code(NamedTuple):
    """What an error is called for programs, for good, and what that means."""

    code: str
    meaning: StrOrPromise


INVALID_FILE = Code(
    "invalid_file", _("The file has problems: “problems” says each, with its lines.")
)
CODES = {
    400: Code("bad_request", _("The request could not be read.")),
    401: Code("no_token", _("This needs a token.")),
    403: Code("forbidden", _("This is not for you.")),
    404: Code("not_found", _("There is nothing here, or nothing that you may know of.")),
    405: Code("wrong_method", _("The address is not asked in this way; “Allow” says how.")),
    413: Code("too_large", _("More was sent than this address takes.")),
    415: Code("encoded", _("The body is compressed; send it as it is.")),
    422: Code("invalid_request", _("Fields are missing or wrong: “fields” names them.")),
    500: Code("server_error", _("It failed on our side; quote “request” when you ask about it.")),
    503: Code("busy", _("This cannot be done just now; “Retry-After” says when.")),
    507: Code("storage_full", _("The server's storage is full. Nothing was changed.")),
}
"""Of an error without a code of its own, by status."""
OF_PAGES = (400, 500)  # they speak of going back, and of a number that stands below


@dataclass(frozen=True)
class ErrorText:
    """An error as a person reads it. `next_step` is a way out of it.

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


def as_problem(problem: ErrorText, retry_after: int | None) -> HttpResponse:
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
    response = JsonResponse(
        body, status=problem.status, content_type=PROBLEM, json_dumps_params={"ensure_ascii": False}
    )
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    return response
