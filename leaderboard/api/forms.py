"""What was sent, read by the forms of the pages: one set of rules for what a field takes."""

from typing import Any

from django.forms import Form
from django.http import QueryDict
from ninja.errors import ValidationError


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


def form_body(*fields: tuple[str, dict[str, Any]], files: str = "") -> dict[str, Any]:
    """What the OpenAPI document says of a form: these fields, and the one of its files."""
    schema: dict[str, Any] = {"type": "object", "properties": dict(fields)}
    if files:
        binary = {"type": "string", "format": "binary"}
        schema["properties"] |= {files: {"type": "array", "items": binary, "minItems": 1}}
        schema["required"] = [files]
    content = {"multipart/form-data": {"schema": schema}}
    return {"requestBody": {"required": True, "content": content}}
