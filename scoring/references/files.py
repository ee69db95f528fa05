"""Organizers' CSV files of golds: one wide file, or several files with one gold column each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from scoring import characters, table
from scoring.characters import nfc
from scoring.findings import Findings, Limits, escaped
from scoring.messages import part
from scoring.table import Opened, Record

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
        if file.head is None or (columns := _header(file.head, findings)) is None:
            continue
        if len(files) > 1 and len(columns.golds) != 1:
            findings.problem("several_files_wide", line=file.head.line)
            continue
        records = _structure(file, columns, limits, findings)
        for example_id, record in table.rows_by_id(records, columns.id_at, findings):
            if table.ROUNDED.fullmatch(example_id) and not limits.taken:
                shown = escaped(example_id, 60)
                findings.problem("rounded_id", line=record.line, example_id=shown, shown=shown)
            else:
                row = rows.setdefault(example_id, ReadRow(line=record.line))
                _add(row, example_id, record, columns, limits, findings)
    if not findings.total:
        _whole_set(rows, findings)
    return rows


def _header(head: Record, findings: Findings) -> _ReferenceColumns | None:
    keys = head.keys
    if twice := [key for key in keys if key and keys.count(key) > 1]:
        findings.problem("duplicate_column", line=head.line, column=escaped(twice[0], 40))
        return None
    golds = [at for at, key in enumerate(keys) if _REFERENCE_COLUMN.fullmatch(key)]
    if "fname" not in keys or not golds:
        missing = ["fname"] * ("fname" not in keys) + ["summary1"] * (not golds)
        hint = part("dialogues_sent") if "dialogue" in keys else ""
        table.refuse_missing(head, missing, NEEDED, findings, hint)
        return None
    id_at = keys.index("fname")
    split, topic = (keys.index(name) if name in keys else None for name in ("split", "topic"))
    table.remark_unused(head, {id_at, split, topic, *golds}, findings)
    return _ReferenceColumns(id_at, tuple(golds), split, topic, keys)


def _structure(
    file: Opened, columns: _ReferenceColumns, limits: Limits, findings: Findings
) -> list[Record]:
    """The rows that are written; none if any row is broken."""
    before, rows = findings.total, []
    for record in table.whole_rows(file, len(columns.names), limits, findings):
        if record.blank:
            findings.notice("blank_line", line=record.line)
            continue
        rows.append(record)
        for name, cell in zip(columns.names, record.cells, strict=True):
            if "\0" in cell:
                findings.problem("nul_in_gold", line=record.line, column=name or "?")
    return rows if findings.total == before else []


def _add(
    row: ReadRow,
    example_id: str,
    record: Record,
    columns: _ReferenceColumns,
    limits: Limits,
    findings: Findings,
) -> None:
    """What one record says of its id. An empty cell only means fewer golds."""
    problem = partial(findings.problem, line=record.line, example_id=example_id)
    before = len(row.golds)
    for at in columns.golds:
        text = nfc(record.cells[at], limits.max_cell)
        if limits.max_cell is not None and len(text) > limits.max_cell:
            problem("cell_too_long", length=len(text), limit=limits.max_cell)
        if not text.strip():
            continue
        row.golds.append(text)
        if characters.is_blank(text):
            problem("blank_gold", column=columns.names[at])
        elif characters.LITERAL_NAN.fullmatch(text):
            findings.notice("literal_nan_gold", line=record.line)
    if len(row.golds) == before:
        problem("no_gold")
    if columns.split is not None and (split := record.cells[columns.split].strip().casefold()):
        if split not in _SPLITS:
            problem("bad_split")
        elif row.split not in ("", split):
            problem("column_disagrees", column="split")
        row.split = split
    if columns.topic is not None:
        row.topic = record.cells[columns.topic].strip() or row.topic


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
