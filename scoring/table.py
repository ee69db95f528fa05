"""CSV as it was written: bytes to text, text to records with the line they start on.

Bytes are UTF-16 by its mark, strict UTF-8, strict CP949, else refused with the line. Structure is
read here with the csv module and nowhere else, because pandas hides errors: a first row with one
field too many shifts silently, and "NA" becomes a missing value.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple

from scoring.findings import LINE, Findings, Limits, escaped
from scoring.messages import part, size

ID_NAMES = ("fname", "id")

PART = 1_000_000  # bytes decoded at a time where only the answer is wanted

# Files people upload instead of CSV, by their first bytes. Nothing is ever unpacked.
_MAGIC = (
    (b"PK\x03\x04", part("either", first="Excel", second="ZIP")),
    (b"PK\x05\x06", "ZIP"),
    (b"\xd0\xcf\x11\xe0", "Excel (xls)"),
    (b"\x1f\x8b", "gzip"),
    (b"%PDF", "PDF"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"7z\xbc\xaf", "7z"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)


class Decoded(NamedTuple):
    """A file's text and the encoding it was read in (`utf-8`, `utf-16` or `cp949`)."""

    text: str
    encoding: str


class Unreadable(Exception):
    """The bytes are no text we can read; carries what to say about it."""

    def __init__(self, code: str, *, line: int | None = None, **values: Any) -> None:
        super().__init__(code)
        self.code = code
        self.line = line
        self.values = values


def decode(data: bytes, limits: Limits, findings: Findings) -> Decoded | None:
    """The text, with a notice where it is not UTF-8; None with a problem where there is none.

    >>> decode("fname".encode("utf-16"), Limits(), Findings()).encoding
    'utf-16'
    """
    kind = next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)
    try:
        if limits.max_bytes is not None and len(data) > limits.max_bytes:
            raise Unreadable("file_too_large", size=size(len(data)), limit=size(limits.max_bytes))
        if not data:
            raise Unreadable("empty_file")
        if kind is not None:
            raise Unreadable("not_csv", kind=kind)
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            decoded = _decode_utf16(data)
        elif b"\0" in data[:4]:
            # "f\0n\0": UTF-16 without its mark. Deeper NULs are found cell by cell, with a line.
            raise Unreadable("nul_bytes", line=1)
        else:
            try:
                return Decoded(data.decode("utf-8-sig"), "utf-8")
            except UnicodeDecodeError as error:
                decoded = _decode_cp949(data, error)
    except Unreadable as error:
        findings.problem(error.code, line=error.line, **error.values)
        return None
    findings.notice(f"read_as_{decoded.encoding.replace('-', '')}")
    return decoded


def lacks_mark(data: bytes) -> bool:
    """Whether Korean Excel garbles this text: UTF-8 with more than ASCII and without a BOM.

    Excel takes such a file for CP949; what is CP949 opens there as it is.

    >>> [lacks_mark("가".encode(name)) for name in ("utf-8", "utf-8-sig", "cp949", "utf-16")]
    [True, False, False, False]
    """
    if data.isascii() or data.startswith(codecs.BOM_UTF8):
        return False
    parts = (data[at : at + PART] for at in range(0, len(data), PART))
    try:
        for _ in codecs.iterdecode(parts, "utf-8"):
            pass
    except UnicodeDecodeError:
        return False
    return True


def line_of(data: bytes, offset: int) -> int:
    """Physical line of a byte; LF, CRLF and CR end lines."""
    head = data[:offset]
    return head.count(b"\n") + head.count(b"\r") - head.count(b"\r\n") + 1


def _decode_utf16(data: bytes) -> Decoded:
    try:
        return Decoded(data.decode("utf-16"), "utf-16")
    except UnicodeDecodeError as error:
        line = data[: error.start].decode("utf-16", "ignore").count("\n") + 1
        raise Unreadable("bad_utf16", line=line) from None


