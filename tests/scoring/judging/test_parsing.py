"""A reply is one JSON value or it is refused."""

from typing import Any

import pytest

from scoring.judges import parsing
from scoring.judges import schemas as reading
from scoring.judges.parsing import Malformed, parse
from scoring.judges.schemas import TRUTH


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ('{"a": [1, 2.5, null, true]}', {"a": [1, 2.5, None, True]}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('```json\n{"a": "한국어"}\n```', {"a": "한국어"}),
        ('```json\r\n{"a": 1}\r\n```', {"a": 1}),
        ('{"a": "```json {} ```"}', {"a": "```json {} ```"}),
    ],
)
def test_one_value_is_read(body: str, value: Any) -> None:
    assert parse(body) == value


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", "not_one_json_value"),
        ('Here it is: {"a": 1}', "not_one_json_value"),
        ('{"a": 1}\n{"a": 2}', "not_one_json_value"),
        ('{"a": 1', "not_one_json_value"),
        ('```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```', "not_one_json_value"),
        ('text\n```json\n{"a": 1}\n```', "not_one_json_value"),
        ('{"a": true, "a": false}', "duplicate_key"),
        ('{"a": NaN}', "not_a_number"),
        ('{"a": 1e999}', "not_a_number"),
        ('{"a": ["\\u0000"]}', "not_text"),
        ('{"a\\ud800": 1}', "not_text"),
        ("[" * 100 + "]" * 100, "too_deep"),
        ("[" * 100_000, "not_one_json_value"),
    ],
)
def test_anything_else_is_refused(body: str, code: str) -> None:
    with pytest.raises(Malformed) as refused:
        parse(body)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("label", "read"),
    [
        ("yes", "yes"),
        (" No\n", "no"),
        ("UNSURE", "unsure"),
        ("idk", "unsure"),
        ("Borderline", "unsure"),
    ],
)
def test_verdicts(label: str, read: str) -> None:
    assert parsing.verdict(label) == read


@pytest.mark.parametrize("label", ["maybe", "Yes.", True, None, ["yes"]])
def test_an_unknown_verdict_is_malformed(label: object) -> None:
    with pytest.raises(Malformed):
        parsing.verdict(label)


# The same answers as pydantic's lax bool, which reads such records on the other side of the house.
@pytest.mark.parametrize(
    ("value", "read"),
    [
        *(("True", True), ("TRUE", True), ("yes", True), ("1", True), (1, True), (True, True)),
        *(("False", False), ("n", False), ("0", False), (0, False), (False, False)),
    ],
)
def test_booleans_as_strings(value: object, read: bool) -> None:
    assert parsing.boolean(value) is read


@pytest.mark.parametrize("value", [" True ", "true.", "", None, 2, 0.5])
def test_what_is_no_boolean(value: object) -> None:
    with pytest.raises(Malformed):
        parsing.boolean(value)


@pytest.mark.parametrize("value", ["True", "False", 1, 0, None])
def test_on_our_own_wire_only_json_booleans(value: object) -> None:
    with pytest.raises(Malformed):
        reading.exact(TRUTH, value)
    assert reading.exact(TRUTH, True)
