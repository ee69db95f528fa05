"""Forms of what comes over the wire. Only the judge's worker imports this: it needs pydantic.

The forms of answers are built from the very schemas that the model was sent. On our own wire
nothing is bent into shape: a string is no boolean, no field is missing, none is too many. Labels of
verdicts stay text here; the workshop knows their spellings.
"""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from scoring.judges.parsing import Malformed
from scoring.judges.schemas import SCHEMAS, Body, Schema

# Of one text, and of one list: far more than any honest answer holds.
LONGEST_TEXT = 20_000
LONGEST_LIST = 500


class Strict(BaseModel):
    """The base of every answer's form."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


_Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
_PLAIN: Mapping[str, Any] = {"string": _Text, "boolean": bool, "null": None}


def read(schema: Schema, value: object) -> dict[str, Any]:
    """The answer, exactly as it came, once it has the schema's form. Raises Malformed."""
    try:
        return form(schema.name).model_validate(value).model_dump()
    except ValidationError:
        raise Malformed("wrong_form") from None  # the error would quote the answer


@cache
def form(name: str) -> type[Strict]:
    """The strict model of a schema by its name."""
    return _object(name, SCHEMAS[name].body)


def _object(name: str, body: Body) -> type[Strict]:
    fields: dict[str, Any] = {
        key: (_type(f"{name}_{key}", inner), ...) for key, inner in body["properties"].items()
    }
    return create_model(name, __base__=Strict, **fields)


def _type(name: str, body: Body) -> Any:
    kind = body["type"]
    if isinstance(kind, list):
        either = _PLAIN[kind[0]]
        for other in kind[1:]:
            either = either | _PLAIN[other]
        return either
    if kind == "object":
        return _object(name, body)
    if kind == "array":
        return Annotated[list[_type(name, body["items"])], Field(max_length=LONGEST_LIST)]  # type: ignore[misc]
    return _PLAIN[kind]


class WireMessage(BaseModel):
    """What a server says; servers add fields of their own."""

    content: str | None = None
    refusal: str | None = None


class Choice(BaseModel):
    """One answer; we ask for one."""

    message: WireMessage
    finish_reason: str | None = None


class WireTokens(BaseModel):
    """How a server counts. Some servers leave it out."""

    prompt_tokens: int = Field(ge=0, le=100_000_000)
    completion_tokens: int = Field(ge=0, le=100_000_000)


class Completion(BaseModel):
    """The body of chat/completions."""

    choices: list[Choice] = Field(min_length=1)
    model: str = ""
    system_fingerprint: str | None = None
    usage: WireTokens | None = None