def _decode_cp949(data: bytes, utf8: UnicodeDecodeError) -> Decoded:
    # utf-8-sig counts from behind the mark
    start = utf8.start + (len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
    try:
        return Decoded(data.decode("cp949"), "cp949")
    except UnicodeDecodeError as error:
        code = _why_undecoded(data, start, utf8.reason)
        # The encoding that got further is the one that was meant.
        offset = max(start, error.start) if code == "bad_encoding" else start
    raise Unreadable(code, line=line_of(data, offset))


def _why_undecoded(data: bytes, offset: int, reason: str) -> str:
    if reason == "unexpected end of data":
        return "cut_off"
    if data[offset] == 0xED and data[offset + 1 : offset + 2] >= b"\xa0":
        return "bad_unicode"
    return "bad_encoding"


# A cell is measured against the contest's own limit, which names its line; the csv module's
# limit would raise an error that no participant understands.
csv.field_size_limit(2**31 - 1)


def written(rows: Iterable[Sequence[str]], quoting: Literal[0, 1] = csv.QUOTE_ALL) -> str:
    r"""Rows as CSV text: the one writer of `scoring` and `leaderboard`.

    Texts are quoted whole. Before Python 3.11.9 and 3.12.3 the csv module leaves a bare CR without
    quotes unless lines end in CRLF, and then reads two rows (CPython gh-67044). Tables of numbers
    may have QUOTE_MINIMAL: people compare their bytes from release to release.

    >>> written([("a", "x\ry")])
    '"a","x\ry"\r\n'
    """
    out = io.StringIO(newline="")
    csv.writer(out, quoting=quoting, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


_BLANK = re.compile(r"[\s,]*+")  # as `Record.blank`, over lines


class Record(NamedTuple):
    """One CSV record. `line` is where it starts; `broken` names what is wrong with it, or ''.

    A broken record has the text of its last physical line as its only cell. In a `blank` one
    nothing is written: an empty line, or only commas and blanks. No record is both.
    """

    line: int
    cells: list[str]
    broken: str = ""
    blank: bool = False


def records(text: str, limits: Limits) -> Iterator[Record]:
    """All records in file order; reading goes on behind a broken one where that is possible.

    >>> [record.line for record in records('a,"x\\n\\ny"\\nb,z\\n', Limits())]
    [1, 4]
    """
    # More commas than this in one line cannot belong to any record within the limits.
    most_commas = None
    if limits.max_columns is not None and limits.max_cell is not None:
        most_commas = limits.max_columns * (limits.max_cell + 1)
    last = ""

    def lines() -> Iterator[str]:
        """The physical lines, one by one, so that a hostile file is never held twice."""
        nonlocal last
        for match in LINE.finditer(text):
            last = match.group()
            if most_commas is not None and len(last) > most_commas < last.count(","):
                raise OverflowError
            yield last

    reader = csv.reader(lines(), strict=True)
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
            yield Record(start, cells, blank=not any(map(str.strip, cells)))
        except StopIteration:
            return
        except OverflowError:
            yield Record(start, [], "too_many_columns")
            return
        except csv.Error as error:
            broken = _why(str(error))
            yield Record(start, [last], broken)
            if broken == "unclosed_quote":
                return


def first_written(found: Iterator[Record], limits: Limits) -> Record | None:
    """The header: the first record that is not blank, among as many as there may be rows."""
    some = islice(found, limits.max_rows)
    return next((record for record in some if not record.blank), None)


def whole_rows(
    text: str, found: Iterator[Record], fields: int, limits: Limits, findings: Findings
) -> Iterator[Record]:
    """The rows behind a header and the blank ones between them; a problem for each broken one."""
    for number, record in enumerate(found, start=1):  # blank and broken ones cost as much
        if limits.max_rows is not None and number > limits.max_rows:
            if not _is_blank_from(text, record.line):
                findings.problem("too_many_rows", line=record.line, limit=limits.max_rows)
            return
        if record.blank or is_whole(record, fields, limits, findings):
            yield record


def is_whole(record: Record, fields: int, limits: Limits, findings: Findings) -> bool:
    """Whether a record has its fields; else with a problem."""
    found = len(record.cells)
    if record.broken:
        findings.problem(record.broken, line=record.line, limit=limits.max_columns)
    elif found != fields:
        code = "too_few_fields" if found < fields else "too_many_fields"
        findings.problem(code, line=record.line, found=found, expected=fields)
    return not record.broken and found == fields


def refuse_missing(head: Record, missing: Sequence[str], needed: str, findings: Findings) -> None:
    """A problem for columns that a header lacks."""
    found = ", ".join(escaped(column_key(cell), 40) for cell in head.cells[:8])
    names = ", ".join(missing)
    findings.problem("missing_column", line=head.line, missing=names, needed=needed, found=found)


def refuse_repeated(example_id: str, lines: Sequence[int], findings: Findings) -> None:
    """A problem for an id that stands on several lines, in files where no row is a copy."""
    shown = escaped(example_id, 60)
    findings.problem(
        "duplicate_id",
        line=lines[-1],
        example_id=shown,
        shown=shown,
        lines=lines,
        same=part("check_both"),
    )


def _is_blank_from(text: str, line: int) -> bool:
    """Whether nothing is written in this physical line, which there is, nor in any after it.

    Makes no records, so that however many blank lines cost next to nothing.
    """
    start = next(islice(LINE.finditer(text), line - 1, None)).start()
    return _BLANK.fullmatch(text, start) is not None


def column_key(name: str) -> str:
    """A column's name as it is compared: no blanks or byte-order mark around it, any case."""
    return name.strip().strip("\ufeff").strip().casefold()


def _why(error: str) -> str:
    if "unexpected end of data" in error:
        return "unclosed_quote"
    if "expected after" in error:
        return "text_after_quote"
    return "bad_csv"
