"""What each operation begins with: a token's scope, what it is about, how often it may be; what
was sent, and lists that are answered page by page.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext_lazy as _
from ninja import Field, Schema
from ninja.errors import ValidationError
from ninja.security import HttpBearer

from leaderboard.accounts.models import ApiToken, User
from leaderboard.accounts.rate_limits import Limit, count
from leaderboard.actions.submissions import terms_first
from leaderboard.api.middleware import ApiRequest
from leaderboard.boards.visibility import Viewer, may_read
from leaderboard.competitions.models import DataFile
from leaderboard.references.handouts import Handouts
from leaderboard.refusals import Forbidden, Invalid, Refused
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import Upload, for_user
from leaderboard.teams.models import Team
from leaderboard.web import errors, lookups
from leaderboard.web.uploads import Sender
from scoring.messages import write

Scope = ApiToken.Scope
# Of one token, for all that it may change. Reading writes nothing, here as on the pages.
CALLS = Limit(
    "too_many_calls",
    600,
    timedelta(minutes=1),
    _("More than {most} requests were made in a short time."),
)

no_token = partial(
    Refused,
    "no_token",
    _("This needs a token."),
    _("Make one in the settings and send it as “Authorization: Bearer …”."),
    status=401,
)
not_joined = partial(
    Forbidden,
    "not_joined",
    _("You do not take part in this competition."),
    _("Join it on its page first."),
)


class Needs(HttpBearer):
    """A token of at least this scope. `counted`: against CALLS."""

    def __init__(self, scope: Scope, *, counted: bool) -> None:
        super().__init__()
        self.scope, self.counted = scope, counted

    def __call__(self, request: HttpRequest) -> ApiToken:
        """Whose token it is `Programs` has found out. Raises Refused."""
        token: ApiToken | None = request.token  # type: ignore[attr-defined]
        if token is None:
            raise no_token()
        if not token.allows(self.scope):
            raise Forbidden(
                "token_scope",
                _("The token is only for: {scope}. This needs: {needed}."),
                _("Make another token in the settings."),
                scope=Scope(token.scope).label,
                needed=self.scope.label,
            )
        if self.counted:
            count(CALLS, f"token {token.pk}", request.received_at)  # type: ignore[attr-defined]
        return token

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        raise NotImplementedError  # `__call__` asks no header


READ = Needs(Scope.READ, counted=False)
CHECK = Needs(Scope.SUBMIT, counted=False)  # for what its action counts
SUBMIT = Needs(Scope.SUBMIT, counted=True)
ORGANIZE = Needs(Scope.ORGANIZE, counted=True)


class BodyIn(Schema):
    """What is sent as JSON. A misspelt field is refused: it might be the one that holds back."""

    model_config = {"extra": "forbid"}


class Words(Schema):
    """What a refusal says in one language."""

    detail: str
    next_step: str


class Texts(Words):
    """What an error says in one language."""

    title: str


class FileProblem(Schema):
    """One cause of a refusal, or a remark, with the lines of the file that it is about."""

    code: str = Field(examples=["missing_ids"])
    line: int | None = Field(None, description="the first line; the header is line 1")
    lines: list[int]
    times: int = Field(description="how often it is in the file")
    id: str | None = None
    message_ko: str
    message_en: str


class FieldProblem(Schema):
    """One field that is missing or wrong, as it was sent."""

    where: str = Field(examples=["form.note"])
    message: str


class ProblemOut(Schema):
    """An error (RFC 9457). `code` stays the same; sentences may be reworded."""

    type: str
    status: int
    code: str = Field(examples=["daily_limit"])
    title: str
    detail: str
    next_step: str
    ko: Texts
    en: Texts
    problems: list[FileProblem]
    request: str = Field(description="quote it when you ask about the error")
    retry_after: int | None = Field(None, description="seconds")
    fields: list[FieldProblem] | None = Field(None, description="of `invalid_request`")
    rows: int | None = Field(None, description="of a file with problems: how many were read")
    total_problems: int | None = Field(None, description="`problems` may name fewer")
    limits: dict[str, Any] | None = Field(None, description="after handing in: as `limits` answers")


def viewer(request: ApiRequest, slug: str) -> Viewer:
    """Who asks about this contest; Http404 if they may not know of it.

    Who helps to run it does so with a token of that scope alone: any other sees what all see.
    """
    found = lookups.viewer(request, slug)
    runs_it = request.token is not None and request.token.allows(Scope.ORGANIZE)
    return found if runs_it or found.role is None else replace(found, role=None, listings={})


def reader(request: ApiRequest, slug: str) -> Viewer:
    """The same for its boards. Raises Refused for who may not read any."""
    found = viewer(request, slug)
    if may_read(found):
        return found
    raise not_joined() if isinstance(found.user, User) else no_token()


def files_reader(request: ApiRequest, slug: str, *, unjoined: bool = True) -> Viewer:
    """The same for the contest's files. Raises Refused, or Http404 before the start."""
    found = viewer(request, slug)
    way = lookups.way_to_files(found, unjoined=unjoined)
    if way.must_join:
        raise not_joined()
    if way.terms is not None:
        raise terms_first(version=way.terms.number)
    if way.is_early:
        raise Http404
    return found


