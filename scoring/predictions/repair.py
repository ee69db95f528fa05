"""A file repaired where that needs no guess, to be checked and downloaded by its author.

Never changes what is scored on its own: the repaired file is a new upload.
"""

from collections.abc import Sequence
from typing import NamedTuple

from scoring import table
from scoring.characters import nfc
from scoring.findings import Findings, InvalidSubmission, Limits, Notice, Problem
from scoring.predictions import DEFAULT_LIMITS, NEEDED, Columns, columns_of, read


class Repair(NamedTuple):
    """A repaired file, what was done to it, and what its author has left to do.

    `data`: UTF-8 with a BOM, so that table programs open it, `fname,summary`, all quoted; None
    where nothing could be read. The file can be submitted if `left` is empty.
    """

    data: bytes | None
    done: tuple[Notice, ...]
    left: tuple[Problem, ...]


def repair(data: bytes, expected_ids: Sequence[str], limits: Limits = DEFAULT_LIMITS) -> Repair:
    """Repair a refused file where that needs no guess; its author checks it and uploads it anew.

    Encoding, delimiter, header and quoting are set right, what unquoted commas split is joined.
    Blank lines and word-for-word repetitions go. Ids, empty and missing summaries stay as they are.

    >>> repair("fname;summary\\na;가, 나\\n".encode(), ["a"]).data.decode("utf-8-sig")
    '"fname","summary"\\r\\n"a","가, 나"\\r\\n'
    """
    findings = Findings()
    repaired = _repaired(data, limits, findings)
    done = () if repaired is None else findings.notices()
    try:
        read(data if repaired is None else repaired, expected_ids, limits)
    except InvalidSubmission as refused:
        return Repair(repaired, done, refused.problems)
    return Repair(repaired, done, ())


def _repaired(data: bytes, limits: Limits, findings: Findings) -> bytes | None:
    odd = Findings()
    file = table.opened(data, limits, odd, needed=NEEDED)
    if file.head is None:
        return None
    if file.encoding != "utf-8":
        findings.notice("fixed_encoding", encoding=file.encoding)
    if file.separator_line:
        findings.notice("fixed_separator_line", line=1)
    if file.delimiter != ",":
        findings.notice("fixed_delimiter", line=file.head.line)
    for problem in odd.problems():  # of what can be read at all, nothing but blanks at quotes
        for line in problem.lines:
            findings.notice("fixed_blanks", line=line)
    unsaid = Findings()
    columns = columns_of(file.head, (), limits, unsaid)
    if columns is None:
        return None
    if unsaid.notices():
        findings.notice("fixed_header", line=file.head.line)
    rows: dict[tuple[str, str], None] = {}
    for number, record in enumerate(file.rows):
        if record.broken or (limits.max_rows is not None and number >= limits.max_rows):
            return None
        if record.blank:
            findings.notice("fixed_blank_line", line=record.line)
            continue
        row = _row(record.cells, columns, file.delimiter, limits.max_cell)
        if row is None:
            return None
        if len(record.cells) > columns.fields:
            findings.notice("fixed_commas", line=record.line)
        if row in rows:
            findings.notice("fixed_duplicate", line=record.line)
        rows[row] = None
    return table.written([("fname", "summary"), *rows]).encode("utf-8-sig")


def _row(
    cells: Sequence[str], columns: Columns, delimiter: str, max_cell: int | None
) -> tuple[str, str] | None:
    """Id and summary; surplus delimiters can only belong to a summary in the last column."""
    last = columns.summary_at == columns.fields - 1
    if last and not any(cells[columns.fields :]):
        cells = cells[: columns.fields]  # a table program's empty columns
    if len(cells) < columns.fields or (len(cells) > columns.fields and not last):
        return None
    *before, end = cells[columns.summary_at :] if last else [cells[columns.summary_at]]
    if all(part.endswith("\\") for part in before):  # `\,` stands for the delimiter in some files
        before = [part[:-1] for part in before]
    summary = delimiter.join([*before, end])
    # What is too long for the check stays as it is, and is refused there.
    return nfc(cells[columns.id_at].strip(), max_cell), nfc(summary, max_cell)
