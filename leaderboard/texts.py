"""Sentences with places for values, said in the language of whoever reads them."""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import get_language, override

from scoring.findings import Finding
from scoring.messages import Language, Word


class Sentences(NamedTuple):
    """What happened and what to do next: texts of the catalogue, `{name}` where a value goes."""

    what: Promise | str
    next_step: Promise | str = ""


class Said:
    """A code with values. The `sentences` of its class say it when it is shown.

    A key begins with the code; what follows a dot tells apart several sentences of one code.
    """

    sentences: Mapping[str, Sentences] = {}

    def __init__(self, key: str, **values: object) -> None:
        self.key, self.values = key, values
        self.code = key.partition(".")[0]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.key!r}, {self.values!r})"

    def message(self, language: str) -> str:
        """What happened, in `ko` or `en`."""
        return say(self.sentences[self.key].what, language, **self.values)

    def next_step(self, language: str) -> str:
        """What to do next, in `ko` or `en`; may be empty."""
        return say(self.sentences[self.key].next_step, language, **self.values)

    def whole(self, language: str) -> str:
        """Both, one after the other."""
        return f"{self.message(language)} {self.next_step(language)}".strip()


def reader_language() -> Language:
    """The language that is answered in; Korean where no request chose one."""
    return "en" if get_language() == "en" else "ko"


def in_language(row: object, name: str, language: str) -> str:
    """This field of a row in `ko` or `en`; in Korean where no English was written."""
    english = getattr(row, f"{name}_en") if language == "en" else ""
    return str(english or getattr(row, name))


def say(text: Promise | str, language: str, **values: object) -> str:
    """The text in `ko` or `en`, filled in; Korean particles fit the values (`{name:을,를}`)."""
    with override(language):
        return str(text).format(**{name: _shown(value, language) for name, value in values.items()})


def _shown(value: object, language: str) -> object:
    if isinstance(value, Said):
        value = value.whole(language)
    elif isinstance(value, Finding):
        value = value.message("en" if language == "en" else "ko")
    return Word(value) if isinstance(value, str | Promise) else value
