"""Answer forms: strict, portable, evidence before the verdict."""

from collections.abc import Iterator
from typing import Any

import pytest

from scoring.judges.schemas import SCHEMAS, Schema

VERDICTS = {"verdict", "answered", "is_covered", "is_addressed", "is_accurate", "supported"}
ALLOWED = {"type", "properties", "required", "additionalProperties", "items", "enum"}


def parts(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield body
    for inner in (*body.get("properties", {}).values(), *filter(None, [body.get("items")])):
        yield from parts(inner)


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_subset_that_every_provider_takes(name: str) -> None:
    body = SCHEMAS[name].body
    assert body["type"] == "object"
    for part in parts(body):
        assert set(part) <= ALLOWED
        if part["type"] == "object":
            assert part["required"] == list(part["properties"])
            assert part["additionalProperties"] is False


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_verdict_comes_last(name: str) -> None:
    for part in parts(SCHEMAS[name].body):
        names = list(part.get("properties", {}))
        verdicts = [each for each in names if each in VERDICTS]
        assert len(verdicts) <= 1
        assert not verdicts or names[-1] == verdicts[0]


def test_no_answer_has_a_number_in_it() -> None:
    """A model never gives a score."""
    types = {str(part["type"]) for schema in SCHEMAS.values() for part in parts(schema.body)}
    assert types == {"object", "array", "string", "boolean", "['string', 'null']"}


def test_the_hash_sees_the_order() -> None:
    one = Schema("x", {"type": "object", "properties": {"a": {}, "b": {}}})
    other = Schema("x", {"type": "object", "properties": {"b": {}, "a": {}}})
    assert one.sha256 != other.sha256
    assert len({schema.sha256 for schema in SCHEMAS.values()}) == len(SCHEMAS)
