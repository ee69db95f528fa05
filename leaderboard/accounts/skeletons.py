"""What a name looks like: two names that a reader takes for one another have one skeleton.

After Unicode Technical Standard 39: each character becomes the prototype of all that look like it.
Stored skeletons are made with the data of `confusable-homoglyphs`: a release with other data needs
a migration that fills the columns again.
"""

import re
import unicodedata
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
LONGEST = 300  # two of 150 characters that begin alike for so long are one to a reader

# The data lists a prototype with all its lookalikes, and each of those with the prototype alone. Of
# two that know only each other the first is taken. Letters of scripts that are written from the
# right stand between marks of direction.
_LRM = "\N{LEFT-TO-RIGHT MARK}"
_PROTOTYPES = {
    one.strip(_LRM): (
        min(one, other["c"])
        if len(confusables_data[other["c"]]) == len(other["c"]) == 1
        else other["c"]
    ).strip(_LRM)
    for one, (other, *more) in confusables_data.items()
    if not more and len(one.strip(_LRM)) == 1
}


def skeleton(name: str) -> str:
    """What a name looks like, whatever its case, spacing and invisible characters.

    `Olivia`, `0livia`, `oIivia`, `ｏlivia` and Cyrillic `оlivia` have the one of `olivia`. Case
    and looks together make I, i, l and 1 one character, so `ali` and `all` are alike as well.
    """
    shown = "".join(c for c in nfkc(name) if c.isspace() or not is_blank(c))
    # Before the case is folded for capitals (Cyrillic В is a Latin B), after it for small letters.
    folded = _prototypes(_prototypes(shown).casefold())
    # 초록 밑줄 and 초록밑줄 are one name to a reader.
    return "".join(folded.replace("i", "l").split())[:LONGEST]


def is_blank(character: str) -> bool:
    """Whether nothing is drawn for this character, or nothing that two readers agree on."""
    return bool(_BLANK.match(character)) or unicodedata.category(character).startswith("C")


def _prototypes(text: str) -> str:
    """Letters and marks apart, but syllables of Hangul whole: 각가 does not look like 가까."""
    parts = (part if "가" <= part <= "힣" else nfd(part) for part in text)
    return "".join(_PROTOTYPES.get(c, c) for part in parts for c in part)


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
