"""Labels that people gave: reading their CSV, with every problem and its line."""

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from scoring import table
from scoring.characters import nfc
from scoring.findings import Findings, InvalidFile, Limits, Notice, escaped
from scoring.messages import TEXTS, _
from scoring.table import Record, unmarked

NEEDED = ("example_id", "kind", "item_id", "rater", "label")
ROW = "row"
YES = ("yes", "true", "1")
# `unsure` is not `yes`: so the scores count it.
NO = ("no", "false", "0")
ALLOWED = {
    "claim": (*YES, *NO, "unsure"),
    "question": (*YES, *NO),
    "content": (*YES, *NO),
    "adherence": (*YES, *NO),
}
KINDS = (*ALLOWED, ROW)
# Metrics of one row that a person can score; the first is meant where none is named.
METRICS = ("summarization", "alignment", "coverage", "completeness", "adherence")
LONGEST = 40  # of an item's id, and of a rater's name
MOST_ROWS = 2_000  # (submission, example) pairs with row labels; ranks compare all their pairs
LIMITS = Limits(
    max_bytes=60_000_000, max_rows=100_000, max_cell=20_000, max_total=None, max_columns=30
)

# Their sentences, beside those of all other files.
TEXTS.update(
    {
        "no_labels": _("There are no labels."),
        "without_label": _("Rows without a label were skipped: {count:,}."),
        "bad_kind": _("kind is one of {allowed}."),
        "bad_label": _("The label of a {kind} row is one of {allowed}."),
        "bad_row_label": _("The label of a row is a number from 0 to 1."),
        "bad_metric": _("The item_id of a row label is one of {allowed}."),
        "bad_item_id": _("item_id has 1 to {limit} visible characters."),
        "bad_rater": _("rater has 1 to {limit} visible characters."),
        "unknown_submission": _("Not a submission that was judged under this config: {shown}"),
        "which_submission": _(
            "{count:,} submissions were judged, so the submission cell is needed."
        ),
        "labelled_twice": _("The same rater labelled the same item before, on line {first}."),
        "too_many_labelled_rows": _(
            "Row labels are accepted for {limit:,} rows. Reading stopped here."
        ),
    }
)


class InvalidLabels(InvalidFile):
    """A file of labels that cannot be used; written for organizers."""


@dataclass(frozen=True)
class PersonsLabel:
    """What one person said of one item of one summary: 0 or 1, or a row's score from 0 to 1."""

    submission: str
    example_id: str
    kind: str
    item_id: str
    rater: str
    value: float

    @property
    def about(self) -> tuple[str, str, str, str]:
        """What was labelled, whoever did it."""
        return (self.submission, self.example_id, self.kind, self.item_id)


def is_name(text: str) -> bool:
    """Whether this can name an item or a rater.

    >>> is_name("김"), is_name(""), is_name("a\\u202eb")
    (True, False, False)
    """
    return 0 < len(text) <= LONGEST and text.isprintable()


def read(
    data: bytes, *, submissions: Collection[str], example_ids: Collection[str]
) -> tuple[tuple[PersonsLabel, ...], tuple[Notice, ...]]:
    """The labels in the file's order and its notices; InvalidLabels has all problems.

    `submissions` are the ids of the judged ones: the column may be left out where there is one.
    Other columns are not read, nor are rows without a label: few people label a whole file.

    >>> text = b"example_id,kind,item_id,rater,label\\nt1,claim,c1,kim,yes\\n"
    >>> read(text, submissions=["s"], example_ids=["t1"])[0][0].value
    1.0
    """
    findings = Findings()
    file = table.opened(data, LIMITS, findings, needed=", ".join(NEEDED))
    table.remark_delimiter(file, findings)
    columns = file.head and _header(file.head, findings)
    labels: list[PersonsLabel] = []
    if columns:
        records = (record for record in file.rows if not record.blank)
        reader = _Reader(columns, submissions, example_ids, findings)
        labels = reader.labels(records)
        if not labels and not findings.total:
            findings.problem("no_labels")
    findings.refuse(InvalidLabels, file.text)
    return tuple(labels), findings.notices()


def _header(head: Record, findings: Findings) -> Mapping[str, int] | None:
    """Where each column stands; None with a problem where one is missing or there twice."""
    optional = ["submission"] if "submission" in head.keys else []
    if table.columns(head, [*NEEDED, *optional], findings) is None:
        return None
    return {name: place for place, name in enumerate(head.keys)}


