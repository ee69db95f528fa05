"""records.json of `native` to records.

What the file itself says (texts, ids asked) has to be right. What the judge said may be anything:
an item that cannot be read makes its metric `content_failed`, as it does on the server.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from scoring.judges import parsing
from scoring.judges.failures import InvalidRecords
from scoring.judges.parsing import Malformed
from scoring.judges.reading import each, field, items, mapping, text
from scoring.judges.records import (
    AdherenceRubric,
    Answer,
    Asked,
    Claim,
    ContentItem,
    PointVerdict,
    Returned,
    RubricContents,
    Status,
)

Item = TypeVar("Item")


class NativeRecords(NamedTuple):
    """The arguments of `native.score`."""

    summary: str
    dialogue: str
    asked: Asked
    returned: Returned


def native(records: object) -> NativeRecords:
    """`{summary, dialogue, asked, claims, decomposition, answers, completeness, adherence}`.

    Of `asked` and the lists, what is absent was not asked.
    """
    fields = mapping(records, "")
    return NativeRecords(
        text(field(fields, "summary"), "summary"),
        text(field(fields, "dialogue"), "dialogue"),
        asked(fields.get("asked") or {}),
        returned(fields),
    )


def asked(value: object) -> Asked:
    """`{questions: [ids], completeness: {rubric: [ids]}, adherence: [ids]}`, each optional.

    `categorical` ({rubric: [allowed values]}), `sections` ({rubric: section}), `absent` ([rubrics
    that ask for something not to be there]) and `texts` ({question or rubric/content: what it
    says}, to hold quotations against) may be added.
    """
    fields = mapping(value, "asked")

    def lists(key: str, read: Callable[[object, str], tuple[str, ...]]) -> dict[str, Any]:
        place = f"asked.{key}"
        return {
            name: read(inner, f"{place}.{name}")
            for name, inner in mapping(fields.get(key) or {}, place).items()
        }

    def named(key: str) -> dict[str, str]:
        place = f"asked.{key}"
        inner = mapping(fields.get(key) or {}, place)
        return {name: text(each, f"{place}.{name}") for name, each in inner.items()}

    return Asked(
        questions=_ids(fields.get("questions") or [], "asked.questions"),
        completeness=lists("completeness", _ids),
        adherence=_ids(fields.get("adherence") or [], "asked.adherence"),
        categorical=lists("categorical", lambda value, place: each(value, place, text)),
        sections=named("sections"),
        absent=frozenset(_ids(fields.get("absent") or [], "asked.absent")),
        texts=named("texts"),
    )


def _ids(value: object, place: str) -> tuple[str, ...]:
    def read(item: object, where: str) -> str:
        try:
            return _id(item)
        except Malformed:
            raise InvalidRecords(where, "id여야 합니다.", "must be an id.") from None

    found = each(value, place, read)
    if len(set(found)) != len(found):
        raise InvalidRecords(place, "같은 id가 두 번 있습니다.", "holds the same id twice.")
    return found


def returned(fields: Mapping[str, Any]) -> Returned:
    """What the judge said, from its lists; unreadable ones stop their metric."""
    stopped: dict[str, Status] = {}

    def read(key: str, metric: str, one: Callable[[Any], Item]) -> tuple[Item, ...] | None:
        if fields.get(key) is None:
            return None
        listed = items(fields[key], key)
        try:
            return tuple(one(item) for item in listed)
        except Malformed:
            stopped[metric] = Status.CONTENT_FAILED
            return None

    return Returned(
        claims=read("claims", "alignment", _claim),
        decomposition=read("decomposition", "alignment", _verdict),
        answers=read("answers", "coverage", _answer),
        completeness=read("completeness", "completeness", _contents),
        adherence=read("adherence", "adherence", _rubric),
        stopped=stopped,
    )


def _id(value: object) -> str:
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    raise Malformed("no_id")


def _of(item: object) -> Mapping[str, Any]:
    if isinstance(item, dict):
        return item
    raise Malformed("no_object")


def _words(item: Mapping[str, Any], key: str) -> str:
    """A text that no score depends on; it may be absent."""
    value = item.get(key, "")
    if isinstance(value, str):
        return value
    raise Malformed("no_text")


def _span(item: Mapping[str, Any], key: str) -> str | None:
    return None if item.get(key) is None else _words(item, key)


def _claim(given: object) -> Claim:
    item = _of(given)
    return Claim(_id(item.get("id")), _words(item, "point"))


def _verdict(given: object) -> PointVerdict:
    item = _of(given)
    return PointVerdict(
        _id(item.get("id")),
        _words(item, "point"),
        _span(item, "evidence"),
        _words(item, "accuracy"),
        parsing.verdict(item.get("verdict")),
    )


def _answer(given: object) -> Answer:
    item = _of(given)
    return Answer(
        _id(item.get("id")),
        _words(item, "question"),
        _span(item, "related_content_from_summary"),
        _words(item, "reasoning"),
        parsing.strict_boolean(item.get("answered")),
    )


def _content(given: object) -> ContentItem:
    item = _of(given)
    return ContentItem(
        _id(item.get("id")),
        _words(item, "transcript_content"),
        _span(item, "related_content_from_summary"),
        parsing.strict_boolean(item.get("is_covered")),
    )


def _contents(given: object) -> RubricContents:
    item = _of(given)
    listed = item.get("content_list")
    if not isinstance(listed, list):
        raise Malformed("no_list")
    return RubricContents(
        _id(item.get("id")), _words(item, "question"), tuple(_content(each) for each in listed)
    )


def _rubric(given: object) -> AdherenceRubric:
    item = _of(given)
    return AdherenceRubric(
        _id(item.get("id")),
        _words(item, "question"),
        _span(item, "related_content_from_summary"),
        _words(item, "reasoning"),
        parsing.strict_boolean(item.get("is_addressed")),
    )
