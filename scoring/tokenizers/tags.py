"""Speaker tags such as `#Person1#`: as the analyzer cuts them, one token each, or none.

MeCab-ko makes four tokens of `#Person1#`, so two summaries that share nothing but who speaks share
a lot. A tag is a form with its star replaced by digits, wherever it stands: `#Person*#` is always
one, others are named by the contest. What stands between tags is cut by itself.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from scoring.tokenizers import Tokenizer

Tags = Literal["keep", "atomic", "drop"]
USUAL_FORM = "#Person*#"
MOST_FORMS = 4
MOST_CHARACTERS = 20

# A digit beside the star would make a search over digits quadratic; the signature has | and + of
# its own.
_FORM = re.compile(r"[^\s*|+]+(?<!\d)\*(?:[^\s\d*|+][^\s*|+]*)?")


def refuse_form(form: str) -> None:
    """ValueError unless it fits `_FORM`, shows all it holds and has at most MOST_CHARACTERS."""
    if len(form) > MOST_CHARACTERS or not form.isprintable() or not _FORM.fullmatch(form):
        raise ValueError(f"a tag is written like {USUAL_FORM}, not {form!r}")


def tokenizer_of(tokenizer: Tokenizer, tags: Tags, forms: Sequence[str] = ()) -> Tokenizer:
    """The tokenizer that treats tags so; the same one under `keep`.

    >>> from scoring.tokenizers import get
    >>> tokenizer_of(get("whitespace"), "atomic")("#Person1#은 집에 간다.")
    ('#Person1#', '은', '집에', '간다.')
    """
    if tags == "keep":
        return tokenizer
    apart, rest = _pattern(tuple(forms)), tokenizer.cut

    def cut(text: str) -> Sequence[str]:
        tokens: list[str] = []
        for place, part in enumerate(apart.split(text)):
            if place % 2:  # the pattern's group: a tag
                tokens += [part] if tags == "atomic" else []
            elif part and not part.isspace():
                tokens += rest(part)
        return tokens

    signed = f"{tokenizer.signature}|tags:{signature(tags, forms)}"
    return replace(tokenizer, signature=signed, cut=cut)


def signature(tags: Tags, forms: Sequence[str] = ()) -> str:
    """What stands behind `tags:`.

    >>> signature("drop", ["[S*]"])
    'drop+[S*]'
    """
    return "+".join((tags, *forms))


def example(form: str) -> str:
    """How a tag of that form looks: `#Person1#`."""
    return form.replace("*", "1")


@lru_cache(maxsize=64)
def _pattern(forms: tuple[str, ...]) -> re.Pattern[str]:
    """One group: a tag. A longer form is tried first, so that none hides another."""
    every = sorted({USUAL_FORM, *forms}, key=lambda form: (-len(form), form))
    shapes = ("[0-9]+".join(map(re.escape, form.split("*"))) for form in every)
    return re.compile(f"({'|'.join(shapes)})")
