"""Dialogues: reading and hashing them. For judges and the dev lab; no score depends on them."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from scoring import characters, table
from scoring.characters import nfc
from scoring.findings import Findings, InvalidFile, Limits, Notice, escaped
from scoring.table import ID_NAMES, Record, column_key

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
    decoded = table.decode(data, limits, findings)
    text = decoded.text if decoded else ""
    texts: dict[str, str] = {}
    if decoded is not None:
        records = table.records(text, limits)
        columns = _header(table.first_written(records, limits), findings)
        if columns is not None:
            rows = table.whole_rows(text, records, columns.fields, limits, findings)
            texts = _texts(rows, columns, limits, findings)
            if not texts and not findings.total:
                findings.problem("no_dialogues")
    findings.refuse(InvalidDialogues, text)
    return Dialogues(texts, findings.notices())


class _DialogueColumns(NamedTuple):
    id_at: int
    text_at: int
    fields: int


def _header(head: Record | None, findings: Findings) -> _DialogueColumns | None:
    if head is None or head.broken:
        findings.problem("no_header", line=head.line if head else 1, needed=NEEDED)
        return None
    keys = [column_key(cell) for cell in head.cells]
    id_name = next((name for name in ID_NAMES if name in keys), None)
    if id_name is None or "dialogue" not in keys:
        missing = ["fname"] if id_name is None else []
        missing += [] if "dialogue" in keys else ["dialogue"]
        table.refuse_missing(head, missing, NEEDED, findings)
        return None
    for name in (id_name, "dialogue"):
        if keys.count(name) > 1:
            findings.problem("duplicate_column", line=head.line, column=name)
            return None
    return _DialogueColumns(keys.index(id_name), keys.index("dialogue"), len(keys))


def _texts(
    rows: Iterator[Record], columns: _DialogueColumns, limits: Limits, findings: Findings
) -> dict[str, str]:
    texts: dict[str, str] = {}
    lines: dict[str, int] = {}
    for record in rows:
        if record.blank:
            continue
        example_id = nfc(record.cells[columns.id_at].strip())
        if not example_id:
            findings.problem("empty_id", line=record.line)
        elif example_id in texts:
            table.refuse_repeated(example_id, [lines[example_id], record.line], findings)
        else:
            lines[example_id] = record.line
            texts[example_id] = _text(record, columns, example_id, limits, findings)
    return texts


def _text(
    record: Record, columns: _DialogueColumns, example_id: str, limits: Limits, findings: Findings
) -> str:
    text = nfc(record.cells[columns.text_at], limits.max_cell)
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
