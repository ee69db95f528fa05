"""What a name looks like: two names that a reader takes for one another have one skeleton.

After Unicode Technical Standard 39: each character becomes the prototype of all that look like it.
The table is that of `confusable-homoglyphs` (data of January 2024, newer than the Unicode of every
Python we run on, whose unassigned characters no name may hold). Stored skeletons are made with it:
a release of the package with other data needs a migration that fills the columns again.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from confusable_homoglyphs.confusables import confusables_data
from django.db import models

from scoring.characters import nfd, nfkc

# Characters without a picture of their own, beside Unicode's category C: the rest of
# Default_Ignorable_Code_Point, and letters and symbols whose picture is blank.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U00016fe4\U0001d159\U000e0100-\U000e01ef]"
)
# Between a skeleton and the number of a row that had a lookalike before skeletons were kept. No
# skeleton holds it: it is a control character.
AGAIN = "\x1f"
LRM = "\N{LEFT-TO-RIGHT MARK}"
LONGEST = 300  # two of 150 characters that begin alike for so long are one to a reader


def skeleton(name: str) -> str:
    """What a name looks like, whatever its case, spacing and invisible characters.

    `Olivia`, `0livia`, `oIivia`, `ｏlivia` and Cyrillic `оlivia` have the one of `olivia`. Case
    and looks together make I, i, l and 1 one character, so `ali` and `all` are alike as well.
    """
    shown = nfkc(name)
    shown = "".join(c for c in shown if c.isspace() or not is_blank(c))
    # Before the case is folded for capitals (Cyrillic В is a Latin B), after it for small letters.
    folded = _prototypes(_prototypes(shown).casefold())
    # 초록 밑줄 and 초록밑줄 are one name to a reader.
    return "".join(folded.replace("i", "l").split())[:LONGEST]


def is_blank(character: str) -> bool:
    """Whether nothing is drawn for this character, or nothing that two readers agree on."""
    return bool(_BLANK.match(character)) or unicodedata.category(character).startswith("C")


def distinct(names: Iterable[str]) -> Iterator[str]:
    """A skeleton for each name in turn; one that came before gets a number behind it."""
    seen: dict[str, int] = {}
    for name in names:
        plain = skeleton(name)
        seen[plain] = seen.get(plain, 0) + 1
        yield plain if seen[plain] == 1 else f"{plain}{AGAIN}{seen[plain]}"


def _prototypes(text: str) -> str:
    """Letters and marks apart, but syllables of Hangul whole: 각가 does not look like 가까."""
    table = _table()
    parts = (part if "가" <= part <= "힣" else nfd(part) for part in text)
    return "".join(table.get(c, c) for part in parts for c in part)


@cache
def _table() -> dict[str, str]:
    """The prototype of each character that has one.

    The package's data is symmetric: each prototype with all that look like it, and each of those
    with the prototype alone. Of two that know only each other either could be the prototype.
    Characters that are written from the right stand between marks of direction (LRM) there.
    """
    found = {}
    for one, others in confusables_data.items():
        prototype = others[0]["c"]
        if len(others) == 1:
            hub = len(confusables_data[prototype]) > 1 or len(prototype) > 1
            found[one.strip(LRM)] = (prototype if hub else min(one, prototype)).strip(LRM)
    return {one: prototype for one, prototype in found.items() if len(one) == 1}


class DerivedField(models.CharField[str, str]):
    """A text made of another field whenever the row is saved, as Django's `auto_now` does.

    `update()` and `update_fields` must name both.
    """

    longest: int

    def __init__(self, *, of: str, **options: Any) -> None:
        self.of = of
        fixed = {"editable": False, "default": "", "max_length": self.longest}
        super().__init__(**{**fixed, **options})

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        name, path, arguments, options = super().deconstruct()
        return name, path, arguments, {**options, "of": self.of}

    def derived(self, text: str, kept: str) -> str:
        """What is written for this text; `kept` is what was."""
        raise NotImplementedError

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        """The value to be written; the given object follows."""
        kept = getattr(model_instance, self.attname)
        value = self.derived(getattr(model_instance, self.of), kept)
        setattr(model_instance, self.attname, value)
        return value


class SkeletonField(DerivedField):
    """A row that had a lookalike before keeps its number while its name looks the same."""

    longest = LONGEST + 10  # with room for the number of a lookalike

    def derived(self, text: str, kept: str) -> str:
        plain = skeleton(text)
        return kept if kept.partition(AGAIN)[0] == plain else plain
