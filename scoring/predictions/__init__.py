"""The one validator of uploaded predictions. Page, API and command line all ask `read`.

It reads `fname,summary` files as people really send them, collects every problem with its line,
and spends nothing: no tokenizer, no golds.
"""

import difflib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType
from typing import NamedTuple

from scoring import characters, table
from scoring.characters import nfc
from scoring.findings import Findings, InvalidSubmission, Limits, Notice, escaped
from scoring.messages import Part, part
from scoring.table import Opened, Record
from scoring.tokenizers import long_repeat

DEFAULT_LIMITS = Limits()
_ACCEPTED = Limits.unlimited(taken=True)

# What a sample file has in place of summaries, by language.
SAMPLE_TEXTS = {"ko": "여기에 요약을 씁니다.", "en": "Write the summary here."}

NEEDED = "fname, summary"

_LIKELY_SUMMARY = ("text", "prediction", "predictions", "output", "generated", "요약")

_MISSING_SHOWN = 20
_FEWEST_SAME = 3
_ID_SHOWN = 60
_ID_CHARACTERS = 1_000


@dataclass(frozen=True)
class Predictions:
    """A file that can be scored. `texts` has every expected id, in the expected order, NFC."""

    texts: Mapping[str, str]
    notices: tuple[Notice, ...]
    encoding: str
    rows: int


def read(
    data: bytes,
    expected_ids: Sequence[str],
    limits: Limits = DEFAULT_LIMITS,
    *,
    dev_ids: Callable[[], Iterable[str]] = tuple,
) -> Predictions:
    """Check a file and read its summaries, or raise InvalidSubmission with all problems.

    A file that names `dev_ids` instead is told what it is; they are asked for where an id is wrong.

    >>> read("fname,summary\\na,요약\\n".encode(), ["a"]).texts["a"]
    '요약'
    """
    findings = Findings()
    known = {example_id: nfc(example_id) for example_id in expected_ids}
    expected = frozenset(known.values())
    file = _PredictionFile(limits, findings, expected, dev_ids)
    opened = table.opened(data, limits, findings, needed=NEEDED)
    if (head := opened.head) is not None:
        if opened.separator_line:
            findings.problem("sep_line", line=1, fixable=True)
        elif opened.delimiter != "," and _is_named(head):
            name = table.DELIMITERS[opened.delimiter]
            findings.problem("wrong_delimiter", line=head.line, fixable=True, delimiter=name)
        elif columns := columns_of(head, expected, limits, findings):
            if characters.mostly_not_hangul(opened.text):
                findings.notice("few_hangul", line=head.line + 1)
            file.take(opened, columns)
    missing = [example_id for example_id in known if known[example_id] not in file.lines]
    # All of another split: that nothing of this one is there goes without saying.
    if file.is_whole and missing and (file.lines or not findings.has("dev_split")):
        shown = ", ".join(missing[:_MISSING_SHOWN])
        findings.problem(
            "missing_ids",
            example_id=missing[0] if len(missing) == 1 else None,
            count=len(missing),
            shown=shown + (" …" if len(missing) > _MISSING_SHOWN else ""),
        )
    file.judge_all()
    findings.refuse(InvalidSubmission, opened.text, rows=file.rows)
    texts = {example_id: file.texts[known[example_id]] for example_id in known}
    return Predictions(MappingProxyType(texts), findings.notices(), opened.encoding, file.rows)


def read_accepted(data: bytes) -> dict[str, str]:
    """The summaries by id, NFC, of a file that `read` has accepted: nothing is checked again.

    It is read as it was then, whatever a new one is refused for. ValueError for what has no header.

    >>> read_accepted("fname, summary\\na, \\"요약\\"\\n".encode())
    {'a': ' "요약"'}
    """
    file = table.opened(data, _ACCEPTED, Findings(), needed=NEEDED)
    if file.head is None:
        raise ValueError("no header")
    id_at, summary_at = map(file.head.keys.index, ("fname", "summary"))
    rows = (record.cells for record in file.rows if not record.blank)
    return {nfc(cells[id_at].strip()): nfc(cells[summary_at]) for cells in rows}


