"""How the stock `kaggle` command asks and is answered, whatever it asks for."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any, cast
from uuid import UUID

from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    RawPostDataException,
    UnreadablePostError,
)
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods
from ninja import Field, Schema

from leaderboard.accounts.models import User
from leaderboard.actions.refusals import Refused
from leaderboard.api import calls
from leaderboard.competitions.models import Competition
from leaderboard.operations import clock
from leaderboard.submissions.models import Submission
from leaderboard.texts import reader_language, say
from leaderboard.web import errors, find
from scoring.findings import InvalidSubmission
from scoring.messages import Language
from scoring.output import finding

PAGE = 100  # rows of an answer, whatever `pageSize` says
# A submission's number is the beginning of its id: the client's numbers have 63 bits.
SHIFT = 128 - 63


def _said(name: str, most: int = 1_000) -> Any:
    """A text of a call, which may be missing. PostgreSQL takes no NUL."""
    return Field("", alias=name, max_length=most, pattern=r"^[^\x00]*$")


class FacadeCall(Schema):
    """Whatever a call may say; each reads its own, and nothing else is regarded."""

    contest: str = _said("competitionName")
    search: str = _said("search")
    page: int = 1
    page_token: str = _said("pageToken")
    file_name: str = _said("fileName")
    size: int = Field(0, alias="contentLength", ge=0, lt=1 << 63)
    upload: str = _said("blobFileTokens")
    note: str = _said("submissionDescription", 20_000)  # kept as far as a note goes
    ref: int = 0
    submission_id: int = Field(0, alias="submissionId")

    @classmethod
    def read(cls, request: HttpRequest) -> "FacadeCall":
        """Raises ValueError for what is of another shape."""
        found = json.loads(request.body or b"{}")
        if isinstance(found, dict):
            return cls.model_validate(found)
        raise ValueError

    @property
    def number(self) -> int:
        """Of the page: that of the token, which an answer before gave."""
        return max(find.number(self.page_token, digits=6) or min(self.page, 10**6), 1)


Answer = Callable[[HttpRequest, FacadeCall], HttpResponseBase | dict[str, Any]]


def call(answer: Answer) -> Callable[[HttpRequest], HttpResponseBase]:
    """A view that reads what is asked, and tells errors as the client shows them."""

    @csrf_exempt
    @require_http_methods(["POST"])
    @wraps(answer)
    def view(request: HttpRequest) -> HttpResponseBase:
        if clock.lately().is_wrong:  # a POST that shows what a page does
            return errors.shown_too_early(request)
        try:
            asked = FacadeCall.read(request)
        except (ValueError, RecursionError, RawPostDataException, UnreadablePostError):
            return _error(request, 400, _("The request could not be read"))
        try:
            found = answer(request, asked)
        except InvalidSubmission as invalid:
            return _error(request, 422, _lines(invalid, language(request)))
        except Refused as refusal:
            answered = _error(request, refusal.status, refusal.whole(language(request)))
            if refusal.retry_after is not None:
                answered["Retry-After"] = str(refusal.retry_after)
            return answered
        except (Http404, Competition.DoesNotExist):
            return _error(request, 404, _("There is nothing at this address"))
        return JsonResponse(found) if isinstance(found, dict) else found

    return view


def own_submission(request: HttpRequest, number: int) -> Submission:
    """That of one's own team which has this number. Raises Http404."""
    if not 0 <= number < 1 << 63:
        raise Http404
    first, last = (UUID(int=(one << SHIFT) - (one > number)) for one in (number, number + 1))
    return calls.own_submission(request, pk__range=(first, last))


def number(submission: Submission) -> int:
    return submission.pk.int >> SHIFT


def page_of(rows: Any, asked: FacadeCall) -> tuple[list[Any], str]:
    """Its rows, and the token of the next one."""
    pages = find.Pages(rows, PAGE, None)
    shown = pages.get_page(asked.number)
    return list(shown), str(shown.next_page_number()) if shown.has_next() else ""


def utc(at: datetime) -> str:
    return f"{at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def language(request: HttpRequest) -> Language:
    """The client asks for none."""
    user = request.user
    return cast(Language, user.language) if isinstance(user, User) else reader_language()


def _lines(invalid: InvalidSubmission, language: Language) -> str:
    """What is wrong with a file, line by line."""
    said = [say(_("The file cannot be accepted"), language)]
    return "\n".join([*said, *(finding(one, language) for one in invalid.problems)])


def _error(request: HttpRequest, status: int, text: Promise | str) -> HttpResponse:
    said = str(text) if isinstance(text, str) else say(text, language(request))
    return JsonResponse({"code": status, "message": said}, status=status)
