"""Sentences with places for values, said in the language of whoever reads them."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import override

from scoring.messages import Word


class Sentences(NamedTuple):
    """What happened and what to do next: texts of the catalogue, `{name}` where a value goes."""

    what: Promise | str
    next_step: Promise | str = ""


def say(text: Promise | str, language: str, **values: object) -> str:
    """The text in `ko` or `en`, filled in; Korean particles fit the values (`{name:을,를}`)."""
    words = {name: Word(one) if isinstance(one, str) else one for name, one in values.items()}
    with override(language):
        return str(text).format(**words)
