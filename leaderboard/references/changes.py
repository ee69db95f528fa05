"""What differs between two versions. The texts of references are for owners and editors alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import groupby, starmap, zip_longest
from operator import itemgetter
from typing import NamedTuple
from uuid import UUID

# Not difflib: a team may send texts that take it a second a row, and a page has fifty.
from rapidfuzz.distance import LCSseq

from leaderboard.references.models import Example


class Kind(StrEnum):
    """What happened to a row."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"  # to the other split, with the same references


class Piece(NamedTuple):
    """Some words in a row, all of them in both texts or all of them in this one alone."""

    text: str
    changed: bool


class ReferenceChange(NamedTuple):
    """One reference before and after; None where it was added or taken away."""

    before: str | None
    after: str | None

    @property
    def pieces(self) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
        """Both texts, with the words marked that are gone, and those that are new."""
        return marked_words(self.before or "", self.after or "")


class RowChange(NamedTuple):
    """One row that differs; a split is empty where the row is not there."""

    example_id: str
    kind: Kind
    split_before: str
    split_after: str
    golds: tuple[ReferenceChange, ...]


class Changes(NamedTuple):
    """All rows that differ, in the order of the later set, then those that are gone."""

    rows: tuple[RowChange, ...] = ()

    @property
    def number(self) -> Counter[str]:
        """How many rows changed in each way."""
        return Counter(row.kind for row in self.rows)

    @property
    def same_ids(self) -> bool:
        """Whether every file that fits the one set fits the other."""
        return not self.number.keys() & {Kind.ADDED, Kind.REMOVED}


def changes(before: UUID, after: UUID) -> Changes:
    """Compare two reference sets by id; the order of references in a row changes nothing."""
    if before == after:
        return Changes()
    old, new = _rows(before), _rows(after)
    found = [_compare(example_id, old.get(example_id), row) for example_id, row in new.items()]
    gone = [
        _compare(example_id, row, None) for example_id, row in old.items() if example_id not in new
    ]
    return Changes(tuple(row for row in (*found, *gone) if row is not None))


Row = tuple[str, tuple[str, ...]]


def _rows(reference_set_id: UUID) -> Mapping[str, Row]:
    rows = Example.objects.filter(reference_set=reference_set_id)
    return {
        example_id: (split, tuple(golds))
        for example_id, split, golds in rows.values_list("example_id", "split", "references")
    }


def _compare(example_id: str, old: Row | None, new: Row | None) -> RowChange | None:
    split_before, references_before = old or ("", ())
    split_after, references_after = new or ("", ())
    # The references that only one side has, paired in their order.
    gone = (Counter(references_before) - Counter(references_after)).elements()
    come = (Counter(references_after) - Counter(references_before)).elements()
    golds = tuple(starmap(ReferenceChange, zip_longest(gone, come)))
    if old is None or new is None:
        kind = Kind.REMOVED if new is None else Kind.ADDED
    elif golds:
        kind = Kind.CHANGED
    elif split_before != split_after:
        kind = Kind.MOVED
    else:
        return None
    return RowChange(example_id, kind, split_before, split_after, golds)


def marked_words(before: str, after: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The words of both texts, those marked that only one of them has.

    >>> marked_words("민수는 내일 온다", "민수는 모레 온다")[0][1]
    Piece(text='내일', changed=True)
    """
    left, right = before.split(), after.split()
    gone, come = [True] * len(left), [True] * len(right)
    for step in LCSseq.opcodes(left, right):
        if step.tag == "equal":
            gone[step.src_start : step.src_end] = [False] * (step.src_end - step.src_start)
            come[step.dest_start : step.dest_end] = [False] * (step.dest_end - step.dest_start)
    return _pieces(left, gone), _pieces(right, come)


def _pieces(words: Sequence[str], changed: Sequence[bool]) -> tuple[Piece, ...]:
    """Neighbouring words that are alike as one piece."""
    alike = groupby(zip(words, changed, strict=True), key=itemgetter(1))
    return tuple(Piece(" ".join(word for word, _ in group), key) for key, group in alike)
