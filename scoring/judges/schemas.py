"""The form of every answer, as JSON Schema in the subset that all providers take.

Properties stand in the order in which they are written: evidence and reasoning before the verdict.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from scoring.judges import parsing
from scoring.judges.parsing import Malformed

Body = dict[str, Any]


@dataclass(frozen=True)
class Schema:
    """A named answer form. `sha256` belongs to the identity of a stored call."""

    name: str
    body: Body

    @property
    def sha256(self) -> str:
        """Of the canonical text. The order of properties counts: models write in that order."""
        text = json.dumps(self.body, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def fields(**properties: Body) -> Body:
    """An object with all of these and nothing else."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def listed(items: Body) -> Body:
    """A list of these."""
    return {"type": "array", "items": items}


def one_of(*labels: str) -> Body:
    """One of some words."""
    return {"type": "string", "enum": list(labels)}


TEXT: Body = {"type": "string"}
QUOTE: Body = {"type": ["string", "null"]}
TRUTH: Body = {"type": "boolean"}
VERDICT = one_of("yes", "no", "unsure")
_TEXTS = listed(TEXT)

CLAIM = fields(id=TEXT, point=TEXT)
POINT_VERDICT = fields(id=TEXT, point=TEXT, evidence=QUOTE, accuracy=TEXT, verdict=VERDICT)
ANSWER = fields(
    id=TEXT, question=TEXT, related_content_from_summary=QUOTE, reasoning=TEXT, answered=TRUTH
)
ADHERENCE = fields(
    id=TEXT, question=TEXT, related_content_from_summary=QUOTE, reasoning=TEXT, is_addressed=TRUTH
)
_SOURCE_ANSWER = fields(id=TEXT, question=TEXT, evidence=QUOTE, reasoning=TEXT, answered=TRUTH)
_SOURCE_CONTENT = fields(evidence=TEXT, transcript_content=TEXT)


_COVERED = {"transcript_content": TEXT, "related_content_from_summary": TEXT, "is_covered": TRUTH}
CONTENT = fields(id=TEXT, **_COVERED)


def contents(content: Body) -> Body:
    """A rubric with its contents."""
    return fields(id=TEXT, question=TEXT, content_list=listed(content))


# Of the page of Google, where nothing has an id.
POINT = fields(point=TEXT, accuracy=TEXT, is_accurate=TRUTH)
RUBRIC = fields(question=TEXT, reasoning=TEXT, is_addressed=TRUTH)
QUESTION_CONTENTS = fields(question=TEXT, content_list=listed(fields(**_COVERED)))

_BODIES: dict[str, Body] = {
    # shared
    "claims": fields(claims=listed(CLAIM)),
    "verify": fields(decomposition=listed(POINT_VERDICT)),
    "cover": fields(answers=listed(ANSWER), completeness=listed(contents(CONTENT))),
    "adhere": fields(rubrics=listed(ADHERENCE)),
    "reason": fields(reason=TEXT),
    # artefacts
    "rubric_questions": fields(rubrics=listed(fields(id=TEXT, question=TEXT))),
    "questions": fields(questions=listed(fields(id=TEXT, evidence=TEXT, question=TEXT))),
    "source_answers": fields(answers=listed(_SOURCE_ANSWER)),
    "contents": fields(completeness=listed(contents(_SOURCE_CONTENT))),
    # faithful: ids are not echoed, Mastra's label is a free string
    "texts_claims": fields(claims=_TEXTS),
    "texts_questions": fields(questions=_TEXTS),
    "texts_answers": fields(answers=_TEXTS),
    "texts_truths": fields(truths=_TEXTS),
    "mastra_alignment": fields(verdicts=listed(fields(claim=TEXT, reason=TEXT, verdict=TEXT))),
    "mastra_2026_judge": fields(
        alignment=listed(fields(claim=TEXT, reason=TEXT, supported=TRUTH)), questions=_TEXTS
    ),
    "mastra_2026_cover": fields(
        coverage=listed(fields(question=TEXT, reason=TEXT, answered=TRUTH))
    ),
    "deepeval_alignment": fields(
        verdicts=listed(fields(reason=QUOTE, verdict=one_of("yes", "no", "idk")))
    ),
    "google_accuracy": fields(decomposition=listed(POINT)),
    "google_adherence": fields(rubrics=listed(RUBRIC)),
    "google_completeness": fields(completeness=listed(QUESTION_CONTENTS)),
}

SCHEMAS: Mapping[str, Schema] = MappingProxyType(
    {name: Schema(name, body) for name, body in _BODIES.items()}
)


LARGEST = 1e15  # arithmetic stays exact and finite below it
# Of one text, and of one list, in an answer: far more than any honest one holds.
LONGEST_TEXT = 20_000
LONGEST_LIST = 500

ID: Body = {"type": "id"}
WRITTEN: Body = {"type": "written"}


def exact(body: Body, value: object) -> Any:
    """An answer on our own wire: exactly these fields, a string is no boolean. Raises Malformed."""
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
