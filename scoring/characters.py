"""Characters that people do not see, and that a file check therefore mentions."""

import re
import unicodedata
from functools import partial
from itertools import groupby
from typing import Literal

# Invisible, but tokens to the analyzers. Not the joiner U+200D: emoji are built with it.
_INVISIBLE = "\u00ad\u034f\u115f\u1160\u180e\u200b\u200c\u2060-\u2064\u2800\u3164\ufeff\uffa0"
_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# Without tab, LF and CR, which CSV files hold for good reasons. U+2028 is plain text here.
_CONTROL = "\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"

ODD = re.compile(f"[\0{_CONTROL}{_INVISIBLE}{_DIRECTION}]")

# Codes of the notices that a text deserves.
ODD_KINDS = (
    ("control_characters", re.compile(f"[{_CONTROL}]")),
    ("invisible_characters", re.compile(f"[{_INVISIBLE}]")),
    ("direction_marks", re.compile(f"[{_DIRECTION}]")),
)

_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]+")
# Beyond ASCII, but neither punctuation nor emoji, which any language uses.
_LETTERS = re.compile("[^\x00-\x7f\u2000-\u2bff\u3000-\u303f\ufe0f\U0001f000-\U0001faff]+")
_SAMPLE = 10_000

# Only such a run can be one of combining marks: characters that are neither letters, blanks nor
# ASCII, or the half-width voiced marks, which are letters but become marks in NFKC and NFKD.
_LONG_RUN = re.compile("(?:[^\\w\\s!-~]|[\uff9e\uff9f]){32,}+")

_Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

# Controls and formats are never seen, combining marks only on a letter.
_UNSEEN_ALONE = frozenset({"Cc", "Cf", "Mn", "Mc", "Me"})
_UNSEEN_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")

# What a program writes where it has no text.
LITERAL_NAN = re.compile(r"\s*+(?:nan|null|none|n/?a|<na>|#n/a|nil|undefined)\s*+", re.IGNORECASE)

_LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


def is_blank(text: str) -> bool:
    """Whether a reader would see nothing, or marks that stand on nothing.

    >>> is_blank(" \\u3000\\u200b"), is_blank("\\u2800\\u0301")
    (True, True)
    """
    for char in text:
        unseen = char.isspace() or char in _UNSEEN_LETTERS
        if not unseen and unicodedata.category(char) not in _UNSEEN_ALONE:
            return False
    return True


def mostly_not_hangul(text: str) -> bool:
    """Whether the text has many letters beyond ASCII, and under half of them are Hangul.

    That is what UTF-8 read as Latin-1 looks like. English text stays unremarked.
    """
    sample = text[:_SAMPLE]
    beyond = sum(map(len, _LETTERS.findall(sample)))
    hangul = sum(map(len, _HANGUL.findall(sample)))
    return beyond * 20 >= len(sample) and hangul * 2 < beyond


def nfc(text: str, limit: int | None = None) -> str:
    """`unicodedata.normalize("NFC", text)` in linear time, whatever marks the text holds.

    A text of more than four times `limit` characters is returned as it is, for a caller who then
    refuses it: no character of Unicode takes more than four when it is decomposed, so the composed
    text is longer than `limit` as well.
    """
    if limit is not None and len(text) > 4 * limit:
        return text
    return text if unicodedata.is_normalized("NFC", text) else _normalized("NFC", text)


def nfd(text: str) -> str:
    """The same for NFD."""
    return _normalized("NFD", text)


def nfkc(text: str) -> str:
    """The same for NFKC."""
    return _normalized("NFKC", text)


def _normalized(form: _Form, text: str) -> str:
    # Almost every text is normalized, which is seen in a tenth of the time. The question itself is
    # linear: marks out of order end it at once, and what is composed again has few to move.
    if unicodedata.is_normalized(form, text):
        return text
    # Python sorts marks by insertion, in quadratic time and without letting other threads run.
    # It finds them in order here, and moves at most those of the letter before each run.
    apart: _Form = "NFKD" if form == "NFKC" else "NFD"
    return unicodedata.normalize(form, _LONG_RUN.sub(partial(_in_canonical_order, apart), text))


def _in_canonical_order(form: _Form, run: re.Match[str]) -> str:
    """The run in this form, NFD or NFKD: the marks between two starters sorted by their class."""
    apart = run[0].translate({ord(each): unicodedata.normalize(form, each) for each in set(run[0])})
    class_of = {each: unicodedata.combining(each) for each in set(apart)}
    ordered: list[str] = []
    for are_marks, part in groupby(apart, key=lambda each: class_of[each] > 0):
        if not are_marks:
            ordered += part
            continue
        marks: dict[int, list[str]] = {}
        for each in part:
            marks.setdefault(class_of[each], []).append(each)
        for place in sorted(marks):
            ordered += marks[place]
    return "".join(ordered)


def loose_spelling(example_id: str) -> str:
    """An id without what people get wrong: case, width, blanks, leading zeros.

    >>> loose_spelling("TEST＿007")
    'test_7'
    """
    plain = "".join(nfkc(example_id).casefold().split())
    return _LEADING_ZEROS.sub("", plain)
