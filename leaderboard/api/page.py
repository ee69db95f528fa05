"""`/api`: the operations for people, from the same document that programs read."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.views.decorators.http import require_safe
from ninja import NinjaAPI

from leaderboard.accounts.models import ApiToken
from leaderboard.api.calls import Needs
from leaderboard.api.codes import codes, file_codes
from leaderboard.texts import reader_language

TAGS: dict[str, Promise] = {
    "competitions": pgettext_lazy("api", "Competitions"),
    "submissions": pgettext_lazy("list", "Submissions"),
    "dev set": pgettext_lazy("api", "Dev set"),
    "forum": pgettext_lazy("contest", "Forum"),
    "desk": pgettext_lazy("api", "Running a competition"),
    "you": pgettext_lazy("api", "You"),
}


@dataclass(frozen=True)
class Field:
    """A parameter, or a field of a body or an answer; `kind` in signs.

    What lies deeper has the whole way as its name: `limits.left_today`, `problems[].code`.
    """

    name: str
    kind: str
    about: str
    needed: bool


@dataclass(frozen=True)
class OperationText:
    """One operation, as the page and docs/api.md have it. `scope`: empty for no token."""

    name: str
    method: str
    path: str
    summary: str
    rest: str
    scope: str
    parameters: list[Field]
    takes: list[str]
    body: list[Field]
    answer: list[Field]


@require_safe
def docs(request: HttpRequest, *, api: NinjaAPI) -> HttpResponse:
    """Everything on one page."""
    ctx = {
        "groups": [(tag, TAGS[tag], found) for tag, found in groups(api).items()],
        "scopes": ApiToken.Scope.choices,
        "problem": problem(api),
        "codes": codes(reader_language()),
        "file_codes": file_codes(reader_language()),
        "base_url": settings.BASE_URL,
    }
    return render(request, "api.html", ctx)


def groups(api: NinjaAPI) -> dict[str, list[OperationText]]:
    """The operations by their first tag, in the OpenAPI document's order."""
    document, scopes = api.get_openapi_schema(), _scopes(api)
    found: dict[str, list[OperationText]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            scope = scopes.get(operation["operationId"], "")
            text = _text(document, f"{method.upper()} {path}", operation, scope)
            found.setdefault(operation["tags"][0], []).append(text)
    return found


def problem(api: NinjaAPI) -> list[Field]:
    """What every error says."""
    document = api.get_openapi_schema()
    return list(_fields(document, document["components"]["schemas"]["ProblemOut"]))


def _scopes(api: NinjaAPI) -> dict[str, str]:
    """The scope of the token, by operation that needs one: OpenAPI has no place for it."""
    return {
        str(operation.operation_id): needs.scope.value
        for router in api._get_bound_routers()
        for view in router.path_operations.values()
        for operation in view.operations
        for needs in operation.auth_callbacks
        if isinstance(needs, Needs)
    }


def _text(
    document: dict[str, Any], asked: str, operation: dict[str, Any], scope: str
) -> OperationText:
    method, path = asked.split(" ")
    summary, __, rest = operation.get("description", "").partition("\n\n")
    body = operation.get("requestBody", {}).get("content", {})
    schemas = [one["schema"] for one in body.values() if one["schema"]]
    return OperationText(
        name=operation["operationId"],
        method=method,
        path=path,
        summary=_said(summary),
        rest=_said(rest),
        scope=scope,
        parameters=[
            Field(
                one["name"],
                _kind(one["schema"]),
                _said(one.get("description", one["schema"].get("description", ""))),
                one.get("required", False),
            )
            for one in operation.get("parameters", [])
        ],
        takes=list(body),
        body=list(_fields(document, schemas[0])) if schemas else [],
        answer=list(_fields(document, _answer(operation))),
    )


def _said(english: str) -> str:
    """In the reader's language; `wording` has each of these texts."""
    text = " ".join(english.split())
    return gettext(text) if text else ""


def _answer(operation: dict[str, Any]) -> dict[str, Any]:
    """The schema of the answer when all is well."""
    for status, one in operation["responses"].items():
        found = one.get("content", {}).get("application/json")
        if str(status).startswith("2") and found:
            schema: dict[str, Any] = found["schema"]
            return schema
    return {}


def _fields(document: dict[str, Any], schema: dict[str, Any], way: str = "") -> Iterator[Field]:
    """What a schema holds, and below each of these what that holds."""
    step, known = _object(document, schema)
    needed = known.get("required", [])
    for name, one in known.get("properties", {}).items():
        whole = f"{way}{step}.{name}".removeprefix(".")
        yield Field(whole, _kind(one), _said(one.get("description", "")), name in needed)
        yield from _fields(document, one, whole)


def _object(document: dict[str, Any], schema: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The object behind a schema with the step to it: `[]` of a list, `.*` of a map."""
    if "$ref" in schema:
        return _object(document, document["components"]["schemas"][_named(schema)])
    if "anyOf" in schema:
        return _object(document, schema["anyOf"][0])  # what else it may be is null
    for step, inside in (("[]", "items"), (".*", "additionalProperties")):
        if isinstance(schema.get(inside), dict):
            further, known = _object(document, schema[inside])
            return step + further, known
    return "", schema


def _named(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _kind(schema: dict[str, Any]) -> str:
    """A schema in signs: `string (date-time)`, `string ≤ 500`, `integer[]`, `integer | null`."""
    if "$ref" in schema:
        return _named(schema)
    if "anyOf" in schema:
        return " | ".join(map(_kind, schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(map(repr, schema["enum"]))
    if schema.get("type") == "array":
        return f"{_kind(schema.get('items', {}))}[]"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"{{…: {_kind(schema['additionalProperties'])}}}"
    kind = str(schema.get("type", "any"))
    most = schema.get("maxLength", schema.get("maximum"))
    of = f" ({schema['format']})" if "format" in schema else ""
    return f"{kind}{of}" if most is None else f"{kind}{of} ≤ {most}"
