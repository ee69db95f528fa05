"""`/api`: the operations for people, from the same document that programs read."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from ninja import NinjaAPI


@dataclass(frozen=True)
class Field:
    """A parameter, or a field of a body or an answer; `kind` in words."""

    name: str
    kind: str
    about: str
    needed: bool


@dataclass(frozen=True)
class OperationText:
    """One operation, as the page and docs/api.md have it."""

    name: str
    method: str
    path: str
    summary: str
    rest: str
    needs_token: bool
    parameters: list[Field]
    takes: list[str]
    body: list[Field]
    answer: list[Field]


@require_safe
def docs(request: HttpRequest, *, api: NinjaAPI) -> HttpResponse:
    """Everything on one page."""
    ctx = {"groups": groups(api.get_openapi_schema()), "base_url": settings.BASE_URL}
    return render(request, "api.html", ctx)


def groups(document: dict[str, Any]) -> dict[str, list[OperationText]]:
    """The operations of an OpenAPI document by their first tag, in its order."""
    found: dict[str, list[OperationText]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            tag = operation["tags"][0]
            found.setdefault(tag, []).append(_text(document, path, method, operation))
    return found


def _text(
    document: dict[str, Any], path: str, method: str, operation: dict[str, Any]
) -> OperationText:
    summary, _, rest = operation.get("description", "").partition("\n\n")
    body = operation.get("requestBody", {}).get("content", {})
    schemas = [one["schema"] for one in body.values() if one["schema"]]
    return OperationText(
        name=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=" ".join(summary.split()),
        rest=" ".join(rest.split()),
        needs_token="security" in operation,
        parameters=[
            Field(
                one["name"],
                _kind(one["schema"]),
                one.get("description", one["schema"].get("description", "")),
                one.get("required", False),
            )
            for one in operation.get("parameters", [])
        ],
        takes=list(body),
        body=_fields(document, schemas[0]) if schemas else [],
        answer=_fields(document, _answer(operation)),
    )


def _answer(operation: dict[str, Any]) -> dict[str, Any]:
    """The schema of the answer when all is well."""
    for status, one in operation["responses"].items():
        found = one.get("content", {}).get("application/json")
        if str(status).startswith("2") and found:
            schema: dict[str, Any] = found["schema"]
            return schema
    return {}


def _fields(document: dict[str, Any], schema: dict[str, Any]) -> list[Field]:
    known = _resolved(document, schema)
    needed = known.get("required", [])
    return [
        Field(name, _kind(one), one.get("description", ""), name in needed)
        for name, one in known.get("properties", {}).items()
    ]


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """What a reference leads to; of a list, that of its items."""
    if schema.get("type") == "array":
        schema = schema["items"]
    if "$ref" in schema:
        schema = document["components"]["schemas"][_named(schema)]
    return schema


def _named(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _kind(schema: dict[str, Any]) -> str:
    """A schema in words: `string (date-time)`, `list of integer`, `integer or null`."""
    if "$ref" in schema:
        return _named(schema)
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    kind = str(schema.get("type", "any"))
    return f"{kind} ({schema['format']})" if "format" in schema else kind
