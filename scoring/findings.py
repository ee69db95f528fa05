"""What is wrong with a file, said to people in Korean and English with line numbers.

Problems refuse a file, notices only accompany it. Neither ever contains a gold. A check collects
them cheaply, and sentences are written only for what is shown.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple, Self

from scoring.messages import Language, Part, part, write

# Pages and the command line list this many causes; `.total` tells how many places there are.
LISTED = 100

EXCERPT_CHARACTERS = 80

# Line ends of a CSV file. Not `splitlines`, which also breaks at U+2028, VT, FF and NEL.
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@dataclass(frozen=True)
class Limits:
    """What a file may hold. Lengths of cells and the total are Unicode characters after NFC."""

    max_bytes: int | None = 5_000_000
    max_rows: int | None = 10_000
    max_cell: int | None = 2_000
    max_total: int | None = 1_000_000
    max_columns: int | None = 100
    # How often a character may follow itself: `tokenizers.max_repeat`.
    max_repeat: int | None = None
    # A contest may accept rows without a summary; they score 0.
    allow_empty: bool = False
    # Of a file that was taken before: read as it was then, whatever a new one is refused for.
    taken: bool = False

    @classmethod
    def unlimited(cls, *, taken: bool = False) -> Self:
        """No limits, for one's own machine (the command line)."""
        return cls(None, None, None, None, None, taken=taken)


@dataclass(frozen=True)
class Finding:
    """One remark about a file. `line` is the physical line where the record starts (header = 1).

    A problem names all `lines` of its cause, in order, and how often it is there (`times`).
    `excerpt` is the first of them as written, control characters escaped and cut short; a problem
    of the whole file has none. `fixable`: `repair` can do it without guessing. `values` fill the
    sentence of the code (`messages`); `file` names one of several files.
    """

    line: int | None
    id: str | None
    code: str
    values: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""
    excerpt: str = ""
    fixable: bool = False
    lines: tuple[int, ...] = ()
    times: int = 1

    @property
    def places(self) -> str:
        """The lines as ranges, the first twenty of them: `2–41, 50`."""
        return ranges(self.lines, 20)

    def to_dict(self) -> dict[str, Any]:
        """The shape of `check --json` and of the API: where, how often, code, both messages."""
        shown = {key: getattr(self, key) for key in ("line", "lines", "times", "id", "code")}
        return shown | {"message_ko": self.message("ko"), "message_en": self.message("en")}

    def message(self, language: Language) -> str:
        """The sentence, after the name of the file where there are several."""
        before = f"{self.file}: " if self.file else ""
        return before + write(self.code, self.values, language)

    def kept(self) -> dict[str, Any]:
        """What a database keeps of it; `messages.write` says it again."""
        return {"code": self.code, "line": self.line, "values": dict(self.values)}


class Problem(Finding):
    """Refuses the file."""


class Notice(Finding):
    """Is said, but does not refuse the file."""


class InvalidFile(Exception):
    """A file that cannot be accepted, with everything that is wrong with it.

    `problems` names each cause once, in file order, 100 of them; `total` counts all places.
    """

    def __init__(
        self,
        problems: Sequence[Problem],
        *,
        total: int | None = None,
        notices: Sequence[Notice] = (),
        rows: int = 0,
    ) -> None:
        self.problems = tuple(problems)
        self.total = len(self.problems) if total is None else total
        self.notices = tuple(notices)
        self.rows = rows
        super().__init__("; ".join(problem.message("en") for problem in self.problems[:3]))


class InvalidSubmission(InvalidFile):
    """A predictions file that cannot be scored; written for participants."""


class InvalidReferences(InvalidFile):
    """A golds file that cannot be used; written for organizers."""


def escaped(text: str, limit: int = EXCERPT_CHARACTERS) -> str:
    """Text for showing: unprintable characters as escapes, cut after `limit` characters.

    >>> escaped("a\\tb\\u202e")
    'a\\\\tb\\\\u202e'
    """
    shown = "".join(
        char if char == " " or char.isprintable() else char.encode("unicode_escape").decode()
        for char in text[:limit]
    )
    return shown + ("…" if len(text) > limit else "")


def ranges(lines: Sequence[int], most: int) -> str:
    """Ascending line numbers as ranges, at most so many of them.

    >>> ranges([2, 3, 4, 9], 5), ranges([2, 4, 6], 2)
    ('2–4, 9', '2, 4 …')
    """
    found: list[list[int]] = []
    for line in lines:
        if found and line == found[-1][1] + 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    shown = (str(a) if a == b else f"{a}–{b}" for a, b in found[:most])
    return ", ".join(shown) + (" …" if len(found) > most else "")


# Values that differ from row to row while the cause is one: numbers become a range, names a list.
_OF_A_ROW = ("found", "length", "position", "shown")
_NAMED = 5
# Of a remark that applies to many rows, this many lines are named.
LINES_SHOWN = 5


class _Found(NamedTuple):
    file_order: int
    problem: Problem
    whole_file: bool

    def cause(self) -> tuple[object, ...]:
        """Equal for what is one problem, on however many lines."""
        one = self.problem
        same = tuple((name, v) for name, v in one.values.items() if name not in _OF_A_ROW)
        return self.file_order, one.code, one.fixable, same


