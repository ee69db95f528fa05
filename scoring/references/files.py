"""Organizers' CSV files of golds: one wide file, or several files with one gold column each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scoring import characters, table
from scoring.characters import nfc
from scoring.findings import Findings, Limits, escaped
from scoring.messages import part
from scoring.table import Opened, Record, column_key

NEEDED = "fname, summary1 … n"

_REFERENCE_COLUMN = re.compile(r"(summary|gold|reference)[ _-]?(\d*)")
_SPLITS = ("public", "private")


class _ReferenceColumns(NamedTuple):
    """Positions of the columns that are read."""

    id_at: int
    golds: tuple[int, ...]
    split: int | None
    topic: int | None
    names: tuple[str, ...]


@dataclass
class ReadRow:
    """What the files say about one id."""

    golds: list[str] = field(default_factory=list)
    split: str = ""
    topic: str = ""
    line: int = 0


def read(
    files: Sequence[tuple[str, bytes]], limits: Limits, findings: Findings
) -> dict[str, ReadRow]:
    """Rows by id over all files. What is wrong goes to `findings`; then the rows are incomplete."""
    rows: dict[str, ReadRow] = {}
    if not files:
        findings.problem("no_files")
    for name, data in files:
        findings.start_file(escaped(name) if len(files) > 1 else "")
        file = table.opened(data, limits, findings, needed=NEEDED)
        table.remark_delimiter(file, findings)
        if file.head is not None:
            _ReferencesFile(file, limits, findings).read(file.head, rows, alone=len(files) == 1)
    if not findings.total:
        _whole_set(rows, findings)
    return rows


class _ReferencesFile:
    """One file of references: its structure first, then what its columns hold."""

    def __init__(self, file: Opened, limits: Limits, findings: Findings) -> None:
        self.file = file
        self.limits = limits
        self.findings = findings

    def read(self, head: Record, rows: dict[str, ReadRow], *, alone: bool) -> None:
        """Add this file's golds to the rows."""
        columns = self._header(head)
        if columns is None:
            return
        if not alone and len(columns.golds) != 1:
            self.findings.problem("several_files_wide", line=head.line)
            return
        seen: dict[str, int] = {}
        for record in self._structure(columns) or ():
            self._row(rows, columns, record.line, record.cells, seen)

    def _header(self, head: Record) -> _ReferenceColumns | None:
        keys = [column_key(cell) for cell in head.cells]
        named = [key for key in keys if key]
        for key in named:
            if named.count(key) > 1:
                self.findings.problem("duplicate_column", line=head.line, column=escaped(key, 40))
                return None
        golds = [at for at, key in enumerate(keys) if _REFERENCE_COLUMN.fullmatch(key)]
        id_name = table.id_name(keys)
        if not id_name or not golds:
            missing = ([] if id_name else ["fname"]) + ([] if golds else ["summary1"])
            hint = part("dialogues_sent") if "dialogue" in keys else ""
            table.refuse_missing(head, missing, NEEDED, self.findings, hint)
            return None
        split = keys.index("split") if "split" in keys else None
        topic = keys.index("topic") if "topic" in keys else None
        table.remark_unused(head, {keys.index(id_name), split, topic, *golds}, self.findings)
        return _ReferenceColumns(keys.index(id_name), tuple(golds), split, topic, tuple(keys))

    def _structure(self, columns: _ReferenceColumns) -> list[Record] | None:
        """The rows that are written; None if any row is broken."""
        before = self.findings.total
        rows = []
        fields = len(columns.names)
        for record in table.whole_rows(self.file, fields, self.limits, self.findings):
            if record.blank:
                self.findings.notice("blank_line", line=record.line)
                continue
            rows.append(record)
            for name, cell in zip(columns.names, record.cells, strict=True):
                if "\0" in cell:
                    self.findings.problem("nul_in_gold", line=record.line, column=name or "?")
        return rows if self.findings.total == before else None

    def _row(
        self,
        rows: dict[str, ReadRow],
        columns: _ReferenceColumns,
        line: int,
        cells: Sequence[str],
        seen: dict[str, int],
    ) -> None:
        example_id = nfc(cells[columns.id_at].strip())
        if not example_id:
            self.findings.problem("empty_id", line=line)
            return
        if table.ROUNDED.fullmatch(example_id) and not self.limits.taken:
            shown = escaped(example_id, 60)
            self.findings.problem("rounded_id", line=line, example_id=shown, shown=shown)
            return
        if example_id in seen:
            table.refuse_repeated(example_id, (seen[example_id], line), self.findings)
            return
        seen[example_id] = line
        row = rows.setdefault(example_id, ReadRow(line=line))
        golds = [self._gold(cells[at], line, example_id, columns.names[at]) for at in columns.golds]
        golds = [gold for gold in golds if gold]
        if not golds:
            self.findings.problem("no_gold", line=line, example_id=example_id)
        row.golds += golds
        if columns.split is not None:
            row.split = self._split(cells[columns.split], row.split, line, example_id)
        if columns.topic is not None:
            row.topic = cells[columns.topic].strip() or row.topic

    def _gold(self, cell: str, line: int, example_id: str, column: str) -> str:
        """A gold's text in NFC; '' where the cell is empty, which only means fewer golds."""
        limit = self.limits.max_cell
        text = nfc(cell, limit)
        if limit is not None and len(text) > limit:
            self.findings.problem(
                "cell_too_long", line=line, example_id=example_id, length=len(text), limit=limit
            )
        if not text.strip():
            return ""
        if characters.is_blank(text):
            self.findings.problem("blank_gold", line=line, example_id=example_id, column=column)
        elif characters.says_nothing(text):
            self.findings.notice("literal_nan_gold", line=line)
        return text

    def _split(self, cell: str, before: str, line: int, example_id: str) -> str:
        split = cell.strip().casefold()
        if split and split not in _SPLITS:
            self.findings.problem("bad_split", line=line, example_id=example_id)
        elif before and split and split != before:
            self.findings.problem(
                "column_disagrees", line=line, example_id=example_id, column="split"
            )
        return split or before


def _whole_set(rows: dict[str, ReadRow], findings: Findings) -> None:
    """What only the whole set can tell."""
    findings.start_file("")
    if not rows:
        findings.problem("no_rows")
        return
    splits = {row.split for row in rows.values()}
    if len(splits) > 1:
        for example_id, row in rows.items():
            if not row.split:
                findings.problem("split_missing", line=row.line, example_id=example_id)
    elif splits != {""}:
        findings.notice("one_sided_split", split=splits.copy().pop())
