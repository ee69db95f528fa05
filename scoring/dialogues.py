"""Dialogues: reading and hashing them. For judges and the dev lab; no score depends on them."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scoring import characters, table
from scoring.characters import nfc
from scoring.findings import Findings, InvalidFile, Limits, Notice, escaped
from scoring.table import Record

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
    file = table.opened(data, limits, findings, needed=NEEDED)
    table.remark_delimiter(file, findings)
    columns = file.head and table.columns(file.head, NEEDED.split(", "), findings)
    texts: dict[str, str] = {}
    if file.head is not None and columns:
        rows = table.whole_rows(file, len(file.head.cells), limits, findings)
        texts = _texts(rows, columns, limits, findings)
        if not texts and not findings.total:
            findings.problem("no_dialogues")
    findings.refuse(InvalidDialogues, file.text)
    return Dialogues(texts, findings.notices())


def _texts(
    rows: Iterator[Record], columns: Mapping[str, int], limits: Limits, findings: Findings
) -> dict[str, str]:
    texts: dict[str, str] = {}
    lines: dict[str, int] = {}
    for record in rows:
        if record.blank:
            continue
        example_id = nfc(record.cells[columns["fname"]].strip())
        if not example_id:
            findings.problem("empty_id", line=record.line)
        elif example_id in texts:
            table.refuse_repeated(example_id, [lines[example_id], record.line], findings)
        else:
            lines[example_id] = record.line
            texts[example_id] = _text(record, columns, example_id, limits, findings)
    return texts


def _text(
    record: Record, columns: Mapping[str, int], example_id: str, limits: Limits, findings: Findings
) -> str:
    text = nfc(record.cells[columns["dialogue"]], limits.max_cell)
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
