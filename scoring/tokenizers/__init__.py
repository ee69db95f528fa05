"""Tokenizers: named callables `text -> tuple of tokens`, each with a signature.

The default cuts Korean into morphemes with MeCab-ko, as the contest page's example shows:

    호킨스 의사는 매년 건강검진을 받는 것을 권장합니다.
    호킨스 의사 는 매년 건강 검진 을 받 는 것 을 권장 합니다 .

Every text is brought to Unicode NFC first, and to nothing else: NFKC would damage ㅋㅋ and ㈜. No
lower-casing, no stop words; punctuation counts.

The Java analyzers read a text line by line: how a file ends its lines must not move a score. MeCab,
`chars` and `whitespace` take every line end for a blank and read the text as a whole.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from importlib import metadata
from threading import Event, Thread
from typing import Literal, NamedTuple

import mecab

from scoring.characters import nfc
from scoring.tokenizers import java
from scoring.tokenizers.java import TokenizerUnavailable

try:
    from mecab.utils import create_lattice
except ImportError:  # a version that keeps it elsewhere: the public road is taken
    create_lattice = None

Cut = Callable[[str], Sequence[str]]

Reading = Literal["lines", "whole"]
_LINES = "+lines"  # the end of a signature
_REPEATS = re.compile(r"(?![ㅋㅎㅠㅜㅡ])([ㄱ-ㅣ가-힣])\1+")
_FEATURES = re.compile(r"\t[^\n]*\n")

# MeCab-ko makes some tokens dearer after a blank, plain MeCab does not: over the same dictionary it
# cuts `의 결`, `이 내`, `이 하` and `대가`. A binding that pip built may have taken either.
_PROOFS = (
    ("위원회 의결을 거쳐 정한다.", "위원회 의결 을 거쳐 정한다 ."),
    ("회의는 한 시간 이내에 끝내자.", "회의 는 한 시간 이내 에 끝내 자 ."),
    ("표는 5장 이하로 사 줘.", "표 는 5 장 이하 로 사 줘 ."),
    ("대가 되는 사람과 이야기했다.", "대 가 되 는 사람 과 이야기 했 다 ."),
)
_OTHER_ENGINE = (
    "python-mecab-ko가 MeCab-ko가 아닌 MeCab으로 빌드되어 형태소가 달라집니다: Python 3.11이나 "
    "3.12에서 `pip install --force-reinstall -r requirements.txt`. / python-mecab-ko was built "
    "against a MeCab that is not MeCab-ko and cuts differently: under Python 3.11 or 3.12 run "
    "`pip install --force-reinstall -r requirements.txt`."
)


@dataclass(frozen=True)
class Tokenizer:
    """A way to cut text, and the signature that names it and its versions."""

    name: str
    signature: str
    cut: Cut

    @cached_property
    def digest(self) -> str:
        """Of the signature, short enough for a file's name."""
        return hashlib.sha256(self.signature.encode()).hexdigest()[:16]

    def __call__(self, text: str) -> tuple[str, ...]:
        """Tokens of one text, after NFC. A blank text has none.

        >>> get("whitespace")("the cat was  here")
        ('the', 'cat', 'was', 'here')
        """
        text = nfc(text)
        if "\0" in text:  # MeCab would silently read only the part before it
            raise ValueError("a text with a NUL character cannot be cut")
        if not text or text.isspace():
            return ()
        return tuple(self.cut(text))

    def once(self, text: str, known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
        """The same, but no text that is among the known ones is cut again."""
        if text not in known:
            known[text] = self(text)
        return known[text]


class TimeLimit(Thread):
    """Calls `over` with the text that has been at an analyzer for `seconds`; then ends.

    It counts its own looks: a process that was stopped for a while has not been slow. A call into
    Java ends for no exception and no signal's handler, but lets other threads go on.
    """

    def __init__(self, seconds: float, over: Callable[[str], object]) -> None:
        super().__init__(name="time limit", daemon=True)
        self._pause = min(0.5, seconds / 10)
        self._looks = round(seconds / self._pause)
        self._over = over
        self._ends = Event()
        self._under_way: list[str] | None = None  # a list of one text: another one for each call
        self._left: int | None = None  # looks, for all texts together

    def timed(self, tokenizer: Tokenizer) -> Tokenizer:
        """The same tokenizer, counted for each text. It is started first, which may take longer."""
        tokenizer("길")
        cut = tokenizer.cut

        def timed(text: str) -> Sequence[str]:
            self._under_way = [text]
            try:
                return cut(text)
            finally:
                self._under_way = None

        return replace(tokenizer, cut=timed)

    @contextmanager
    def of_all(self, seconds: float) -> Iterator[None]:
        """While it lasts, all texts together may be at the analyzer for so many seconds."""
        self._left = round(seconds / self._pause)
        try:
            yield
        finally:
            self._left = None

    def run(self) -> None:
        seen, looks = None, 0
        while not self._ends.wait(self._pause):
            text = self._under_way
            looks = looks + 1 if text is seen else 1
            seen = text
            if text is None:
                continue
            if (left := self._left) is not None:
                self._left = left - 1
            if looks > self._looks or left == 0:
                self._over(text[0])
                return

    def stop(self) -> None:
        """Look no more."""
        self._ends.set()


def get(name: str, reading: Reading = "lines") -> Tokenizer:
    """The tokenizer of that name; Java starts with the first text, not here.

    Raises TokenizerUnavailable if the engine is not the one that the signature names.
    """
    cut = _engine(name).cut()
    if has_readings(name) and reading == "lines":
        cut = by_line(cut)
    return Tokenizer(name, signature(name, reading), cut)


@cache
def signature(name: str, reading: Reading = "lines") -> str:
    """Engine and dictionary with their versions, e.g. `mecab-ko/1.3.7+dic/2.1.1.post2`.

    Raises TokenizerUnavailable if the engine is another one.
    """
    lines = _LINES if has_readings(name) and reading == "lines" else ""
    return _engine(name).signature() + lines


def has_readings(name: str) -> bool:
    """Whether a line end is more than a blank to the analyzer: then it matters how it is given.

    `whole` hands over the text as it is, as every version did at first: Okt gives line ends out as
    tokens, Komoran, Hannanum and Kkma fail or hang at blank lines. Versions of that time go on so.
    """
    return name in java.NAMES


def reading_of(signed: str) -> Reading:
    """The reading that a tokenizer's signature names.

    >>> reading_of("okt/2.1.0+konlpy/0.6.0+lines"), reading_of("okt/2.1.0+konlpy/0.6.0")
    ('lines', 'whole')
    """
    return "lines" if signed.endswith(_LINES) else "whole"


def max_repeat(name: str) -> int | None:
    """How often a text may hold the same Hangul character in a row; None: as often as it likes.

    Kkma takes up to twice the time for each further one: 0.1 s for eight, minutes for 22.
    """
    return 12 if name == "kkma" else None


def long_repeat(text: str, most: int) -> str:
    """The first run of one Hangul character that is longer than `most`; empty without one.

    Kkma knows laughter and tears of any length.

    >>> long_repeat("ㅋㅋㅋㅋ 굿굿굿굿", 3)
    '굿굿굿굿'
    """
    runs = (match.group() for match in _REPEATS.finditer(text))
    return next((run for run in runs if len(run) > most), "")


def by_line(cut: Cut) -> Cut:
    """The tokens of each line by itself, one line after the other; blank lines have none.

    >>> by_line(str.split)("물이  샌다\\r\\n \\x03\\n그래")
    ['물이', '샌다', '그래']
    """

    def cut_lines(text: str) -> list[str]:
        lines = (line for line in text.splitlines() if not java.is_blank(line))
        return [token for line in lines for token in cut(line)]

    return cut_lines


def available(name: str) -> bool:
    """Whether this machine can run the tokenizer; never starts a JVM."""
    if name in java.NAMES and java.jvm_path() is None:
        return False
    try:
        signature(name)
    except TokenizerUnavailable:
        return False
    return True


@cache
def _mecab() -> mecab.MeCab:
    """The engine, after it proved to be MeCab-ko; everything that cuts or signs asks here."""
    engine = mecab.MeCab()
    if any(engine.morphs(sentence) != tokens.split() for sentence, tokens in _PROOFS):
        raise TokenizerUnavailable(_OTHER_ENGINE)
    return engine


def cut_with_mecab(text: str) -> list[str]:
    """The public road: every token with its features parsed, of which we need none."""
    tokens: list[str] = _mecab().morphs(text)
    return tokens


def cut_with_lattice(text: str) -> list[str]:
    """About twice as fast, by one private name: MeCab writes a `surface TAB features` line a token.

    No surface holds a tab or a line feed, which are blanks to MeCab.
    """
    tagger = _mecab()._tagger
    lattice = create_lattice(text)
    if not tagger.parse(lattice):
        raise mecab.MeCabError(tagger.what())
    return _FEATURES.split(lattice.to_string())[:-1]


@cache
def _fast_road_is_open() -> bool:
    """Whether this version of python-mecab-ko still has what the fast road uses."""
    try:
        return cut_with_lattice("길이 있다") == cut_with_mecab("길이 있다")
    except (AttributeError, TypeError, ValueError):
        return False


def _mecab_signature() -> str:
    _mecab()
    engine = metadata.version("python-mecab-ko")
    return f"mecab-ko/{engine}+dic/{metadata.version('python-mecab-ko-dic')}"


class _Engine(NamedTuple):
    """`cut` answers what cuts; like `signature`, it is called when the engine is needed."""

    cut: Callable[[], Cut]
    signature: Callable[[], str]


_ENGINES = {
    "mecab-ko": _Engine(
        lambda: cut_with_lattice if _fast_road_is_open() else cut_with_mecab, _mecab_signature
    ),
    **{
        name: _Engine(partial(partial, java.cut, name), partial(java.signature, name))
        for name in java.NAMES
    },
    "chars": _Engine(lambda: lambda text: list("".join(text.split())), lambda: "chars/1"),
    "whitespace": _Engine(lambda: str.split, lambda: "whitespace/1"),
}

NAMES: tuple[str, ...] = tuple(_ENGINES)


def _engine(name: str) -> _Engine:
    try:
        return _ENGINES[name]
    except KeyError:
        raise ValueError(f"unknown tokenizer {name!r}; choose from {', '.join(NAMES)}") from None