def files(request: ApiRequest, slug: str) -> Handouts:
    """The contest's files for participants. Raises Refused, or Http404 before the start."""
    found = files_reader(request, slug)
    return Handouts(found.competition, found.version)


def file(request: ApiRequest, slug: str, name: str) -> DataFile:
    """The one of this name or id; Http404 if there is none. Raises Refused."""
    found = files(request, slug).named(name)
    if found is None:
        raise Http404
    return found


def editor(request: ApiRequest, slug: str) -> Viewer:
    """The same for owners and editors; Http404 for all others, as the desk is."""
    found = viewer(request, slug)
    if not found.edits:
        raise Http404
    return found


def team(found: Viewer) -> Team:
    """The person's team in the contest. Raises Refused."""
    if found.team is None:
        raise not_joined()
    return found.team


def member(request: ApiRequest, slug: str) -> Team:
    """The person's team in the contest of this address. Http404, or raises Refused."""
    return team(viewer(request, slug))


def own_submission(request: ApiRequest, **named: object) -> Submission:
    """The submission of the person's own teams that is so named; Http404 for any other."""
    known = for_user(person(request)).exclude(team__competition__state="deleted")
    return get_object_or_404(known, **named)


def person(request: ApiRequest) -> User:
    """Whose token it is. Only for operations that need one."""
    return lookups.person(request)


def who(seen: Viewer, request: ApiRequest) -> dict[str, Any]:
    """The arguments that most actions take."""
    return {"competition": seen.competition, "user": person(request), "at": seen.at}


def sender(needs: Needs, known: Callable[[ApiRequest, str], object]) -> Sender:
    """A `Sender` of programs: asked before a byte of the file is read."""

    def asked(request: ApiRequest, /, slug: str, **_: object) -> HttpResponse | None:
        try:
            needs(request)
            known(request, slug)
        except Refused as refusal:
            return errors.refused(request, refusal)
        return None

    return asked


def given(one: object, schema: type[Schema]) -> dict[str, Any]:
    """What this has of a schema's fields under their names."""
    return {name: getattr(one, name) for name in schema.model_fields if hasattr(one, name)}


def notice(kept: dict[str, Any]) -> dict[str, Any]:
    """What was remarked when a file was taken, in both languages."""
    code, values = kept["code"], kept["values"]
    return {
        "code": code,
        "line": kept["line"],
        "message_ko": write(code, values, "ko"),
        "message_en": write(code, values, "en"),
    }


def typed(
    form: type[Form], sent: QueryDict | dict[str, Any], *, where: str = "form"
) -> dict[str, Any]:
    """What the page's form makes of what came in `where`. Raises ValidationError."""
    bound = form(sent)
    if bound.is_valid():
        return bound.cleaned_data
    raise ValidationError(
        [
            {"type": "value_error", "loc": [where, name], "msg": " ".join(map(str, said))}
            for name, said in bound.errors.items()
        ]
    )


def file_body(**fields: dict[str, Any]) -> dict[str, Any]:
    """How an operation is described whose body is a file, or a form with one and these fields."""
    form = {
        "type": "object",
        "required": ["file"],
        "properties": {"file": {"type": "string", "format": "binary"}, **fields},
    }
    plain = {"schema": {}, "example": "fname,summary\ntest_0,요약문\n"}  # whatever bytes these are
    content = {"multipart/form-data": {"schema": form}, "text/csv": plain}
    return {"requestBody": {"required": True, "content": content}}


def sent_file(request: ApiRequest, file_name: str) -> Upload:
    """The file of the form, or the body itself. Raises Refused."""
    sent = request.FILES.get("file")
    if sent is not None:
        return Upload(name=sent.name or "", data=sent.read())
    # A body is a file if it says what it is, as the document has it.
    if request.content_type in ("", "multipart/form-data", "application/x-www-form-urlencoded"):
        raise Invalid(
            "no_file",
            _("There is no file in the request."),
            _("Send it in the field “file” of a form, or as the body with the type text/csv."),
        )
    return Upload(name=file_name or "predictions.csv", data=request.body)


PAGE = 100


class Paged(Schema):
    """A page of a list, out of `pages`; of `count` lines in all."""

    count: int
    page: int
    pages: int


def paged(
    rows: Any, number: int, *, size: int | None = None, most: int | None = None
) -> dict[str, Any]:
    """What a `Paged` answers, with the rows of the page of this number; `most`: as of `Pages`."""
    pages = lookups.Pages(rows, size or PAGE, most)
    shown = pages.get_page(number)
    return {
        "items": list(shown),
        "count": pages.count,
        "page": shown.number,
        "pages": pages.num_pages,
        "is_cut": pages.is_cut,
    }