@dataclass(frozen=True)
class _Span:
    """Numbers from row to row, as a message prints them: one, or the first and the last."""

    low: int
    high: int

    def __format__(self, spec: str) -> str:
        if self.low == self.high:
            return format(self.low, spec)
        return f"{self.low:{spec}}–{self.high:{spec}}"


@dataclass
class _Noted:
    id: str | None
    values: Mapping[str, Any]
    count: int = 0
    lines: list[int] = field(default_factory=list)


@dataclass
class Findings:
    """One problem per cause, in the order of the file, and one notice per kind."""

    _found: list[_Found] = field(default_factory=list)
    _noted: dict[str, _Noted] = field(default_factory=dict)
    _file: str = ""
    _file_order: int = 0

    def start_file(self, name: str) -> None:
        """What follows concerns this file; a name is put before its messages."""
        self._file = name
        self._file_order += 1

    def problem(
        self,
        code: str,
        *,
        line: int | None = None,
        example_id: str | None = None,
        fixable: bool = False,
        whole_file: bool = False,
        lines: Iterable[int] = (),
        **values: Any,
    ) -> None:
        """Remember a problem, on one line or on several.

        One that concerns the whole file is never cut from the list, and no line is quoted for it.
        """
        lines = tuple(lines) or (() if line is None else (line,))
        problem = Problem(line, example_id, code, values, self._file, fixable=fixable, lines=lines)
        self._found.append(_Found(self._file_order, problem, whole_file or line is None))

    def notice(
        self, code: str, *, line: int | None = None, example_id: str | None = None, **values: Any
    ) -> None:
        """Remember a notice; the second of its kind only adds its line."""
        noted = self._noted.setdefault(code, _Noted(example_id, values))
        noted.count += 1
        if line is not None and len(noted.lines) < LINES_SHOWN:
            noted.lines.append(line)

    @property
    def total(self) -> int:
        """How many problems there are, listed or not, each row of a cause counted."""
        return len(self._found)

    def refuse(self, kind: type[InvalidFile], text: str = "", *, rows: int = 0) -> None:
        """Raise this with everything that was found, if there is a problem."""
        if self._found:
            problems, notices = self.problems(text), self.notices()
            raise kind(problems, total=self.total, notices=notices, rows=rows)

    def has(self, code: str) -> bool:
        """Whether a problem of this kind was found."""
        return any(one.problem.code == code for one in self._found)

    def problems(self, text: str = "") -> list[Problem]:
        """The first hundred causes in file order; `text` lends the excerpts."""
        causes: dict[tuple[object, ...], list[_Found]] = {}
        for one in sorted(
            self._found, key=lambda one: (one.file_order, one.problem.line or math.inf)
        ):
            causes.setdefault(one.cause(), []).append(one)
        listed = list(causes.values())
        if len(listed) > LISTED:
            kept = sorted(range(len(listed)), key=lambda at: not listed[at][0].whole_file)[:LISTED]
            listed = [listed[at] for at in sorted(kept)]
        quoted = {rows[0].problem.line or 0 for rows in listed if not rows[0].whole_file}
        lines = enumerate(islice(LINE.finditer(text), max(quoted, default=0)), start=1)
        written = {at: match[0].rstrip("\r\n") for at, match in lines if at in quoted}
        return [_merge(rows, written) for rows in listed]

    def notices(self) -> tuple[Notice, ...]:
        """One notice per kind, in the order in which the kinds appeared.

        `where`: the count and the first lines of one that applies to several.
        """
        found = []
        for code, noted in self._noted.items():
            lines = noted.lines
            where: Part | str = ""
            if lines and noted.count > 1:
                shown = ", ".join(map(str, lines)) + (" …" if noted.count > len(lines) else "")
                where = part("places", count=noted.count, shown=shown)
            values = {"count": noted.count, "where": where, **noted.values}
            line = lines[0] if lines else None
            found.append(Notice(line, noted.id, code, values, lines=tuple(lines[:1])))
        return tuple(found)


def _merge(rows: Sequence[_Found], written: Mapping[int, str]) -> Problem:
    """What is wrong on all these lines, said once."""
    first = rows[0].problem
    return replace(
        first,
        id=first.id if len(rows) == 1 else None,
        values={name: _merged([row.problem.values[name] for row in rows]) for name in first.values},
        excerpt="" if rows[0].whole_file else escaped(written.get(first.line or 0, "")),
        lines=tuple(sorted({line for row in rows for line in row.problem.lines})),
        times=len(rows),
    )


def _merged(values: Sequence[Any]) -> Any:
    """One value for all rows of a cause: a range of numbers, or the first few names."""
    if isinstance(values[0], int):
        return _Span(min(values), max(values))
    different = list(dict.fromkeys(values))
    if len(different) == 1:
        return different[0]
    shown = ", ".join(map(str, different[:_NAMED]))
    return shown + (" …" if len(different) > _NAMED else "")
