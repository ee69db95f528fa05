"""What is wrong with a file, said to people in Korean and English with line numbers.

Problems refuse a file, notices only accompany it. Neither ever contains a gold.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from scoring import messages

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
    # A contest may accept rows without a summary; they score 0.
    allow_empty: bool = False

    @classmethod
    def unlimited(cls) -> Self:
        """No limits, for one's own machine (the command line)."""
        return cls(None, None, None, None, None)


@dataclass(frozen=True)
class Finding:
    """One remark about a file. `line` is the physical line where the record starts (header = 1).

    A problem names all `lines` of its cause, in order, and how often it is there (`times`).
    `excerpt` is the first of them as written, control characters escaped and cut short; a problem
    of the whole file has none. `fixable`: `repair` can mend it without guessing.
    """

    line: int | None
    id: str | None
    code: str
    message_ko: str
    message_en: str
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
        whole = asdict(self)
        keys = ("line", "lines", "times", "id", "code", "message_ko", "message_en")
        return {key: whole[key] for key in keys}

    @classmethod
    def of(
        cls,
        code: str,
        *,
        line: int | None = None,
        example_id: str | None = None,
        excerpt: str = "",
        fixable: bool = False,
        lines: Sequence[int] = (),
        times: int = 1,
        file: str = "",
        **values: Any,
    ) -> Self:
        """Build a remark from the catalogue of messages; `file` names one of several files."""
        korean, english = messages.write(code, **values)
        before = f"{file}: " if file else ""
        if line is not None and not lines:
            lines = (line,)
        said = (before + korean, before + english)
        return cls(line, example_id, code, *said, excerpt, fixable, tuple(lines), times)


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
        super().__init__("; ".join(problem.message_en for problem in self.problems[:3]))


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
        char if char == " " or char.isprintable() else _escape(char) for char in text[:limit]
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


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
