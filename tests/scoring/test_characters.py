"""The four normal forms are Python's own, to the character, and take linear time."""

import subprocess
import sys
import unicodedata
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring import characters

FORMS: list[tuple[str, Callable[[str], str]]] = [
    ("NFC", characters.nfc),
    ("NFD", characters.nfd),
    ("NFKC", characters.nfkc),
]
EVERY = [chr(number) for number in range(sys.maxunicode + 1)]
# Two classes out of order, and with one more character as long as the runs that we sort.
MARKS = "\u0301\u0323" * 8
# Marks of several classes, those that are two marks or become marks, letters that compose with
# what follows or are excluded from it, jamo, and letters that become many.
ODD = (
    "\u0301\u0323\u0327\u0334\u0344\u0345\u0f71\u0f73\u3099\u309a\uff9e\uff9f\U0001d165\U0001e8d0"
    "aeAか각\u1ea5\u1ead\u0958\ufb1d\ufb2c\u09c7\u09be\u0dd9\u0dcf\U00011099\U000110ba\U0001d15e"
    "\u1100\u1161\u11a8\uffa1ㄱㅏ\ufdfa\u3316\u00a8\u1e9b\u212b \n👍\u200d\ufe0f\U0001f3fd\u2800"
)


def python(form: str, text: str) -> str:
    return unicodedata.normalize(form, text)


@cache
def changing() -> set[str]:
    """The characters that are marks, or are written in another way in some form."""
    plain = unicodedata.is_normalized
    return {
        each
        for each in EVERY
        if unicodedata.combining(each) or not (plain("NFD", each) and plain("NFKD", each))
    }


@pytest.mark.parametrize(("form", "ours"), FORMS)
def test_every_character_alone(form: str, ours: Callable[[str], str]) -> None:
    alone = "\n".join(EVERY)  # a line end composes with nothing
    assert ours(alone) == python(form, alone)


@pytest.mark.parametrize(("form", "ours"), FORMS)
@pytest.mark.parametrize("step", [97, pytest.param(1, marks=pytest.mark.slow)])
def test_every_character_between_marks(form: str, ours: Callable[[str], str], step: int) -> None:
    """All that change in some form, and every so many of the others."""
    tried = sorted(changing().union(EVERY[::step]))
    for begin in range(0, len(tried), 1000):
        text = "\n".join(f"{MARKS}{each}{MARKS}" for each in tried[begin : begin + 1000])
        assert ours(text) == python(form, text), f"from U+{ord(tried[begin]):04X} on"


@given(st.text(ODD, max_size=80), st.text(ODD, min_size=1, max_size=6))
@example("\u1ebf", "\u0301\u0323")
@example("か", "\uff9e\u0323")
def test_any_text_in_every_form(text: str, run: str) -> None:
    for form, ours in FORMS:
        for tried in (text, text + run * 20 + text):
            assert ours(tried) == python(form, tried)


def test_what_may_stand_in_a_run_of_marks_is_looked_at() -> None:
    """No character that leaves nothing but marks ends the runs that we put in order."""
    unseen = [
        f"U+{ord(each):04X}"
        for each in EVERY
        if all(map(unicodedata.combining, python("NFKD", each)))
        and characters._LONG_RUN.fullmatch(each * 32) is None
    ]
    assert unseen == []


def test_a_text_far_beyond_its_limit_is_not_looked_at() -> None:
    assert characters.nfc("e\u0301" * 10, limit=5) == "é" * 10
    assert characters.nfc("e\u0301" * 11, limit=5) == "e\u0301" * 11


LONG = """
import random, unicodedata
from scoring import characters
marks = [each for each in map(chr, range(0x110000)) if unicodedata.combining(each)]
drawn = random.Random(7).choices([*marks, "\\uff9e", "\\uff9f"], k=400_000)
voiced = "\\u1ebf" + "\\uff9e\\u0323" * 200_000
for text in ("".join(drawn), voiced, "\\u1ead" + "\\u0334" * 400_000):
    for form in (characters.nfc, characters.nfd, characters.nfkc):
        form(form(text))
"""


@pytest.mark.whole
def test_hundreds_of_thousands_of_marks_take_seconds() -> None:
    """Python alone needs minutes for each form of the first: 10^10 exchanges."""
    subprocess.run([sys.executable, "-c", LONG], check=True, timeout=120)
