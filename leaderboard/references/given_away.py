"""Golds in a file for participants: found by the ids and texts of the sets that score them.

A file is read as JSON, JSON lines, and as CSV with each of `,`, `;`, `|` and tab, in UTF-8, UTF-16
or CP949, also inside a ZIP of up to 50 MB unpacked. `scoring.table` does not read it: that refuses
what is no table of ours, and a title line, a stray byte or a blank before a quote must not hide
references. Other formats, two files with ids and texts apart, and references in other words are not
recognized.
"""

import codecs
import csv
import io
import json
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from leaderboard.references.models import Example, ReferenceSet
from leaderboard.references.queries import one_line
from scoring.characters import nfc
from scoring.references import References

MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
DELIMITERS = ",;\t|"
UNPACKED_BYTES = 50_000_000  # of a ZIP; what lies behind is not looked at


@dataclass(frozen=True)
class HiddenGolds:
    """What no participant may read: the texts of each id, and the ids of each text."""

    texts: dict[str, set[str]]
    ids: dict[str, set[str]]

    @classmethod
    def of(cls, rows: Iterable[tuple[str, Sequence[str]]]) -> "HiddenGolds":
        """From ids with their references."""
        texts: dict[str, set[str]] = defaultdict(set)
        ids: dict[str, set[str]] = defaultdict(set)
        for example_id, golds in rows:
            for text in map(one_line, golds):
                texts[example_id].add(text)
                ids[text].add(example_id)
        return cls(dict(texts), dict(ids))

    def given_away_by(self, data: bytes) -> list[str]:
        """The ids whose golds this file gives away, sorted.

        Those that stand in one row with a gold of theirs; else, in a file with a gold of at least
        every second row, all of these: who knows the order needs no ids.
        """
        named: set[str] = set()
        found: set[str] = set()
        for row in _rows(data):
            cells = {one_line(nfc(cell)) for cell in row}
            named.update(one for one in self.texts.keys() & cells if self.texts[one] & cells)
            for text in self.ids.keys() & cells:
                found |= self.ids[text]
        return sorted(named or (found if 2 * len(found) >= len(self.texts) else ()))


def shared(references: References, sets: Iterable[ReferenceSet]) -> list[str]:
    """The ids that stand in these sets too; if none does, those with a text of theirs."""
    others = golds_of(sets)
    return [one for one in references.ids if one in others.texts] or [
        row.example_id
        for row in references.examples
        if not others.ids.keys().isdisjoint(map(one_line, row.references))
    ]


def golds_of(sets: Iterable[ReferenceSet]) -> HiddenGolds:
    rows = Example.objects.filter(reference_set__in=sets)
    return HiddenGolds.of(rows.values_list("example_id", "references").iterator())


def _rows(data: bytes) -> Iterator[list[str]]:
    """The texts of each row, or of each object of a JSON file."""
    if zipfile.is_zipfile(io.BytesIO(data)):
        for member in _members(data):
            yield from _rows_of_text(member)
    else:
        yield from _rows_of_text(data)


def _members(data: bytes) -> Iterator[bytes]:
    left = UNPACKED_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                left -= member.file_size
                if left < 0:
                    return
                yield archive.read(member)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, OSError):
        return  # damaged, or with a password: nobody reads it


def _rows_of_text(data: bytes) -> Iterator[list[str]]:
    text = _decoded(data)
    if text.lstrip()[:1] in ("{", "["):
        yield from _rows_of_json(text)
        return
    for delimiter in DELIMITERS:
        lines = io.StringIO(text, newline="")
        # A blank before a quote is left out, and the quote is one: `t1, "text"`.
        with suppress(csv.Error):  # a cell of over 128 KB: no table of short texts
            yield from csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _decoded(data: bytes) -> str:
    for coding in ("utf-16",) if data.startswith(MARKS) else ("utf-8-sig", "cp949"):
        try:
            return data.decode(coding)
        except UnicodeError:
            continue
    return data.decode(errors="replace")


def _rows_of_json(text: str) -> Iterator[list[str]]:
    try:
        values = [json.loads(text)]
    except (ValueError, RecursionError):
        values = []
        for line in text.splitlines():
            try:
                values.append(json.loads(line))
            except (ValueError, RecursionError):
                continue
    while values:
        value = values.pop()
        if isinstance(value, dict):
            for key, inner in value.items():
                yield [str(key), *_texts(inner)]  # {id: text}
            yield [text for inner in value.values() for text in _texts(inner)]
            values += value.values()
        elif isinstance(value, list):
            if value and not any(isinstance(inner, (dict, list)) for inner in value):
                yield list(_texts(value))
            values += (inner for inner in value if isinstance(inner, (dict, list)))


def _texts(value: object) -> Iterator[str]:
    """A text, or those of a list or an object."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        inside = value.values() if isinstance(value, dict) else value
        yield from (inner for inner in inside if isinstance(inner, str))
