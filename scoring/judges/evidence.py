"""What can be checked without a model: blank and overlong summaries, and whether a span is quoted.

A judge that says "covered" or "yes" has to cite the words. A span that does not stand in the text
turns the item into no, whatever the verdict says, which defeats "mark everything covered".
"""

import re
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq
from rapidfuzz.fuzz import partial_ratio_alignment

from scoring import characters

EMPTY_SUMMARY = "empty_summary"
TOO_LONG = "too_long"

# Of the span's characters, the share that must stand in one stretch of the text, in order.
OVERLAP = 0.9
# A longer span is compared for containment only: near matches of many would take seconds.
LONGEST_NEAR_MATCH = 300

_NO_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class LengthLimit:
    """A summary may have `characters`, or `ratio` of its dialogue where that is more."""

    characters: int = 1_000
    ratio: float = 0.8


def gate(summary: str, dialogue: str, length: LengthLimit | None = None) -> str | None:
    """Why no call is made for a summary: `empty_summary` or `too_long`; None if calls are made.

    A copy of the whole dialogue would reach 1 in both alignment and coverage, hence the limit.

    >>> gate("  \\n", "#Person1#: 안녕"), gate("가" * 1001, "나" * 1250), gate("가" * 1000, "나")
    ('empty_summary', 'too_long', None)
    """
    if characters.is_blank(summary):
        return EMPTY_SUMMARY
    limit = length or LengthLimit()
    written = len(characters.normalized(summary))
    allowed = max(limit.characters, limit.ratio * len(characters.normalized(dialogue)))
    return TOO_LONG if written > allowed else None


def stands_in(span: str | None, text: str) -> bool:
    """Whether a cited span occurs in a text.

    Both are compared without blanks, punctuation and case. Contained, or at least nine tenths of
    its characters in order within one stretch of its own length. None, blank and a span without a
    letter or digit count as missing.

    >>> stands_in("세시에 만나자", "#Person1#: 세 시에 만나자."), stands_in("...", "가... 나")
    (True, False)
    """
    wanted, there = plain(span or ""), plain(text)
    if not wanted:
        return False
    if wanted in there:
        return True
    if not there or len(wanted) > LONGEST_NEAR_MATCH:
        return False
    window = there
    if len(wanted) < len(there):
        best = partial_ratio_alignment(wanted, there)
        window = there[best.dest_start : best.dest_end] if best else ""
    return LCSseq.similarity(wanted, window) >= OVERLAP * len(wanted)


def plain(text: str) -> str:
    """Letters and digits only, folded: NFC, no case, no blanks, no punctuation.

    >>> plain("#Person1#: 네, 좋아요!")
    'person1네좋아요'
    """
    return _NO_WORD.sub("", characters.normalized(text).casefold())