class Columns(NamedTuple):
    """Positions of the two columns, and how many fields each row must have."""

    id_at: int
    summary_at: int
    fields: int


@dataclass
class _PredictionFile:
    """One pass over one file. `lines`: where each expected id stands, none where a row is broken.

    `is_whole`: it was read to its end.
    """

    limits: Limits
    findings: Findings
    expected: frozenset[str]
    dev_ids: Callable[[], Iterable[str]]
    texts: dict[str, str] = field(default_factory=dict)
    lines: dict[str, list[int]] = field(default_factory=dict)
    rows: int = 0
    is_whole: bool = False
    _differing: set[str] = field(default_factory=set)
    _length: int = 0
    _look_closer: bool = False

    def take(self, file: Opened, columns: Columns) -> None:
        """Take the rows, as far as they can be read."""
        self._look_closer = characters.ODD.search(file.text) is not None
        problem, most = self.findings.problem, self.limits.max_rows
        for number, record in enumerate(file.rows, start=1):
            cells, line = record.cells, record.line
            if most is not None and number > most:
                problem("too_many_rows", line=line, whole_file=True, limit=most)
                return
            if record.blank:
                self.findings.notice("blank_line", line=line)
                continue
            self.rows += 1
            if record.broken or len(cells) != columns.fields:
                if self._skip(record, columns):
                    continue
                return
            cell = cells[columns.id_at]
            too_long = len(cell) > _ID_CHARACTERS
            example_id = "" if too_long else nfc(cell.strip())
            if too_long:
                problem("id_too_long", line=line, length=len(cell), limit=_ID_CHARACTERS)
            elif not example_id:
                problem("empty_id", line=line)
            elif example_id not in self.expected:
                self._unknown(example_id, line)
            elif cell != cell.strip():
                self.findings.notice("id_spaces", line=line, example_id=example_id)
            text = self._summary(cells[columns.summary_at], line, example_id)
            if example_id in self.expected:
                self.lines.setdefault(example_id, []).append(line)
                if self.texts.setdefault(example_id, text) != text:
                    self._differing.add(example_id)
        self.is_whole = True

    def _skip(self, record: Record, columns: Columns) -> bool:
        """Refuse a record without its two cells; False where nothing behind it can be read.

        It still names its id, which therefore is not missing.
        """
        cells, code, found = record.cells, record.broken, len(record.cells)
        named = cells[0].partition(",")[0] if code and cells else ""
        if not code and found > columns.id_at:
            named = cells[columns.id_at]
        if (example_id := named.strip()) in self.expected:
            self.lines.setdefault(example_id, [])
        place = partial(self.findings.problem, line=record.line)
        if code:
            too_wide = code == "too_many_columns"
            place(code, whole_file=too_wide, limit=self.limits.max_columns)
            return not too_wide and code != "unclosed_quote"
        place(
            "too_few_fields" if found < columns.fields else "too_many_fields",
            example_id=example_id if example_id in self.expected else None,
            # With the summary in the last column, the surplus commas can only be its own.
            fixable=found > columns.fields and columns.summary_at == columns.fields - 1,
            found=found,
            expected=columns.fields,
        )
        return True

    def _unknown(self, example_id: str, line: int) -> None:
        code, shown = "unknown_id", escaped(example_id, _ID_SHOWN)
        place = partial(self.findings.problem, line=line, example_id=shown)
        dev, alike = self._others
        if example_id in dev:
            code = "dev_split"
        elif table.ROUNDED.fullmatch(example_id):
            code = "rounded_id"
        elif meant := alike.get(characters.loose_spelling(example_id)):
            shown += f" (→ {meant}?)"
        place(code, shown=shown)

    @cached_property
    def _others(self) -> tuple[frozenset[str], dict[str, str]]:
        """The dev ids, and the expected ones by a loose spelling, to guess what another meant."""
        alike = {characters.loose_spelling(example_id): example_id for example_id in self.expected}
        return frozenset(map(nfc, self.dev_ids())), alike

    def _summary(self, cell: str, line: int, example_id: str) -> str:
        """The text to score, after every check on its characters."""
        limits = self.limits
        problem = partial(self.findings.problem, line=line, example_id=example_id or None)
        text = nfc(cell, limits.max_cell)
        self._length += len(text)
        if text != cell:
            self.findings.notice("set_to_nfc")
        if limits.max_cell is not None and len(text) > limits.max_cell:
            problem("cell_too_long", length=len(text), limit=limits.max_cell)
        elif characters.is_blank(text):
            if not limits.allow_empty:
                problem("blank_summary" if text else "empty_summary")
            else:
                self.findings.notice("scores_zero", line=line, example_id=example_id)
            return ""
        elif characters.LITERAL_NAN.fullmatch(text):
            shown = f"“{text.strip()}”"
            self.findings.notice("literal_nan", line=line, example_id=example_id, shown=shown)
        if limits.max_repeat is not None and (run := long_repeat(text, limits.max_repeat)):
            problem("long_repeat", shown=run[0], count=len(run), limit=limits.max_repeat)
        if self._look_closer:
            if "\0" in text:
                problem("nul_character", position=text.index("\0") + 1)
            for code, pattern in characters.ODD_KINDS:
                if pattern.search(text):
                    self.findings.notice(code, line=line, example_id=example_id)
        return text

    def judge_all(self) -> None:
        """What only the whole file can tell: repetitions, its size, one text for most rows."""
        for example_id, lines in self.lines.items():
            if len(lines) > 1:
                same = example_id not in self._differing
                self.findings.problem(
                    "duplicate_id",
                    line=lines[0],
                    lines=lines,
                    example_id=example_id,
                    fixable=same,
                    shown=example_id,
                    same=part("same_summary" if same else "different_summaries"),
                )
        limit = self.limits.max_total
        if limit is not None and self._length > limit:
            self.findings.problem("total_too_long", length=self._length, limit=limit)
        times = Counter(text for text in self.texts.values() if text)
        samples = sum(times.pop(text, 0) for text in SAMPLE_TEXTS.values())
        if samples:
            self.findings.notice("sample_text", count=samples)
        most = max(times.values(), default=0)
        if most >= _FEWEST_SAME and most * 2 > len(self.texts):
            self.findings.notice("same_text", count=most)


