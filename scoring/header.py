"""The header line of a predictions file: which column is the id, which the summary."""

import difflib
from collections.abc import Collection, Sequence
from typing import NamedTuple

from scoring.findings import Findings, Limits, escaped
from scoring.messages import Part, part
from scoring.table import Record, column_key

ID_NAMES = ("fname", "id")
NEEDED = "fname, summary"

_DELIMITERS = {
    ";": part("semicolons"),
    "\t": part("tabs"),
    "|": part("bars"),
}
_LIKELY_SUMMARY = ("text", "prediction", "predictions", "output", "generated", "요약")


class Columns(NamedTuple):
    """Positions of the two columns, and how many fields each row must have."""

    id_at: int
    summary_at: int
    fields: int


def read(
    record: Record, known_ids: Collection[str], limits: Limits, findings: Findings
) -> Columns | None:
    """Find the columns, or note why that is impossible and return None."""
    if limits.max_columns is not None and len(record.cells) > limits.max_columns:
        findings.problem("too_many_columns", line=record.line, limit=limits.max_columns)
        return None
    keys = [column_key(cell) for cell in record.cells]
    id_name = next((name for name in ID_NAMES if name in keys), None)
    if id_name is None or "summary" not in keys:
        _refuse(record, keys, known_ids, findings)
        return None
    for name in (id_name, "summary"):
        if keys.count(name) > 1:
            findings.problem("duplicate_column", line=record.line, column=name)
            return None
    columns = Columns(keys.index(id_name), keys.index("summary"), len(keys))
    if record.cells != NEEDED.split(", "):
        _notice_rest(record, columns, findings)
    return columns


def _notice_rest(record: Record, columns: Columns, findings: Findings) -> None:
    used = (columns.id_at, columns.summary_at)
    spelled = [
        (record.cells[position], name)
        for position, name in zip(used, NEEDED.split(", "), strict=True)
        if record.cells[position] != name
    ]
    if spelled:
        findings.notice(
            "header_spelling",
            line=record.line,
            found=_list([cell for cell, _ in spelled]),
            read=", ".join(name for _, name in spelled),
        )
    others = [cell for position, cell in enumerate(record.cells) if position not in used]
    if any(not column_key(cell) for cell in others):
        findings.notice("unnamed_column", line=record.line)
    named = [cell.strip() for cell in others if column_key(cell)]
    if named:
        findings.notice("extra_column", line=record.line, columns=_list(named))


def _refuse(
    record: Record, keys: list[str], known_ids: Collection[str], findings: Findings
) -> None:
    """Say the most helpful thing about a header that lacks a needed column."""
    line = record.line
    if keys[0].startswith("sep="):
        findings.problem("sep_line", line=line, fixable=True)
        return
    for delimiter, name in _DELIMITERS.items():
        if any(delimiter in cell and "summary" in cell for cell in keys):
            findings.problem("wrong_delimiter", line=line, fixable=True, delimiter=name)
            return
    if any(cell.strip() in known_ids for cell in record.cells):
        findings.problem("no_header", line=line, needed=NEEDED)
        return
    has_id = any(name in keys for name in ID_NAMES)
    missing = [] if has_id else ["fname"]
    if "summary" not in keys:
        missing.append("summary")
    findings.problem(
        "missing_column",
        line=line,
        missing=", ".join(missing),
        needed=NEEDED,
        found=_list(record.cells),
        hint=_hint(record.cells, missing),
    )


def _hint(cells: Sequence[str], missing: list[str]) -> Part | str:
    if missing == ["summary"]:
        others = [cell.strip() for cell in cells if column_key(cell) not in ("", *ID_NAMES)]
        likely = [cell for cell in others if column_key(cell) in _LIKELY_SUMMARY]
        close = difflib.get_close_matches("summary", others, n=1)
        for meant in likely or close or (others if len(others) == 1 else []):
            return part("meant", shown=escaped(meant, 40))
    return ""


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(escaped(name.strip(), 40) or "(빈칸)" for name in names[:8])
    return shown + (" …" if len(names) > 8 else "")
