"""What was sent: fields, read by the forms of the pages, and files; how the document has both."""

from typing import Any

from django.forms import Form
from django.http import HttpRequest, QueryDict
from ninja.errors import ValidationError

from leaderboard.actions.refusals import Refused
from leaderboard.submissions.queries import Upload


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


def sent_file(request: HttpRequest, file_name: str) -> Upload:
    """The file of the form, or the body itself. Raises Refused."""
    sent = request.FILES.get("file")
    if sent is not None:
        return Upload(name=sent.name or "", data=sent.read())
    # A body is a file if it says what it is, as the document has it.
    if request.content_type in ("", "multipart/form-data", "application/x-www-form-urlencoded"):
        raise Refused("no_file.sent")
    return Upload(name=file_name or "predictions.csv", data=request.body)
