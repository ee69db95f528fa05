"""CSV as it was written: bytes to text, text to records with the line they start on.

Bytes are UTF-16 by its mark, strict UTF-8, strict CP949, else refused with the line. Structure is
read here with the csv module and nowhere else, because pandas hides errors: a first row with one
field too many shifts silently, and "NA" becomes a missing value.

All files that people upload come through `opened`: predictions, golds, dialogues, labels and class
lists.
"""

import codecs
import csv
import io
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import dropwhile, islice, takewhile
from types import MappingProxyType
from typing import Literal, NamedTuple

from scoring.characters import is_blank, nfc
from scoring.findings import LINE, Findings, Limits, escaped
from scoring.messages import Part, part, size

# What spreadsheets take for the beginning of a formula; East Asian ones also the wide forms.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

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


def decode(data: bytes, limits: Limits, findings: Findings) -> Decoded | None:
    """The text, with a notice where it is not UTF-8; None with a problem where there is none.

    >>> decode("fname".encode("utf-16"), Limits(), Findings()).encoding
    'utf-16'
    """
    kind = next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)
    decoded, problem = None, findings.problem
    if limits.max_bytes is not None and len(data) > limits.max_bytes:
        problem("file_too_large", size=size(len(data)), limit=size(limits.max_bytes))
    elif not data:
        problem("empty_file")
    elif kind is not None:
        problem("not_csv", kind=kind)
    elif data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            decoded = Decoded(data.decode("utf-16"), "utf-16")
        except UnicodeDecodeError as error:
            line = data[: error.start].decode("utf-16", "ignore").count("\n") + 1
            problem("bad_utf16", line=line)
    elif b"\0" in data[:4]:
        # "f\0n\0": UTF-16 without its mark. Deeper NULs are found cell by cell, with a line.
        problem("nul_bytes", line=1)
    else:
        try:
            return Decoded(data.decode("utf-8-sig"), "utf-8")
        except UnicodeDecodeError as error:
            decoded = _decode_cp949(data, error, findings)
    if decoded is not None:
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


def line_ends(text: str) -> int:
    """How many lines end in the text; LF, CRLF and CR end lines."""
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _decode_cp949(data: bytes, utf8: UnicodeDecodeError, findings: Findings) -> Decoded | None:
    # utf-8-sig counts from behind the mark
    start = utf8.start + (len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0)
    try:
        return Decoded(data.decode("cp949"), "cp949")
    except UnicodeDecodeError as error:
        code = "bad_encoding"
        if utf8.reason == "unexpected end of data":
            code = "cut_off"
        elif data[start] == 0xED and data[start + 1 : start + 2] >= b"\xa0":
            code = "bad_unicode"
        # The encoding that got further is the one that was meant.
        offset = max(start, error.start) if code == "bad_encoding" else start
    findings.problem(code, line=line_ends(data[:offset].decode("latin-1")) + 1)
    return None


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


def safe(text: str) -> str:
    """A name as a cell that no spreadsheet takes for a formula; no two names as the same cell.

    Some pass over what nobody sees before they look for a formula.

    >>> safe("=1+1"), safe("'=1+1"), safe("새벽"), safe("\\u200b \\ufeff=1+1")[:2]
    ("'=1+1", "''=1+1", '새벽', "'\\u200b")
    """
    own = text.lstrip("'")  # of marks that it begins with by itself
    seen = "".join(dropwhile(is_blank, own))
    is_formula = own.startswith(FORMULA_STARTS) or seen.startswith(FORMULA_STARTS)
    return f"'{text}" if is_formula else text


def unmarked(cell: str) -> str:
    """The name that `safe` wrote.

    >>> unmarked("'=1+1"), unmarked("''=1+1"), unmarked("'새벽")
    ('=1+1', "'=1+1", "'새벽")
    """
    return cell[1:] if cell.startswith("'") and safe(cell[1:]) == cell else cell


class Record(NamedTuple):
    """One CSV record. `line` is where it starts; `broken` names what is wrong with it, or ''.

    A broken record has the text of its last physical line as its only cell. In a `blank` one
    nothing is written: an empty line, or only commas and blanks. No record is both.
    `keys`: a header's names as they are compared: any case, no blanks or byte-order mark around
    them, and `fname` for `id` where there is no `fname`.
    """

    line: int
    cells: list[str]
    broken: str = ""
    blank: bool = False
    keys: tuple[str, ...] = ()


