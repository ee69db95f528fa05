"""What is wrong with a file, said to people in Korean and English with line numbers.

Problems refuse a file, notices only accompany it. Neither ever contains a gold.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from scoring import messages

# Pages and the command line list this many; `.total` tells how many there are.
LISTED = 100

EXCERPT_CHARACTERS = 80


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

    `excerpt` is that line as written, control characters escaped and cut short. `fixable` says
    that `predictions.repair` can mend it without guessing.
    """

    line: int | None
    id: str | None
    code: str
    message_ko: str
    message_en: str
    excerpt: str = ""
    fixable: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The shape of `check --json` and of the API: line, id, code and both messages."""
        whole = asdict(self)
        return {key: whole[key] for key in ("line", "id", "code", "message_ko", "message_en")}

    @classmethod
    def of(
        cls,
        code: str,
        *,
        line: int | None = None,
        example_id: str | None = None,
        excerpt: str = "",
        fixable: bool = False,
        file: str = "",
        **values: Any,
    ) -> Self:
        """Build a remark from the catalogue of messages; `file` names one of several files."""
        korean, english = messages.write(code, **values)
        before = f"{file}: " if file else ""
        return cls(line, example_id, code, before + korean, before + english, excerpt, fixable)


class Problem(Finding):
    """Refuses the file."""


class Notice(Finding):
    """Is said, but does not refuse the file."""


class InvalidFile(Exception):
    """A file that cannot be accepted, with everything that is wrong with it.

    `problems` lists the first 100 in file order, `total` counts all.
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


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
