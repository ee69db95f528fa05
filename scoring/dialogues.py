"""Dialogues: reading and hashing them. For judges and the dev lab; no score depends on them."""

import hashlib
import json
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from scoring import characters, messages, table
from scoring.findings import Findings, InvalidFile, Limits, Notice, escaped
from scoring.header import ID_NAMES
from scoring.table import Record, Unreadable, column_key, decode

NEEDED = "fname, dialogue"
DEFAULT_LIMITS = Limits(
    max_bytes=200_000_000, max_rows=100_000, max_cell=20_000, max_total=None, max_columns=100
)


class InvalidDialogues(InvalidFile):
    """A dialogues file that cannot be used; written for organizers."""


@dataclass(frozen=True)
class Dialogues:
    """Texts by id, in the order of the file, NFC."""

    texts: dict[str, str]
    notices: tuple[Notice, ...] = ()

    @property
    def sha256(self) -> str:
        """Hex hash over ids and texts; blind to the order of rows."""
        rows = sorted(self.texts.items())
        text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8")).hexdigest()


def read(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Dialogues:
    """Read `fname,dialogue` (other columns are left), or raise InvalidDialogues with all problems.

    >>> read("fname,dialogue\\na,안녕?\\n".encode()).texts
    {'a': '안녕?'}
    """
    findings = Findings()
    texts: dict[str, str] = {}
    try:
        text, encoding = decode(data, limits)
    except Unreadable as error:
        findings.problem(error.code, line=error.line, **error.values)
        raise InvalidDialogues(findings.problems()) from None
    if encoding != "utf-8":
        findings.notice(f"read_as_{encoding.replace('-', '')}")
    records = table.records(text, limits)
    first = islice(records, limits.max_rows)
    columns = _header(next((one for one in first if not _is_empty(one)), None), findings)
    if columns is not None:
        texts = _rows(text, records, columns, limits, findings)
        if not texts and not findings.total:
            findings.problem("no_dialogues")
    if findings.total:
        raise InvalidDialogues(
            findings.problems(text), total=findings.total, notices=findings.notices()
        )
    return Dialogues(texts, findings.notices())


class _Columns(NamedTuple):
    id_at: int
    text_at: int
    fields: int


def _is_empty(record: Record) -> bool:
    return record.blank and not record.broken


def _header(head: Record | None, findings: Findings) -> _Columns | None:
    if head is None or head.broken:
        findings.problem("no_header", line=head.line if head else 1, needed=NEEDED)
        return None
    keys = [column_key(cell) for cell in head.cells]
    id_name = next((name for name in ID_NAMES if name in keys), None)
    if id_name is None or "dialogue" not in keys:
        missing = ["fname"] if id_name is None else []
        missing += [] if "dialogue" in keys else ["dialogue"]
        findings.problem(
            "missing_column",
            line=head.line,
            missing=", ".join(missing),
            needed=NEEDED,
            found=", ".join(escaped(key, 40) for key in keys[:8]),
        )
        return None
    for name in (id_name, "dialogue"):
        if keys.count(name) > 1:
            findings.problem("duplicate_column", line=head.line, column=name)
            return None
    return _Columns(keys.index(id_name), keys.index("dialogue"), len(keys))


def _rows(
    text: str, records: Iterator[Record], columns: _Columns, limits: Limits, findings: Findings
) -> dict[str, str]:
    texts: dict[str, str] = {}
    lines: dict[str, int] = {}
    for number, record in enumerate(records, start=1):
        if limits.max_rows is not None and number > limits.max_rows:
            if not table.is_blank_from(text, record.line):
                findings.problem("too_many_rows", line=record.line, limit=limits.max_rows)
            break
        if _is_empty(record):
            continue
        if not _is_whole(record, columns, limits, findings):
            continue
        example_id = unicodedata.normalize("NFC", record.cells[columns.id_at].strip())
        if not example_id:
            findings.problem("empty_id", line=record.line)
        elif example_id in texts:
            _twice(example_id, [lines[example_id], record.line], findings)
        else:
            lines[example_id] = record.line
            texts[example_id] = _text(record, columns, example_id, limits, findings)
    return texts


def _is_whole(record: Record, columns: _Columns, limits: Limits, findings: Findings) -> bool:
    found = len(record.cells)
    if record.broken:
        findings.problem(record.broken, line=record.line, limit=limits.max_columns)
    elif found != columns.fields:
        code = "too_few_fields" if found < columns.fields else "too_many_fields"
        findings.problem(code, line=record.line, found=found, expected=columns.fields)
    return not record.broken and found == columns.fields


def _twice(example_id: str, lines: Sequence[int], findings: Findings) -> None:
    shown = escaped(example_id, 60)
    findings.problem(
        "duplicate_id",
        line=lines[-1],
        example_id=shown,
        shown=shown,
        lines=lines,
        same=messages.part("check_both"),
    )


def _text(
    record: Record, columns: _Columns, example_id: str, limits: Limits, findings: Findings
) -> str:
    text = characters.normalized(record.cells[columns.text_at], limits.max_cell)
    shown = escaped(example_id, 60)
    if limits.max_cell is not None and len(text) > limits.max_cell:
        findings.problem(
            "dialogue_too_long",
            line=record.line,
            example_id=shown,
            length=len(text),
            limit=limits.max_cell,
        )
    if characters.is_blank(text):
        findings.problem("blank_dialogue", line=record.line, example_id=shown)
    if "\0" in text:
        findings.problem("nul_in_gold", line=record.line, column="dialogue")
    return text