def records(text: str, limits: Limits, delimiter: str = ",") -> Iterator[Record]:
    """All records in file order; reading goes on behind a broken one where that is possible.

    >>> [record.line for record in records('a,"x\\n\\ny"\\nb,z\\n', Limits())]
    [1, 4]
    """
    # More delimiters than this in one line cannot belong to any record within the limits.
    most = math.inf
    if limits.max_columns is not None and limits.max_cell is not None:
        most = limits.max_columns * (limits.max_cell + 1)
    last = ""
    # One by one, so that a hostile file is never held twice.
    lines = (last := match[0] for match in LINE.finditer(text))
    narrow = takewhile(lambda line: len(line) <= most or line.count(delimiter) <= most, lines)
    reader = csv.reader(narrow, delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
            yield Record(start, cells, blank=not any(map(str.strip, cells)))
        except (StopIteration, csv.Error) as error:
            if last.count(delimiter) > most:
                yield Record(start, [], "too_many_columns")
                return
            if isinstance(error, StopIteration):
                return
            if "unexpected end of data" in str(error):
                yield Record(start, [last], "unclosed_quote")
                return
            after = "expected after" in str(error)
            yield Record(start, [last], "text_after_quote" if after else "bad_csv")


_JSON = re.compile(r"\s*+(?:\{\s*+[\"'}]|\[\s*+[\[{\"'\]])")
_SEPARATOR_LINE = re.compile(r"[\r\n]*+\"?sep=(.?)\"?[^\S\r\n]*+(?:[\r\n]|\Z)", re.IGNORECASE)
_WRITTEN_LINE = re.compile(r"\s*+[^\r\n]{0,100000}")
_QUOTED = re.compile('"[^"]*+"')
DELIMITERS = MappingProxyType({";": part("semicolons"), "\t": part("tabs"), "|": part("bars")})
# As a spreadsheet writes a long number for which it took an id; what stood there is lost.
ROUNDED = re.compile(r"\d(?:[.,]\d+)?[Ee][+-]\d{2,}")


class Opened(NamedTuple):
    """A file down to its header, the first line that is not blank; None if that cannot be read.

    `rows`: what stands behind it, read as it is asked for. `text`: as written, to quote from.
    `separator_line`: whether Excel's `sep=` stands first.
    """

    text: str = ""
    encoding: str = ""
    delimiter: str = ","
    separator_line: bool = False
    head: Record | None = None
    rows: Iterator[Record] = iter(())


def opened(
    data: bytes, limits: Limits, findings: Findings, *, needed: str, likely: str = ",;\t|"
) -> Opened:
    """Read a file down to its header. What is wrong or odd goes to `findings`.

    Columns are separated by the first of `likely` that stands in the header outside of quotes.
    `needed`: the columns, for the sentence that there is no header.
    """
    decoded = decode(data, limits, findings)
    if decoded is None:
        return Opened()
    text, encoding = decoded.text.lstrip("\ufeff"), decoded.encoding  # some tools write two marks
    if _JSON.match(text):
        findings.problem("not_csv", kind="JSON")
        return Opened(text, encoding)
    declared = _SEPARATOR_LINE.match(text)
    delimiter = declared[1] if declared else ""
    if not delimiter or delimiter not in likely:
        first = _WRITTEN_LINE.match(text, declared.end() if declared else 0)
        outside = _QUOTED.sub("", first[0]) if first else ""
        delimiter = next((one for one in likely if one in outside), ",")
    file = Opened(text, encoding, delimiter, declared is not None)
    # To the csv module the quotes of a cell with blanks around them are text, and would be scored.
    ends = f"{re.escape(delimiter)}\r\n"
    blank = rf"[^\S{ends}]"
    if not limits.taken and '"' in text and re.search(f'{blank}"|"{blank}', text):
        cell = rf'(\A|[{ends}])({blank}*+)("(?:[^"]++|"")*+")({blank}*+)(?=[{ends}]|\Z)'
        text = _without_blanks_at_quotes(text, cell, limits, findings)
    found = records(text, limits, delimiter)
    most = limits.max_columns
    # The header: the first record that is not blank, among as many as there may be rows. One of too
    # many columns is no blank line, whatever it holds.
    some = islice(found, limits.max_rows)
    written = (one for one in some if not one.blank or (most and len(one.cells) > most))
    head = next(islice(written, int(file.separator_line), None), None)
    if head is None or head.broken:
        findings.problem(
            head.broken if head else "no_header",
            line=head.line if head else 1,
            whole_file=head is not None and head.broken == "too_many_columns",
            needed=needed,
            limit=limits.max_columns,
        )
        return file
    keys = [cell.strip().strip("\ufeff").strip().casefold() for cell in head.cells]
    if "fname" not in keys:
        keys = ["fname" if key == "id" else key for key in keys]
    return file._replace(head=head._replace(keys=tuple(keys)), rows=found)


def remark_delimiter(file: Opened, findings: Findings) -> None:
    """Notices for columns that are read though no commas separate them: in organizers' files."""
    if file.separator_line:
        findings.notice("sep_line_skipped", line=1)
    if file.delimiter != "," and file.head is not None:
        name = DELIMITERS[file.delimiter]
        findings.notice("other_delimiter", line=file.head.line, delimiter=name)


def _without_blanks_at_quotes(text: str, cell: str, limits: Limits, findings: Findings) -> str:
    """The text without blanks between a delimiter and a cell's quotes, and a problem for them."""
    line, counted = 1, 0
    lines: dict[int, None] = {}

    def closed(match: re.Match[str]) -> str:
        nonlocal line, counted
        if match[2] or match[4]:
            line += line_ends(text[counted : match.start(3)])
            counted = match.start(3)
            lines[line] = None
        return match[1] + match[3]

    closed_text = re.sub(cell, closed, text)
    for one in islice(lines, limits.max_rows):
        findings.problem("blank_at_quote", line=one, fixable=True)
    return closed_text


def whole_rows(file: Opened, fields: int, limits: Limits, findings: Findings) -> Iterator[Record]:
    """The rows behind a header and the blank ones between them; a problem for each broken one."""
    for number, record in enumerate(file.rows, start=1):  # blank and broken ones cost as much
        if limits.max_rows is not None and number > limits.max_rows:
            if not _is_blank_from(file, record.line):
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


def columns(
    head: Record,
    names: Sequence[str],
    findings: Findings,
    hint: Callable[[Record], Part | str] = lambda head: "",
) -> dict[str, int] | None:
    """Where the columns of these names stand; None with a problem if one is missing or twice.

    `hint` says of the header what may be meant by one where another is missing.
    """
    if missing := [name for name in names if name not in head.keys]:
        refuse_missing(head, missing, ", ".join(names), findings, hint(head))
        return None
    if twice := [name for name in names if head.keys.count(name) > 1]:
        findings.problem("duplicate_column", line=head.line, column=twice[0])
        return None
    return {name: head.keys.index(name) for name in names}


def refuse_missing(
    head: Record, missing: Sequence[str], needed: str, findings: Findings, hint: Part | str = ""
) -> None:
    """A problem for columns that a header lacks."""
    findings.problem(
        "missing_column",
        line=head.line,
        missing=", ".join(missing),
        needed=needed,
        found=listed(head.cells),
        hint=hint,
    )


def remark_unused(head: Record, used: Collection[int | None], findings: Findings) -> None:
    """Notices for columns that are not read."""
    others = [at for at in range(len(head.cells)) if at not in used]
    if any(not head.keys[at] for at in others):
        findings.notice("unnamed_column", line=head.line)
    if named := [head.cells[at] for at in others if head.keys[at]]:
        findings.notice("extra_column", line=head.line, columns=listed(named))


def listed(names: Sequence[str]) -> str:
    """The first columns of a header, for a sentence; one without a name is `""`."""
    shown = ", ".join(escaped(name.strip(), 40) or '""' for name in names[:8])
    return shown + (" …" if len(names) > 8 else "")


def rows_by_id(
    rows: Iterable[Record], id_at: int, findings: Findings
) -> Iterator[tuple[str, Record]]:
    """Rows under their ids, NFC, without blank ones: in files where no row is a copy.

    A problem for each id that is empty or stands on several lines.
    """
    lines: dict[str, int] = {}
    for record in rows:
        example_id = "" if record.blank else nfc(record.cells[id_at].strip())
        if lines.setdefault(example_id, record.line) != record.line and example_id:
            shown = escaped(example_id, 60)
            findings.problem(
                "duplicate_id",
                line=record.line,
                example_id=shown,
                shown=shown,
                lines=(lines[example_id], record.line),
                same=part("check_both"),
            )
        elif example_id:
            yield example_id, record
        elif not record.blank:
            findings.problem("empty_id", line=record.line)


def _is_blank_from(file: Opened, line: int) -> bool:
    """Whether nothing is written in this physical line, which there is, nor in any after it.

    Makes no records, so that however many blank lines cost next to nothing.
    """
    start = next(islice(LINE.finditer(file.text), line - 1, None)).start()
    blank = re.compile(rf"[\s{re.escape(file.delimiter)}]*+")  # as `Record.blank`, over lines
    return blank.fullmatch(file.text, start) is not None
