"""How a call of the stock `kaggle` command is read and answered, whatever it asks for."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any
from uuid import UUID

from django.http import (
    Http404,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    RawPostDataException,
    UnreadablePostError,
)
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods
from ninja import Field, Schema

from leaderboard.api import calls
from leaderboard.api.middleware import ApiRequest
from leaderboard.competitions.models import Competition
from leaderboard.refusals import Refused
from leaderboard.submissions.models import Submission
from leaderboard.texts import reader_language
from leaderboard.web import lookups
from scoring.command_line.output import finding
from scoring.findings import InvalidSubmission

PAGE = 100  # rows of an answer, whatever `pageSize` says
# A submission's number is the beginning of its id: the client's numbers have 63 bits.
SHIFT = 128 - 63


def _text(name: str, most: int = 1_000) -> Any:
    """An optional text of a call. PostgreSQL takes no NUL."""
    return Field("", alias=name, max_length=most, pattern=r"^[^\x00]*$")


class FacadeCall(Schema):
    """The fields of all calls; each call reads its own, and others are ignored."""

    contest: str = _text("competitionName")
    search: str = _text("search")
    page: int = 1
    page_token: str = _text("pageToken")
    file_name: str = _text("fileName")
    size: int = Field(0, alias="contentLength", ge=0, lt=1 << 63)
    upload: str = _text("blobFileTokens")
    note: str = _text("submissionDescription", 20_000)  # kept as far as a note goes
    ref: int = 0
    submission_id: int = Field(0, alias="submissionId")

    @classmethod
    def read(cls, request: ApiRequest) -> "FacadeCall":
        """Raises ValueError for what is of another shape."""
        found = json.loads(request.body or b"{}")
        if isinstance(found, dict):
            return cls.model_validate(found)
        raise ValueError

    @property
    def number(self) -> int:
        """The page's number, from the token that an earlier answer gave, or from `page`."""
        return max(lookups.number(self.page_token, digits=6) or min(self.page, 10**6), 1)


Answer = Callable[[ApiRequest, FacadeCall], HttpResponseBase | dict[str, Any]]


def call(answer: Answer) -> Callable[[ApiRequest], HttpResponseBase]:
    """Make a view that reads the call, and answers errors as the client shows them."""

    @csrf_exempt
    @require_http_methods(["POST"])
    @wraps(answer)
    def view(request: ApiRequest) -> HttpResponseBase:
        try:
            asked = FacadeCall.read(request)
        except (ValueError, RecursionError, RawPostDataException, UnreadablePostError):
            return _error(400, gettext("The request could not be read"))
        try:
            found = answer(request, asked)
        except InvalidSubmission as invalid:
            return _error(422, _lines(invalid))
        except Refused as refusal:
            answered = _error(refusal.status, refusal.whole(reader_language()))
            if refusal.retry_after is not None:
                answered["Retry-After"] = str(refusal.retry_after)
            return answered
        except (Http404, Competition.DoesNotExist):
            return _error(404, gettext("There is no page at this address"))
        return JsonResponse(found) if isinstance(found, dict) else found

    return view


def own_submission(request: ApiRequest, number: int) -> Submission:
    """The submission of one's own teams with this number. Raises Http404."""
    if not 0 <= number < 1 << 63:
        raise Http404
    first, last = (UUID(int=(one << SHIFT) - (one > number)) for one in (number, number + 1))
    return calls.own_submission(request, pk__range=(first, last))


def number(submission: Submission) -> int:
    return submission.pk.int >> SHIFT


def page_of(rows: Any, asked: FacadeCall) -> tuple[list[Any], str]:
    """The rows of the page that was asked for, and the token of the next page."""
    pages = lookups.Pages(rows, PAGE, None)
    shown = pages.get_page(asked.number)
    return list(shown), str(shown.next_page_number()) if shown.has_next() else ""


def utc(at: datetime) -> str:
    return f"{at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def _lines(invalid: InvalidSubmission) -> str:
    """What is wrong with a file, line by line."""
    found = [finding(one, reader_language()) for one in invalid.problems]
    return "\n".join([gettext("The file cannot be accepted"), *found])


def _error(status: int, text: str) -> HttpResponse:
    return JsonResponse({"code": status, "message": text}, status=status)
