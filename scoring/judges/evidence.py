"""What can be checked without a model: blank and overlong summaries, and quotations.

A yes whose quotation does not prove it becomes a no, which defeats "mark everything covered".
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import prod

from rapidfuzz.distance import LCSseq
from rapidfuzz.fuzz import partial_ratio_alignment

from scoring import characters
from scoring.characters import nfc, nfd

EMPTY_SUMMARY = "empty_summary"
TOO_LONG = "too_long"

# Of the span's characters, the share that must stand in one stretch of the text, in order.
OVERLAP = 0.9
# A longer span is compared for containment only: near matches of many would take seconds.
LONGEST_NEAR_MATCH = 300
# Letters and digits that a text has to have beside the names of speakers to say anything.
FEWEST_LETTERS = 4

_NO_WORD = re.compile(r"[\W_]+")
_BETWEEN_WORDS = re.compile(r"(\W+)")
_WORDS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"[0-9]")
_HANGUL = re.compile(r"[가-힣]")
_NUMBERS = re.compile(r"(?<![0-9])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+")
# 5만, 1만 5천, 2만5000: digits with units in words.
_UNITS = {"십": 10, "백": 100, "천": 1_000, "만": 10**4, "억": 10**8, "조": 10**12}
_TERM = r"[0-9]{1,12}(?:,[0-9]{3})*(?:\.[0-9]{1,4})?[십백천만억조]{1,3}"
_AMOUNTS = re.compile(rf"(?<![0-9,]){_TERM}(?:\s?{_TERM})*(?:[0-9]{{1,4}}(?![0-9,]))?")
_TERMS = re.compile(r"([0-9][0-9,.]*)([십백천만억조]*)")
# A speaker's tag with the particle that hangs on it; a speaker's name before what he says.
_TAG = re.compile(r"#\w+#[가-힣]*")
_LABEL = re.compile(
    r"^[ \t]*([^:：\s]{1,20}(?: [^:：\s]{1,10})?)[ \t]*[:：](?![0-9])", re.MULTILINE
)

# Words are the same that begin with so many letters once syllables are taken apart: 만나자 and
# 만난다 do, 빌려 and 빌린다 too. In Korean it is the ends that change.
_BEGINNING, _BLOCK = 4, 3
# What means nothing by itself, by that beginning.
_IDLE = frozenset(
    nfd(word)[:_BEGINNING]
    for word in re.findall(
        r"\w+",
        "한다 했다 합니다 하기로 하고 하는 하며 해서 있다 있는 있어 있었 것이 그것 이것 그리고 "
        "그러나 그런 그래서 이런 저런 어떤 우리 사람 말한다 말했다 말하고 "
        "that this these those with have they them there then what when where which will would "
        "about from their your been were says said the and you for are was not has had can but him "
        "her his she its our out all too yes may who how did does",
    )
)


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
    written = len(nfc(summary))
    allowed = max(limit.characters, limit.ratio * len(nfc(dialogue)))
    return TOO_LONG if written > allowed else None


def speakers(dialogue: str) -> frozenset[str]:
    """The names that stand before what somebody says, one at the beginning of a line; folded.

    >>> sorted(speakers("민수: 3:30에 봐.\\n#Person1#: 그래."))
    ['person1', '민수']
    """
    return frozenset(filter(None, map(plain, _LABEL.findall(dialogue))))


def proves(span: str | None, text: str, of: str, names: Collection[str]) -> bool:
    """Whether a cited span stands in a text and can prove what it is cited for.

    `of`: the claim, question or content. Its numbers and the span's may not differ, as far as both
    have any in digits: each having one that the other has not. And the two share a word or a
    number. An `of` that says next to nothing is not compared, nor are the words of Hangul and of
    another script. `names`: of the dialogue's speakers.

    >>> talk = "가: 몇 시에 볼까?\\n나: 3시에 도서관 앞에서 보자."
    >>> proves("3시에 도서관 앞에서 보자", talk, "두 사람은 도서관에서 3시에 만난다.", "가나")
    True
    >>> proves("3시에 도서관 앞에서 보자", talk, "두 사람은 도서관에서 4시에 만난다.", "가나")
    False
    >>> proves("몇 시에 볼까?", talk, "두 사람은 도서관에서 만난다.", "가나")
    False
    """
    if not stands_in(span, text, names):
        return False
    said, cited = _without_names(of, names), _without_names(span or "", names)
    if sum(map(len, _WORDS.findall(said))) < FEWEST_LETTERS:
        return True
    wanted, there = numbers(said), numbers(cited)
    if wanted - there and there - wanted:
        return False
    if bool(_HANGUL.search(said)) != bool(_HANGUL.search(cited)):
        return True
    return bool(wanted & there) or _share_a_word(said, cited)


def stands_in(span: str | None, text: str, names: Collection[str] | None = None) -> bool:
    """Whether a cited span occurs in a text and says something.

    Both are compared without blanks, punctuation and case. Contained, or at least nine tenths of
    its characters in order within one stretch of its own length; its numbers are whole numbers of
    the text. With fewer than four letters or digits beside the names of speakers (`names`, else
    those that the text has) a span counts as missing: 네, 1 and Person prove nothing.

    >>> stands_in("세시에 만나자", "#Person1#: 세 시에 만나자."), stands_in("...", "가... 나")
    (True, False)
    >>> stands_in("Person1", "#Person1#: 네."), stands_in("5시에 보자", "나: 15시에 보자.")
    (False, False)
    """
    cited = span or ""
    known = speakers(text) if names is None else names
    if len(plain(_without_names(cited, known))) < FEWEST_LETTERS:
        return False
    wanted, there = plain(cited), plain(text)
    if not numbers(cited) <= numbers(text):
        return False
    if wanted in there:
        return True
    if len(wanted) > LONGEST_NEAR_MATCH:
        return False
    window = there
    if len(wanted) < len(there):
        best = partial_ratio_alignment(wanted, there)
        window = there[best.dest_start : best.dest_end] if best else ""
    if _DIGITS.findall(wanted) != _DIGITS.findall(window):
        return False
    return LCSseq.similarity(wanted, window) >= OVERLAP * len(wanted)


def numbers(text: str) -> frozenset[str]:
    """The numbers that are written in digits; `1,000` and `1천` are 1000, `03` is 3.

    >>> sorted(numbers("03시 30분에 1,000원")), sorted(numbers("1만 5천 원"))
    (['1000', '3', '30'], ['15000'])
    """
    amounts = {str(_amount(each)) for each in _AMOUNTS.findall(text)}
    others = (each.replace(",", "") for each in _NUMBERS.findall(_AMOUNTS.sub(" ", text)))
    return frozenset(amounts.union(each.lstrip("0") or "0" for each in others))


def _amount(written: str) -> int:
    return sum(
        round(float(digits.replace(",", "")) * prod(_UNITS[unit] for unit in units))
        for digits, units in _TERMS.findall(written)
    )


def _without_names(text: str, names: Collection[str]) -> str:
    """The text without tags and without the names of speakers."""
    pieces = _BETWEEN_WORDS.split(_TAG.sub(" ", nfc(text)))
    return "".join(" " if _is_name(plain(piece), names) else piece for piece in pieces)


def _is_name(word: str, names: Collection[str]) -> bool:
    """`person` where Person1 speaks, and `민수는` where 민수 does; one letter only by itself."""
    return bool(word) and any(
        name.startswith(word) or (len(name) > 1 and word.startswith(name)) for name in names
    )


def _share_a_word(one: str, other: str) -> bool:
    """Whether two words begin alike, or one letter block such as 돈 begins a word of the other."""
    ours, theirs = _taken_apart(one), _taken_apart(other)
    return bool(
        _begin(ours, _BEGINNING) & _begin(theirs, _BEGINNING)
        or ours & _begin(theirs, _BLOCK)
        or theirs & _begin(ours, _BLOCK)
    )


def _taken_apart(text: str) -> set[str]:
    """The words in letters below the syllable, without those that mean nothing by themselves."""
    found = (nfd(each.casefold()) for each in _WORDS.findall(text))
    return {word for word in found if word[:_BEGINNING] not in _IDLE}


def _begin(words: Iterable[str], size: int) -> set[str]:
    return {word[:size] for word in words if len(word) >= size}


def plain(text: str) -> str:
    """Letters and digits only, folded: NFC, no case, no blanks, no punctuation.

    >>> plain("#Person1#: 네, 좋아요!")
    'person1네좋아요'
    """
    return _NO_WORD.sub("", nfc(text).casefold())