def columns_of(
    record: Record, known_ids: Collection[str], limits: Limits, findings: Findings
) -> Columns | None:
    """Find the columns, or note why that is impossible and return None."""
    if limits.max_columns is not None and len(record.cells) > limits.max_columns:
        findings.problem("too_many_columns", line=record.line, limit=limits.max_columns)
        return None
    if any(cell.strip() in known_ids for cell in record.cells) and not _is_named(record):
        findings.problem("no_header", line=record.line, needed=NEEDED)
        return None
    found = table.columns(record, NEEDED.split(", "), findings, _hint)
    if found is None:
        return None
    columns = Columns(found["fname"], found["summary"], len(record.cells))
    spelled = {name: record.cells[at] for name, at in found.items() if record.cells[at] != name}
    if spelled:
        written, read = table.listed([*spelled.values()]), ", ".join(spelled)
        findings.notice("header_spelling", line=record.line, found=written, read=read)
    if len(record.cells) > len(found):
        table.remark_unused(record, found.values(), findings)
    return columns


def _is_named(head: Record) -> bool:
    """Whether a column is called as one of ours, so that this is a header and no row."""
    return not {"fname", "summary"}.isdisjoint(head.keys)


def _hint(head: Record) -> Part | str:
    """What may be meant where there are ids and no summaries."""
    if "dialogue" in head.keys:
        return part("dialogues_sent")
    if "fname" not in head.keys:
        return ""
    named = dict(zip(head.keys, map(str.strip, head.cells), strict=True))
    others = [cell for key, cell in named.items() if key not in ("", "fname", "id")]
    likely = [named[key] for key in named if key in _LIKELY_SUMMARY]
    close = difflib.get_close_matches("summary", others, n=1)
    for meant in likely or close or (others if len(others) == 1 else []):
        return part("meant", shown=escaped(meant, 40))
    return ""
