"""What differs between two versions. The texts of golds are for owners and editors alone."""

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from uuid import UUID

from leaderboard.references.models import Example, ScoringVersion
from scoring.profile import preset_of
from scoring.signature import part

_WORDS = re.compile(r"\s+|\S+")


class Kind(StrEnum):
    """What happened to a row."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"  # to the other split, with the same golds


@dataclass(frozen=True)
class Piece:
    """Some words of a text; `differs` where the other text has others."""

    text: str
    differs: bool


@dataclass(frozen=True)
class GoldChange:
    """One gold before and after; None where it was added or taken away."""

    before: str | None
    after: str | None

    @cached_property
    def pieces_before(self) -> tuple[Piece, ...]:
        """The earlier text with the words marked that are gone."""
        return tuple(_pieces(self.before, self.after))

    @cached_property
    def pieces_after(self) -> tuple[Piece, ...]:
        """The later text with the words marked that are new."""
        return tuple(_pieces(self.after, self.before))


@dataclass(frozen=True)
class RowChange:
    """One row that differs; a split is empty where the row is not there."""

    example_id: str
    kind: Kind
    split_before: str
    split_after: str
    golds: tuple[GoldChange, ...]


@dataclass(frozen=True)
class Changes:
    """All rows that differ, in the order of the later set, then those that are gone."""

    rows: tuple[RowChange, ...]

    def count(self, kind: str, split: str = "") -> int:
        """How many rows changed in this way, on one side if a split is given."""
        return sum(
            row.kind == kind and split in ("", row.split_after or row.split_before)
            for row in self.rows
        )

    @property
    def added(self) -> int:
        return self.count(Kind.ADDED)

    @property
    def removed(self) -> int:
        return self.count(Kind.REMOVED)

    @property
    def changed(self) -> int:
        return self.count(Kind.CHANGED)

    @property
    def moved(self) -> int:
        return self.count(Kind.MOVED)

    @property
    def same_ids(self) -> bool:
        """Whether every file that fits the one set fits the other."""
        return not self.added and not self.removed


def changes(before: UUID, after: UUID) -> Changes:
    """Compare two reference sets by id; the order of golds in a row changes nothing."""
    if before == after:
        return Changes(())
    old, new = _rows(before), _rows(after)
    found = [_compare(example_id, old.get(example_id), row) for example_id, row in new.items()]
    gone = [
        _compare(example_id, row, None) for example_id, row in old.items() if example_id not in new
    ]
    return Changes(tuple(row for row in (*found, *gone) if row is not None))


@dataclass(frozen=True)
class SettingChange:
    """The preset, what stands beside the total, or the analyzer (with its packages) that differs.

    A name may be empty.
    """

    setting: str
    before: str
    after: str


def setting_changes(before: ScoringVersion, after: ScoringVersion) -> tuple[SettingChange, ...]:
    """How the two count differently, whatever their golds."""
    old, new = before.profile(), after.profile()
    found = []
    if old.with_tokenizer(new.tokenizer).with_beside(()) != new.with_beside(()):
        found.append(SettingChange("preset", preset_of(old) or "", preset_of(new) or ""))
    if old.beside != new.beside:
        names = (", ".join(one.name for one in each.beside) or "–" for each in (old, new))
        found.append(SettingChange("beside", *names))
    analyzers = part(before.signature, "tok"), part(after.signature, "tok")
    if analyzers[0] != analyzers[1]:
        found.append(SettingChange("tokenizer", *analyzers))
    return tuple(found)


Row = tuple[str, tuple[str, ...]]


def _rows(reference_set_id: UUID) -> Mapping[str, Row]:
    rows = Example.objects.filter(reference_set=reference_set_id)
    return {
        example_id: (split, tuple(golds))
        for example_id, split, golds in rows.values_list("example_id", "split", "references")
    }


def _compare(example_id: str, old: Row | None, new: Row | None) -> RowChange | None:
    split_before, golds_before = old or ("", ())
    split_after, golds_after = new or ("", ())
    golds = tuple(_golds(golds_before, golds_after))
    if old is None or new is None:
        kind = Kind.REMOVED if new is None else Kind.ADDED
    elif golds:
        kind = Kind.CHANGED
    elif split_before != split_after:
        kind = Kind.MOVED
    else:
        return None
    return RowChange(example_id, kind, split_before, split_after, golds)


def _golds(before: Sequence[str], after: Sequence[str]) -> Iterator[GoldChange]:
    """The golds that only one side has, paired in their order."""
    gone = list((Counter(before) - Counter(after)).elements())
    new = list((Counter(after) - Counter(before)).elements())
    for place in range(max(len(gone), len(new))):
        yield GoldChange(
            gone[place] if place < len(gone) else None, new[place] if place < len(new) else None
        )


def _pieces(text: str | None, other: str | None) -> Iterator[Piece]:
    """Neighbouring words of one kind as one piece."""
    words, others = _WORDS.findall(text or ""), _WORDS.findall(other or "")
    matcher = difflib.SequenceMatcher(None, words, others, autojunk=False)
    for tag, start, stop, _, _ in matcher.get_opcodes():
        if start < stop:
            yield Piece("".join(words[start:stop]), tag != "equal")
