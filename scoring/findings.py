"""Collects what a file check finds, cheaply, and writes the sentences only for what is shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scoring import messages, table
from scoring.problems import LISTED, Notice, Problem, escaped


class _Found(NamedTuple):
    line: int | None
    order: int
    code: str
    id: str | None
    fixable: bool
    whole_file: bool
    file: str
    file_order: int
    values: Mapping[str, Any]

    @property
    def place(self) -> tuple[int, float, int]:
        return (self.file_order, float("inf") if self.line is None else self.line, self.order)


@dataclass
class _Noted:
    id: str | None
    values: Mapping[str, Any]
    count: int = 0
    lines: list[int] = field(default_factory=list)


class Findings:
    """Problems in the order of the file, and one notice per kind with all its lines."""

    def __init__(self) -> None:
        self._found: list[_Found] = []
        self._noted: dict[str, _Noted] = {}
        self._file = ""
        self._file_order = 0

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
        **values: Any,
    ) -> None:
        """Remember a problem. One that concerns the whole file is never cut from the list."""
        whole_file = whole_file or line is None
        self._found.append(
            _Found(
                line,
                len(self._found),
                code,
                example_id,
                fixable,
                whole_file,
                self._file,
                self._file_order,
                values,
            )
        )

    def notice(
        self, code: str, *, line: int | None = None, example_id: str | None = None, **values: Any
    ) -> None:
        """Remember a notice; the second of its kind only adds its line."""
        noted = self._noted.setdefault(code, _Noted(example_id, values))
        noted.count += 1
        if line is not None and len(noted.lines) < messages.LINES_SHOWN:
            noted.lines.append(line)

    @property
    def total(self) -> int:
        """How many problems there are, listed or not."""
        return len(self._found)

    def problems(self, text: str = "") -> list[Problem]:
        """The first hundred problems in file order; `text` lends the excerpts."""
        found = sorted(self._found, key=lambda one: one.place)
        if len(found) > LISTED:
            whole = [one for one in found if one.whole_file][:LISTED]
            rows = [one for one in found if not one.whole_file][: LISTED - len(whole)]
            found = sorted(whole + rows, key=lambda one: one.place)
        lines = {one.line for one in found if one.line is not None}
        written = table.excerpts(text, lines, max(lines, default=0))
        return [
            Problem.of(
                one.code,
                line=one.line,
                example_id=one.id,
                excerpt=escaped(written.get(one.line or 0, "")),
                fixable=one.fixable,
                file=one.file,
                **one.values,
            )
            for one in found
        ]

    def notices(self) -> tuple[Notice, ...]:
        """One notice per kind, in the order in which the kinds appeared."""
        return tuple(
            Notice.of(
                code,
                line=noted.lines[0] if noted.lines else None,
                example_id=noted.id,
                **{"count": noted.count, **noted.values},
                **messages.where(noted.lines, noted.count),
            )
            for code, noted in self._noted.items()
        )
