"""Plain JSON to records, or `InvalidRecords` with the place of what is wrong.

The form of records.json of each system; `python -m scoring judge --help` lists them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from scoring.judges import google, parsing
from scoring.judges.failures import InvalidRecords
from scoring.judges.parsing import Malformed

LARGEST = 1e15

Read = TypeVar("Read")


def mapping(value: object, place: str) -> Mapping[str, Any]:
    """A JSON object."""
    if isinstance(value, dict):
        return value
    raise InvalidRecords(place, "JSON 객체여야 합니다.", "must be a JSON object.")


def field(record: Mapping[str, Any], key: str, place: str = "") -> Any:
    """A field that has to be there."""
    if key in record:
        return record[key]
    raise InvalidRecords(place, f"{key} 항목이 없습니다.", f"{key} is missing.")


def items(value: object, place: str) -> Sequence[Any]:
    """A JSON list."""
    if isinstance(value, list):
        return value
    raise InvalidRecords(place, "목록이어야 합니다.", "must be a list.")


def each(value: object, place: str, read: Callable[[object, str], Read]) -> tuple[Read, ...]:
    """A list, each item read with its own place."""
    return tuple(read(item, f"{place}[{at}]") for at, item in enumerate(items(value, place)))


def text(value: object, place: str) -> str:
    """A string."""
    if isinstance(value, str):
        return value
    raise InvalidRecords(place, "문자열이어야 합니다.", "must be a string.")


def truth(value: object, place: str) -> bool:
    """true or false."""
    if isinstance(value, bool):
        return value
    raise InvalidRecords(place, "true 또는 false여야 합니다.", "must be true or false.")


def written_truth(value: object, place: str) -> bool:
    """A boolean or one written as a string, as on Google's page."""
    try:
        return parsing.boolean(value)
    except Malformed:
        raise InvalidRecords(
            place, 'true, false, "True", "False" 중 하나여야 합니다.', "must be True or False."
        ) from None


def number(value: object, place: str, lowest: float = -math.inf) -> float:
    """A number that arithmetic stays exact and finite with."""
    if not isinstance(value, bool) and isinstance(value, int | float) and abs(value) <= LARGEST:
        if value >= lowest:
            return value
        raise InvalidRecords(place, f"{lowest} 이상이어야 합니다.", f"must be at least {lowest}.")
    raise InvalidRecords(place, "수여야 합니다.", "must be a number.")


def count(value: object, place: str, lowest: int = 0) -> int:
    """A whole number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return int(number(value, place, lowest))
    raise InvalidRecords(place, "정수여야 합니다.", "must be a whole number.")


def one_of(value: object, place: str, allowed: Sequence[str]) -> str:
    """One of some words."""
    if isinstance(value, str) and value in allowed:
        return value
    words = ", ".join(allowed)
    raise InvalidRecords(place, f"{words} 중 하나여야 합니다.", f"must be one of {words}.")


def accuracy(records: object) -> tuple[google.RubricPoint, ...]:
    """`{"decomposition": [{point, accuracy, is_accurate}]}`."""

    def point(item: object, place: str) -> google.RubricPoint:
        fields = mapping(item, place)
        return google.RubricPoint(
            text(fields.get("point", ""), f"{place}.point"),
            text(fields.get("accuracy", ""), f"{place}.accuracy"),
            written_truth(field(fields, "is_accurate", place), f"{place}.is_accurate"),
        )

    return each(field(mapping(records, ""), "decomposition"), "decomposition", point)


def adherence(records: object) -> tuple[google.RubricAnswer, ...]:
    """`{"rubrics": [{question, reasoning, is_addressed}]}`."""

    def rubric(item: object, place: str) -> google.RubricAnswer:
        fields = mapping(item, place)
        return google.RubricAnswer(
            text(fields.get("question", ""), f"{place}.question"),
            text(fields.get("reasoning", ""), f"{place}.reasoning"),
            written_truth(field(fields, "is_addressed", place), f"{place}.is_addressed"),
        )

    return each(field(mapping(records, ""), "rubrics"), "rubrics", rubric)


def completeness(records: object) -> tuple[google.QuestionContents, ...]:
    """`[{question, content_list: [{transcript_content, …, is_covered}]}]`."""

    def content(item: object, place: str) -> google.Content:
        fields = mapping(item, place)
        return google.Content(
            text(fields.get("transcript_content", ""), f"{place}.transcript_content"),
            text(
                fields.get("related_content_from_summary", ""),
                f"{place}.related_content_from_summary",
            ),
            written_truth(field(fields, "is_covered", place), f"{place}.is_covered"),
        )

    def question(item: object, place: str) -> google.QuestionContents:
        fields = mapping(item, place)
        return google.QuestionContents(
            text(fields.get("question", ""), f"{place}.question"),
            each(field(fields, "content_list", place), f"{place}.content_list", content),
        )

    return each(records, "", question)
