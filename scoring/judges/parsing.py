"""A reply becomes a value, or it is refused. Nothing is repaired, nothing is guessed."""

import json
import re
from collections.abc import Mapping
from typing import Any

from scoring.messages import Language, Spoken, _

_FENCE = re.compile(r"\A```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)\r?\n?```\Z", re.DOTALL)
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_DEEPEST = 64

# What pydantic's lax booleans take, so that both sides of the house read a file alike.
_TRUE = frozenset({"1", "on", "t", "true", "y", "yes"})
_FALSE = frozenset({"0", "off", "f", "false", "n", "no"})

_VERDICTS: Mapping[str, str] = {
    "yes": "yes",
    "no": "no",
    "unsure": "unsure",
    "idk": "unsure",
    "borderline": "unsure",
}


class Malformed(ValueError):
    """A reply or record that cannot be used. `code` never quotes it; `place` says where it is."""

    def __init__(self, code: str, place: str = "", **values: object) -> None:
        self.code, self.place, self.values = code, place, values
        super().__init__(code)


def parse(body: str) -> Any:
    """The one JSON value that the whole body is, after taking off one code fence.

    A summary can plant JSON in what a model writes back, so no first, last or best object is
    looked for: text before or after the value, a second value, a repeated key, NaN, an infinite
    number, NUL and half a surrogate pair are all refused with `Malformed`.

    >>> parse('```json\\n{"a": 1}\\n```')
    {'a': 1}
    >>> parse('{"planted": 1} and {"honest": 2}')
    Traceback (most recent call last):
    ...
    scoring.judges.parsing.Malformed: not_one_json_value
    """
    text = body.strip(" \t\r\n\ufeff")
    fenced = _FENCE.match(text)
    if fenced:
        text = fenced[1].strip(" \t\r\n")
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_refused, parse_float=_finite
        )
    except Malformed:
        raise
    except (ValueError, RecursionError) as error:
        raise Malformed("not_one_json_value") from error
    _look_through(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) != len(pairs):
        raise Malformed("duplicate_key")
    return built


def _refused(_: str) -> None:
    raise Malformed("not_a_number")


def _finite(written: str) -> float:
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise Malformed("not_a_number")
    return value


def _look_through(value: Any) -> None:
    """Refuse what a database or a page cannot hold: endless depth, half characters, NUL."""
    layer = [value]
    for _layer in range(_DEEPEST):
        texts = [each for each in layer if isinstance(each, str)]
        texts += [key for each in layer if isinstance(each, dict) for key in each]
        if any(map(_NO_TEXT.search, texts)):
            raise Malformed("not_text")
        layer = [child for each in layer for child in _children(each)]
        if not layer:
            return
    raise Malformed("too_deep")


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def verdict(label: object) -> str:
    """`yes`, `no` or `unsure` of a label; any other label is `Malformed`, never dropped.

    >>> verdict(" YES "), verdict("idk")
    ('yes', 'unsure')
    """
    known = _VERDICTS.get(label.strip().casefold()) if isinstance(label, str) else None
    if known is None:
        raise Malformed("unknown_verdict")
    return known


def boolean(value: object, place: str = "") -> bool:
    """A boolean of an imported record: JSON's own, or written as a string as on Google's page.

    Never `bool(text)`, to which "False" is true. Blanks and punctuation around are refused.

    >>> boolean("False"), boolean(True)
    (False, True)
    >>> boolean("true.")
    Traceback (most recent call last):
    ...
    scoring.judges.parsing.Malformed: no_written
    """
    if isinstance(value, bool):
        return value
    written = str(value).lower() if isinstance(value, str | int) else ""
    if written in _TRUE:
        return True
    if written in _FALSE:
        return False
    raise Malformed("no_written", place)


_SENTENCES = {
    "no_object": _("must be a JSON object."),
    "no_list": _("must be a list."),
    "missing": _("{key} is missing."),
    "no_string": _("must be a string."),
    "no_boolean": _("must be true or false."),
    "no_written": _("must be True or False."),
    "no_number": _("must be a number."),
    "no_integer": _("must be a whole number."),
    "too_small": _("must be at least {lowest}."),
    "no_choice": _("must be one of {words}."),
    "no_id": _("must be an id."),
    "same_id_twice": _("has the same id twice."),
}


class Refusal(Spoken):
    """Records that cannot be scored."""


class InvalidRecords(Refusal, ValueError):
    """Records that are not in the form of their system; `place` is where, e.g. alignment[2]."""

    def __init__(self, english: str, place: str = "", **values: object) -> None:
        self.place = place
        super().__init__(english, **values)

    @classmethod
    def of(cls, malformed: Malformed) -> "InvalidRecords":
        """What the reader found."""
        return cls(_SENTENCES[malformed.code], malformed.place, **malformed.values)

    def message(self, language: Language) -> str:
        """The sentence, after the place."""
        return (f"{self.place}: " if self.place else "") + super().message(language)


class MissingAnswer(Refusal, TypeError):
    """Mastra's legacy code: fewer answers than questions end in a TypeError (issue 6333)."""


class UnequalAnswers(Refusal, ValueError):
    """DeepEval: the two lists of answers differ in length."""


class TooManyAnswers(Refusal, IndexError):
    """DeepEval: more answers than questions."""


class UnknownLabel(Refusal, ValueError):
    """DeepEval 3.7: a verdict other than yes, no or idk fails the whole metric."""


class NoThreshold(Refusal, TypeError):
    """DeepEval 3.7: comparing the score with a threshold of None fails."""
