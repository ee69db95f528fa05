"""A value by its form: one reader for answers, for the records of a page, for the command line.

Forms are JSON Schema (`schemas`). What is read from elsewhere has three types of our own: `id` (a
text or a whole number), `verdict` (in any of its spellings), `written` (a boolean, or one as text);
and a field with a `default` may be missing.
"""

from typing import Any

from scoring.judges import parsing
from scoring.judges.parsing import Malformed
from scoring.judges.schemas import TEXT, TRUTH, VERDICT, Body, listed

LARGEST = 1e15  # arithmetic stays exact and finite below it
# Of one text, and of one list, in an answer: far more than any honest one holds.
LONGEST_TEXT = 20_000
LONGEST_LIST = 500

ID: Body = {"type": "id"}
WRITTEN: Body = {"type": "written"}


def exact(body: Body, value: object) -> Any:
    """An answer on our own wire: no field missing, none too many, a string is no boolean.

    Labels of verdicts stay as they are written. Raises Malformed.
    """
    kind = body["type"]
    if kind == "object" and isinstance(value, dict):
        properties: dict[str, Body] = body["properties"]
        if properties.keys() == value.keys():
            return {key: exact(inner, value[key]) for key, inner in properties.items()}
    elif kind == "array" and isinstance(value, list):
        if len(value) <= LONGEST_LIST:
            return [exact(body["items"], each) for each in value]
    elif isinstance(value, str):
        if "string" in kind and len(value) <= LONGEST_TEXT:
            return value
    elif (isinstance(value, bool) and kind == "boolean") or (value is None and "null" in kind):
        return value
    raise Malformed("wrong_form")


def lenient(body: Body, truth: Body = TRUTH) -> Body:
    """The form of an answer as it is taken from a file: texts that no score depends on may lack."""
    if body["type"] == "object":
        inner = {
            key: ID if key == "id" else lenient(each, truth)
            for key, each in body["properties"].items()
        }
        return {"type": "object", "properties": inner}
    if body["type"] == "array":
        return listed(lenient(body["items"], truth))
    if body == TRUTH:
        return truth
    if body == VERDICT:
        return {"type": "verdict"}
    return {**body, "default": "" if body == TEXT else None}


def read(body: Body, value: Any, place: str = "") -> Any:
    """A value from elsewhere; further fields are not looked at.

    Raises Malformed with the place of what is wrong, such as `rubrics[0].is_addressed`.

    >>> read(listed(WRITTEN), ["False", True])
    [False, True]
    """
    match body.get("type"):
        case "object":
            return _object(body, value, place)
        case "array":
            return _list(body, value, place)
        case "written":
            return parsing.boolean(value, place)
        case "verdict":
            return parsing.verdict(value)
        case "id":
            if isinstance(value, str | int) and not isinstance(value, bool):
                return str(value)
            raise Malformed("no_id", place)
        case None:
            return value
    return _plain(body, value, place)


def _object(body: Body, value: object, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Malformed("no_object", place)
    before = f"{place}." if place else ""
    others: Body = body.get("additionalProperties", {})
    parts: dict[str, Body] = body.get("properties") or dict.fromkeys(value, others)
    found = {}
    for key, inner in parts.items():
        if key in value:
            found[key] = read(inner, value[key], before + key)
        elif "default" in inner:
            found[key] = inner["default"]
        else:
            raise Malformed("missing", place, key=key)
    return found


def _list(body: Body, value: object, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise Malformed("no_list", place)
    found = [read(body["items"], each, f"{place}[{at}]") for at, each in enumerate(value)]
    if body.get("uniqueItems") and len(set(found)) != len(found):
        raise Malformed("same_id_twice", place)
    return found


def _plain(body: Body, value: Any, place: str) -> Any:
    kinds = [body["type"]] if isinstance(body["type"], str) else body["type"]
    if "enum" in body and not (isinstance(value, str) and value in body["enum"]):
        raise Malformed("no_choice", place, words=", ".join(body["enum"]))
    if not any(_is(value, kind) for kind in kinds):
        raise Malformed(f"no_{kinds[0]}", place)
    if isinstance(value, int | float):
        if not abs(value) <= LARGEST:
            raise Malformed("no_number", place)
        if value < body.get("minimum", value):
            raise Malformed("too_small", place, lowest=body["minimum"])
    return value


def _is(value: object, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    types = {"string": str, "integer": int, "number": int | float, "null": type(None)}
    return kind in types and isinstance(value, types[kind])
