"""`/api/v1/`: its operations, their description, and how errors are answered."""

import json
import re
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    RawPostDataException,
    UnreadablePostError,
)
from django.urls import URLPattern, path
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.openapi.docs import Swagger
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.parser import Parser
from ninja.renderers import JSONRenderer

from leaderboard.api import calls, competitions, desk, forum, pages, submissions
from leaderboard.competitions.models import Competition
from leaderboard.refusals import Refused
from leaderboard.web import errors
from leaderboard.web.errors import PROBLEM, ErrorText
from leaderboard.web.uploads import ORGANIZER_BYTES, PREDICTIONS_BYTES, accepts_upload
from scoring.findings import InvalidFile

DESCRIPTION = """
For programs: submit files, follow scores, and run a contest. Make a token in your
settings and send it as `Authorization: Bearer slb_…`. Errors are problems (RFC 9457) with a stable
`code` (each is explained at `/api`), sentences in the language of `Accept-Language`, and for files
line numbers. Times are UTC; those of a board and of sentences are in the contest's zone.
"""
# Operations whose body is a file: who may send one is asked before it is read.
UPLOADS = {
    "validate": (PREDICTIONS_BYTES, calls.sender(calls.CHECK, calls.member)),
    "submissions": (PREDICTIONS_BYTES, calls.sender(calls.CHECK, calls.member)),
    "score_dev": (PREDICTIONS_BYTES, calls.sender(calls.CHECK, submissions.practising)),
    "all_versions": (ORGANIZER_BYTES, calls.sender(calls.ORGANIZE, calls.editor)),
}


# What any operation may answer with, and what those that change something may, besides.
ERRORS = (400, 401, 403, 404, 413, 415, 422, 429, 500, 503)
ERRORS_OF_CHANGES = (409, 507)


_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # and not the six letters that mean one


class Objects(Parser):
    """Every JSON body is an object, and no text of it holds a NUL, which PostgreSQL refuses."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        found = super().parse_body(request)
        if isinstance(found, dict) and not _NUL.search(json.dumps(found)):
            return found
        raise ValueError


class Api(NinjaAPI):
    """Says in the OpenAPI document which errors every operation may answer with."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """The name of its function, unless it says another."""
        return operation.view_func.__name__

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        """Made once a process: nothing of it depends on who asks."""
        return self._document

    @cached_property
    def _document(self) -> OpenAPISchema:
        document = super().get_openapi_schema()
        schemas = document["components"]["schemas"]
        for schema in (calls.Texts, calls.FileProblem, calls.FieldProblem, calls.ProblemOut):
            known = schema.model_json_schema(ref_template="#/components/schemas/{model}")
            known.pop("$defs", None)
            schemas[schema.__name__] = known
        document["components"]["responses"] = {
            "Problem": {
                "description": "Why not",
                "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemOut"}}},
            }
        }
        scopes = self._scopes()
        for operations in document["paths"].values():
            for method, operation in operations.items():
                if scope := scopes.get(operation["operationId"]):
                    operation["security"] = [{"Needs": [scope]}]
                    operation["description"] += f"\n\nNeeds a token of the scope `{scope}`."
                for status in (*ERRORS, *(() if method == "get" else ERRORS_OF_CHANGES)):
                    problem = {"$ref": "#/components/responses/Problem"}
                    operation["responses"].setdefault(status, problem)
        return document

    def _scopes(self) -> dict[str, str]:
        """The scope of the token, by operation that needs one: ninja leaves it out."""
        return {
            operation.operation_id or self.get_openapi_operation_id(operation): needs.scope.value
            for router in self._get_bound_routers()
            for view in router.path_operations.values()
            for operation in view.operations
            for needs in operation.auth_callbacks
            if isinstance(needs, calls.Needs)
        }


class Readable(JSONRenderer):
    """Texts as they are, and the next line for what comes after."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> str:
        return f"{json.dumps(data, cls=self.encoder_class, ensure_ascii=False)}\n"


api = Api(
    title="Summarization leaderboard",
    version="1",
    description=DESCRIPTION,
    urls_namespace="api",
    parser=Objects(),
    renderer=Readable(),
    docs=Swagger({"validatorUrl": None}),  # which would send the address to another server
)


_ANSWERS: dict[type[Exception], Any] = {
    Refused: errors.refused,
    InvalidFile: errors.invalid,
    Http404: errors.not_found,
    # What could not be read at all: no JSON, a form in its place, or cut off.
    HttpError: errors.bad_request,
    RawPostDataException: errors.bad_request,
    UnreadablePostError: errors.bad_request,
}
for _kind, _answer in _ANSWERS.items():
    api.add_exception_handler(_kind, _answer)


@api.exception_handler(ObjectDoesNotExist)
@api.exception_handler(IntegrityError)
def gone(request: HttpRequest, error: Exception) -> HttpResponse:
    """The contest was deleted meanwhile; anything else is ours."""
    named = request.resolver_match.kwargs.get("slug") if request.resolver_match else None
    if named is None or Competition.objects.filter(slug=named).exists():
        raise error
    return errors.not_found(request)


@api.exception_handler(ValidationError)
def not_valid(request: HttpRequest, invalid: ValidationError) -> HttpResponse:
    """What was sent is not of the shape that the OpenAPI document gives."""
    where = []
    for one in invalid.errors:
        place, *rest = map(str, one["loc"])
        # A body is its fields, whatever we call the whole.
        path = rest[1:] if place == "body" and rest else rest
        where.append({"where": ".".join([place, *path]), "message": one["msg"]})
    problem = ErrorText(
        422,
        _("The request is not valid for this operation"),
        _("Fields are missing, too long or of the wrong type. Nothing was changed."),
        _("See “fields”, and the description of the operation."),
        more={"fields": where},
    )
    return errors.show(request, problem)


api.add_router("/competitions", competitions.router)
api.add_router("/competitions", submissions.router)
api.add_router("/competitions", submissions.dev_router)
api.add_router("/competitions", forum.router)
api.add_router("/competitions", desk.router)
api.add_router("", competitions.you)

_urls, _app_name, _namespace = api.urls
for _pattern in _urls:
    if isinstance(_pattern, URLPattern) and _pattern.name in UPLOADS:
        _limit, _sender = UPLOADS[_pattern.name]
        accepts_upload(_limit, sender=_sender)(_pattern.callback)

urlpatterns = [
    path("cli", pages.cli, name="cli"),
    path("api", pages.docs, name="api_docs"),
    path("api/v1/", (_urls, _app_name, _namespace)),
]