class _Reader:
    """Reads the rows of one file; each cell is checked by the method of its name."""

    def __init__(
        self,
        columns: Mapping[str, int],
        submissions: Collection[str],
        example_ids: Collection[str],
        findings: Findings,
    ) -> None:
        self.columns = columns
        self.submissions = {one.lower() for one in submissions}
        self.example_ids = set(example_ids)
        self.findings = findings
        self.lines: dict[tuple[str, ...], int] = {}

    def labels(self, records: Iterator[Record]) -> list[PersonsLabel]:
        found: list[PersonsLabel] = []
        rows: set[tuple[str, str]] = set()
        for number, record in enumerate(records, start=1):
            if LIMITS.max_rows is not None and number > LIMITS.max_rows:
                self.findings.problem("too_many_rows", line=record.line, limit=LIMITS.max_rows)
                break
            label = self._label(record)
            if label is None:
                continue
            if label.kind == ROW:
                rows.add((label.submission, label.example_id))
            if len(rows) > MOST_ROWS:
                self.findings.problem("too_many_labelled_rows", line=record.line, limit=MOST_ROWS)
                break
            found.append(label)
        return found

    def _label(self, record: Record) -> PersonsLabel | None:
        if not table.is_whole(record, len(self.columns), LIMITS, self.findings):
            return None
        if not self._cell(record, "label"):
            self.findings.notice("without_label", line=record.line)
            return None
        before = self.findings.total
        kind = self._kind(record)
        about = (
            self._submission(record),
            self._example(record),
            kind,
            self._item(record, kind),
            self._name(record, "rater", "bad_rater"),
        )
        value = self._value(record, kind)
        if self.findings.total > before:
            return None
        first = self.lines.setdefault(about, record.line)
        if first != record.line:
            self.findings.problem(
                "labelled_twice", line=record.line, example_id=escaped(about[1], 60), first=first
            )
            return None
        return PersonsLabel(*about, value)

    def _written(self, record: Record, name: str) -> str:
        """The cell as it stands there; empty where there is no such column."""
        if name not in self.columns:
            return ""
        return nfc(record.cells[self.columns[name]].strip()[:1_000])

    def _cell(self, record: Record, name: str) -> str:
        """The cell without the mark that our own CSVs put before what could be a formula."""
        return unmarked(self._written(record, name))

    def _submission(self, record: Record) -> str:
        cell = self._cell(record, "submission").lower()
        if not cell and len(self.submissions) == 1:
            return next(iter(self.submissions))
        if not cell:
            self.findings.problem("which_submission", line=record.line, count=len(self.submissions))
        elif cell not in self.submissions:
            self.findings.problem("unknown_submission", line=record.line, shown=escaped(cell, 60))
        return cell

    def _example(self, record: Record) -> str:
        cell, written = self._cell(record, "example_id"), self._written(record, "example_id")
        if cell not in self.example_ids and written in self.example_ids:
            return written  # an id that itself begins with such a mark
        shown = escaped(cell, 60)
        if not cell:
            self.findings.problem("empty_id", line=record.line)
        elif cell not in self.example_ids:
            self.findings.problem("unknown_id", line=record.line, example_id=shown, shown=shown)
        return cell

    def _kind(self, record: Record) -> str:
        cell = self._cell(record, "kind").casefold()
        if cell not in KINDS:
            self.findings.problem("bad_kind", line=record.line, allowed=", ".join(KINDS))
        return cell

    def _item(self, record: Record, kind: str) -> str:
        if kind != ROW:
            return self._name(record, "item_id", "bad_item_id")
        cell = self._cell(record, "item_id").casefold() or METRICS[0]
        if cell not in METRICS:
            self.findings.problem("bad_metric", line=record.line, allowed=", ".join(METRICS))
        return cell

    def _name(self, record: Record, column: str, code: str) -> str:
        cell = self._cell(record, column)
        if not is_name(cell):
            self.findings.problem(code, line=record.line, limit=LONGEST)
        return cell

    def _value(self, record: Record, kind: str) -> float:
        cell = self._cell(record, "label").casefold()
        if kind == ROW:
            return self._score(record, cell)
        allowed = ALLOWED.get(kind)
        if allowed is not None and cell not in allowed:
            self.findings.problem(
                "bad_label", line=record.line, kind=kind, allowed=", ".join(allowed)
            )
        return float(cell in YES)

    def _score(self, record: Record, cell: str) -> float:
        try:
            score = float(cell) if cell.isascii() and len(cell) <= 20 else math.nan
        except ValueError:
            score = math.nan
        if not 0 <= score <= 1:
            self.findings.problem("bad_row_label", line=record.line)
        return score
