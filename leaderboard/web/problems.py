"""An error as people and programs are told it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import structlog
from django.conf import settings
from django.http import HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import override
from django_stubs_ext import StrOrPromise

from leaderboard.texts import reader_language
from scoring.findings import Finding

API = "/api/"
PROBLEM = "application/problem+json"
CODES = {
    400: "bad_request",
    401: "no_token",
    403: "forbidden",
    404: "not_found",
    405: "wrong_method",
    413: "too_large",
    415: "encoded",
    422: "invalid_request",
    500: "server_error",
    503: "busy",
    507: "storage_full",
}
"""What an error without a code of its own is called for programs, by status."""


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
    code = problem.code or CODES[problem.status]
    texts = {"title": problem.title, "detail": problem.text, "next_step": problem.next_step}
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
