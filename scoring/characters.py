"""Characters that people do not see, and that a file check therefore mentions."""

import re
import unicodedata
from itertools import groupby

# Invisible, but tokens to the analyzers. Not the joiner U+200D: emoji are built with it.
_INVISIBLE = "\u00ad\u034f\u115f\u1160\u180e\u200b\u200c\u2060-\u2064\u2800\u3164\ufeff\uffa0"
_DIRECTION = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# Without tab, LF and CR, which CSV files hold for good reasons. U+2028 is plain text here.
_CONTROL = "\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"

ODD = re.compile(f"[\0{_CONTROL}{_INVISIBLE}{_DIRECTION}]")

_NOTICES = (
    ("control_characters", re.compile(f"[{_CONTROL}]")),
    ("invisible_characters", re.compile(f"[{_INVISIBLE}]")),
    ("direction_marks", re.compile(f"[{_DIRECTION}]")),
)

_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]+")
# Beyond ASCII, but neither punctuation nor emoji, which any language uses.
_LETTERS = re.compile("[^\x00-\x7f\u2000-\u2bff\u3000-\u303f\ufe0f\U0001f000-\U0001faff]+")
_SAMPLE = 10_000

# Many characters that are neither letters, blanks nor ASCII: only such a run can be one of
# combining marks.
_LONG_RUN = re.compile(r"[^\w\s!-~]{32,}")

# Controls and formats are never seen, combining marks only on a letter.
_UNSEEN_ALONE = frozenset({"Cc", "Cf", "Mn", "Mc", "Me"})
_UNSEEN_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")

_LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")


def odd_kinds(text: str) -> list[str]:
    """Codes of the notices a text deserves."""
    return [code for code, pattern in _NOTICES if pattern.search(text)]


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


def normalized(text: str, limit: int | None = None) -> str:
    """NFC of a text, in time that grows with its length whatever it holds.

    A text that is far longer than `limit` even when composed is returned as it is.
    """
    # Almost every text is NFC, which is seen in a tenth of the time. Marks in another than their
    # canonical order are seen at once, and only sorting those would take quadratic time.
    if unicodedata.is_normalized("NFC", text):
        return text
    # No character of Unicode takes more than four when decomposed.
    if limit is not None and len(text) > 4 * limit:
        return text
    return unicodedata.normalize("NFC", _LONG_RUN.sub(_in_canonical_order, text))


def _in_canonical_order(match: re.Match[str]) -> str:
    """Sort the combining marks of a run as NFC would, which needs quadratic time for that."""
    apart = "".join(unicodedata.normalize("NFD", char) for char in match.group())
    runs = groupby(apart, key=lambda char: unicodedata.combining(char) > 0)
    return "".join(
        "".join(sorted(run, key=unicodedata.combining) if marks else run) for marks, run in runs
    )


def loose_spelling(example_id: str) -> str:
    """An id without what people get wrong: case, width, blanks, leading zeros.

    >>> loose_spelling("TEST＿007")
    'test_7'
    """
    plain = "".join(unicodedata.normalize("NFKC", example_id).casefold().split())
    return _LEADING_ZEROS.sub("", plain)
