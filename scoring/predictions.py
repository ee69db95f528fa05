"""The one validator of uploaded predictions. Page, API and command line all ask `read`.

It reads `fname,summary` files as people really send them, collects every problem with its line,
and spends nothing: no tokenizer, no golds.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType

from scoring import characters, header, table
from scoring.findings import Findings, InvalidSubmission, Limits, Notice, escaped
from scoring.header import Columns
from scoring.messages import part
from scoring.table import Record

DEFAULT_LIMITS = Limits()

# What a sample file has in place of summaries, by language.
SAMPLE_TEXTS = {"ko": "여기에 요약을 씁니다.", "en": "Write the summary here."}

_MISSING_SHOWN = 20
_FEWEST_SAME = 3
_ID_SHOWN = 60
_ID_CHARACTERS = 1_000
_LONGEST_NAN = 20
_LITERAL_NAN = frozenset({"nan", "null", "none", "na", "n/a", "<na>", "#n/a", "nil", "undefined"})


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
    reading = _Reading(expected_ids, limits, dev_ids)
    findings = reading.findings
    decoded = table.opened(data, limits, findings)
    if decoded is None:
        raise InvalidSubmission(findings.problems())
    reading.read(decoded.text)
    reading.notice_texts()
    findings.refuse(InvalidSubmission, decoded.text, rows=reading.rows)
    texts = {example_id: reading.texts[reading.known[example_id]] for example_id in reading.known}
    return Predictions(MappingProxyType(texts), findings.notices(), decoded.encoding, reading.rows)


class _Reading:
    """One pass over one file."""

    def __init__(
        self, expected_ids: Sequence[str], limits: Limits, dev_ids: Callable[[], Iterable[str]]
    ) -> None:
        self.limits = limits
        self.findings = Findings()
        self.known = {
            example_id: unicodedata.normalize("NFC", example_id) for example_id in expected_ids
        }
        self.expected = frozenset(self.known.values())
        self._dev_ids = dev_ids
        self.texts: dict[str, str] = {}
        self.rows = 0
        self._seen = 0
        self._length = 0
        self._lines: dict[str, list[int]] = {}
        self._differing: set[str] = set()
        self._look_closer = False

    def read(self, text: str) -> None:
        """Header, rows, then what only the whole file can tell."""
        records = table.records(text, self.limits)
        head = next((record for record in records if self._is_written(record)), None)
        if head is None or (not head.cells and not head.broken):
            self.findings.problem("no_header", line=1, needed=header.NEEDED)
            return
        if head.broken:
            self._broken(head)
            return
        columns = header.read(head, self.expected, self.limits, self.findings)
        if columns is None:
            return
        self._look_closer = characters.ODD.search(text) is not None
        if characters.mostly_not_hangul(text):
            self.findings.notice("few_hangul", line=head.line + 1)
        self._seen = 0
        if all(self._row(record, columns) for record in records):
            self._missing_ids()
        self._duplicates()
        if self.limits.max_total is not None and self._length > self.limits.max_total:
            self.findings.problem(
                "total_too_long", length=self._length, limit=self.limits.max_total
            )

    def _is_written(self, record: Record) -> bool:
        """Whether a record before the header is it; too many blank ones end the search."""
        self._seen += 1
        rows, columns = self.limits.max_rows, self.limits.max_columns
        too_many = (rows is not None and self._seen > rows) or (
            columns is not None and len(record.cells) > columns
        )
        if not record.blank or record.broken or too_many:
            return True
        self.findings.notice("blank_line", line=record.line)
        return False

    def _row(self, record: Record, columns: Columns) -> bool:
        """Take one record; False where reading has to stop."""
        self._seen += 1
        if self.limits.max_rows is not None and self._seen > self.limits.max_rows:
            self.findings.problem(
                "too_many_rows", line=record.line, whole_file=True, limit=self.limits.max_rows
            )
            return False
        if record.broken:
            self.rows += 1
            return self._broken(record)
        if record.blank:
            self.findings.notice("blank_line", line=record.line)
            return True
        self.rows += 1
        if len(record.cells) != columns.fields:
            self._wrong_count(record, columns)
            return True
        example_id = self._id(record.cells[columns.id_at], record.line)
        text = self._summary(record.cells[columns.summary_at], record.line, example_id)
        if example_id in self.expected:
            self._lines.setdefault(example_id, []).append(record.line)
            if self.texts.setdefault(example_id, text) != text:
                self._differing.add(example_id)
        return True

    def _broken(self, record: Record) -> bool:
        """A record that is no CSV; False where nothing behind it can be read."""
        too_wide = record.broken == "too_many_columns"
        stops = too_wide or record.broken == "unclosed_quote"
        for cell in record.cells:
            self._remember(cell.partition(",")[0].strip())
        self.findings.problem(
            record.broken, line=record.line, whole_file=too_wide, limit=self.limits.max_columns
        )
        return not stops

    def _wrong_count(self, record: Record, columns: Columns) -> None:
        found = len(record.cells)
        code = "too_few_fields" if found < columns.fields else "too_many_fields"
        example_id = record.cells[columns.id_at].strip() if found > columns.id_at else ""
        self._remember(example_id)
        # With the summary in the last column, the surplus commas can only be its own.
        fixable = found > columns.fields and columns.summary_at == columns.fields - 1
        self.findings.problem(
            code,
            line=record.line,
            example_id=example_id if example_id in self.expected else None,
            fixable=fixable,
            found=found,
            expected=columns.fields,
        )

    def _remember(self, example_id: str) -> None:
        """A broken row still names its id, which therefore is not missing."""
        if example_id in self.expected:
            self._lines.setdefault(example_id, [])

    def _id(self, cell: str, line: int) -> str:
        """The id as it is compared, with a problem if the contest has no such id."""
        if len(cell) > _ID_CHARACTERS:
            self.findings.problem("id_too_long", line=line, length=len(cell), limit=_ID_CHARACTERS)
            return ""
        example_id = unicodedata.normalize("NFC", cell.strip())
        if example_id in self.expected:
            if example_id != cell and cell != cell.strip():
                self.findings.notice("id_spaces", line=line, example_id=example_id)
        elif not example_id:
            self.findings.problem("empty_id", line=line)
        else:
            self._unknown(example_id, line)
        return example_id

    def _unknown(self, example_id: str, line: int) -> None:
        shown = escaped(example_id, _ID_SHOWN)
        place = partial(self.findings.problem, line=line, example_id=shown)
        if example_id in self._dev:
            place("dev_split", shown=shown)
            return
        meant = self._alike.get(characters.loose_spelling(example_id))
        place("unknown_id", shown=f"{shown} (→ {meant}?)" if meant else shown)

    @cached_property
    def _dev(self) -> frozenset[str]:
        return frozenset(unicodedata.normalize("NFC", one) for one in self._dev_ids())

    @cached_property
    def _alike(self) -> dict[str, str]:
        """Expected ids by a loose spelling, to guess what an unknown id meant."""
        return {characters.loose_spelling(example_id): example_id for example_id in self.expected}

    def _summary(self, cell: str, line: int, example_id: str) -> str:
        """The text to score, after every check on its characters."""
        limits, problem = (
            self.limits,
            partial(self.findings.problem, line=line, example_id=example_id or None),
        )
        text = characters.normalized(cell, limits.max_cell)
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
        elif len(text) < _LONGEST_NAN and text.strip().casefold() in _LITERAL_NAN:
            shown = f"“{text.strip()}”"
            self.findings.notice("literal_nan", line=line, example_id=example_id, shown=shown)
        if self._look_closer:
            self._odd_characters(text, line, example_id)
        return text

    def _odd_characters(self, text: str, line: int, example_id: str) -> None:
        if "\0" in text:
            position = text.index("\0") + 1
            self.findings.problem(
                "nul_character", line=line, example_id=example_id or None, position=position
            )
        for code in characters.odd_kinds(text):
            self.findings.notice(code, line=line, example_id=example_id)

    def _duplicates(self) -> None:
        """An id that came twice is one problem, with all its lines."""
        for example_id, lines in self._lines.items():
            if len(lines) < 2:
                continue
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

    def notice_texts(self) -> None:
        """What one sees only over all summaries: the sample's sentence, one text for most rows."""
        times = Counter(text for text in self.texts.values() if text)
        samples = sum(times.pop(text, 0) for text in SAMPLE_TEXTS.values())
        if samples:
            self.findings.notice("sample_text", count=samples)
        most = max(times.values(), default=0)
        if most >= _FEWEST_SAME and most * 2 > len(self.texts):
            self.findings.notice("same_text", count=most)

    def _missing_ids(self) -> None:
        missing = [
            example_id for example_id in self.known if self.known[example_id] not in self._lines
        ]
        # All of another split: that nothing of this one is there goes without saying.
        if not missing or (not self._lines and self.findings.has("dev_split")):
            return
        shown = ", ".join(missing[:_MISSING_SHOWN])
        self.findings.problem(
            "missing_ids",
            example_id=missing[0] if len(missing) == 1 else None,
            count=len(missing),
            shown=shown + (" …" if len(missing) > _MISSING_SHOWN else ""),
        )
