"""Dialogues: reading and hashing them. For judges and the dev lab; no score depends on them."""

import hashlib
import json
from dataclasses import dataclass
from functools import partial

from scoring import characters, table
from scoring.characters import nfc
from scoring.findings import Findings, InvalidFile, Limits, Notice, escaped

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
    texts: dict[str, str] = {}
    if file.head and (columns := table.columns(file.head, NEEDED.split(", "), findings)):
        rows = table.whole_rows(file, len(file.head.cells), limits, findings)
        for example_id, record in table.rows_by_id(rows, columns["fname"], findings):
            cell = record.cells[columns["dialogue"]]
            texts[example_id] = _text(cell, record.line, example_id, limits, findings)
        if not texts and not findings.total:
            findings.problem("no_dialogues")
    findings.refuse(InvalidDialogues, file.text)
    return Dialogues(texts, findings.notices())


def _text(cell: str, line: int, example_id: str, limits: Limits, findings: Findings) -> str:
    text = nfc(cell, limits.max_cell)
    problem = partial(findings.problem, line=line, example_id=escaped(example_id, 60))
    if limits.max_cell is not None and len(text) > limits.max_cell:
        problem("dialogue_too_long", length=len(text), limit=limits.max_cell)
    if characters.is_blank(text):
        problem("blank_dialogue")
    if "\0" in text:
        findings.problem("nul_in_gold", line=line, column="dialogue")
    return text
