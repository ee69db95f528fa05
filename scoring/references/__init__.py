"""Golds: reading them, hashing them, splitting them.

A set is immutable and the same whatever the order of its rows and of the golds in a row.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

from scoring import table
from scoring.characters import nfc
from scoring.findings import Findings, InvalidReferences, Limits, Notice
from scoring.references import files as reference_files

Split = Literal["public", "private"]
SPLITS: tuple[Split, ...] = ("public", "private")

# Golds may be large: an organizer's upload has its own cap on bytes, at the door.
DEFAULT_LIMITS = Limits(
    max_bytes=200_000_000, max_rows=None, max_cell=10_000, max_total=None, max_columns=100
)

_DIGITS = re.compile(r"(\d+)")
_EARLIER_SEED = re.compile(r"-?[0-9]{1,19}")


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """One row: its golds, and which half of the board it belongs to (None: not yet drawn)."""

    example_id: str
    references: tuple[str, ...]
    split: str | None = None
    topic: str | None = None


@dataclass(frozen=True)
class References:
    """A set of golds, sorted by id as people count (test_2 before test_10)."""

    examples: tuple[ReferenceRow, ...]
    notices: tuple[Notice, ...] = ()

    @classmethod
    def from_examples(
        cls, examples: Iterable[ReferenceRow], notices: Sequence[Notice] = ()
    ) -> Self:
        """Build a set, NFC and sorted. ValueError where ids repeat, golds lack or splits mix.

        >>> References.from_examples([ReferenceRow("b", ("나",)), ReferenceRow("a", ("가",))]).ids
        ('a', 'b')
        """
        composed = (
            replace(one, example_id=nfc(one.example_id), references=tuple(map(nfc, one.references)))
            for one in examples
        )
        kept = sorted(composed, key=lambda example: natural_key(example.example_id))
        ids = [example.example_id for example in kept]
        if not ids:
            raise ValueError("a reference set needs at least one example")
        if len(set(ids)) != len(ids):
            raise ValueError("an example id appears twice")
        if not all(example.references and all(example.references) for example in kept):
            raise ValueError("every example needs at least one gold, and no empty one")
        splits = {example.split for example in kept}
        if not (splits == {None} or splits <= set(SPLITS)):
            raise ValueError("split is public or private, for every example or for none")
        return cls(tuple(kept), tuple(notices))

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Example ids in the order of the set."""
        return tuple(example.example_id for example in self.examples)

    @cached_property
    def sha256(self) -> str:
        """Hex hash over ids, NFC golds and splits; blind to the order of rows and golds.

        SHA-256 of the UTF-8 JSON list of `[id, split or "", [golds, sorted]]`, sorted by id as a
        string, no blanks between the JSON tokens. Topics move no number and are left out.
        """
        whole = hashlib.sha256()
        before = "["
        for example in sorted(self.examples, key=lambda example: example.example_id):
            row = [example.example_id, example.split or "", sorted(example.references)]
            text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
            whole.update((before + text).encode("utf-8"))
            before = ","
        whole.update(b"]")
        return whole.hexdigest()

    @cached_property
    def golds_sha256(self) -> str:
        """The hash without the splits: the same golds under another draw have the same one."""
        undrawn = (replace(example, split=None) for example in self.examples)
        return References(tuple(undrawn)).sha256

    @cached_property
    def ngolds(self) -> tuple[int, int]:
        """The smallest and the largest number of golds of a row."""
        counts = [len(example.references) for example in self.examples]
        return min(counts), max(counts)

    @property
    def is_split(self) -> bool:
        """Whether every row belongs to the public or the private half."""
        return self.examples[0].split is not None

    @cached_property
    def split_sizes(self) -> dict[str, int]:
        """Rows per split: `all`, and `public` and `private` where the set is split."""
        sizes = {"all": len(self.examples)}
        if self.is_split:
            for split in SPLITS:
                sizes[split] = sum(example.split == split for example in self.examples)
        return sizes

    def written(self) -> bytes:
        """The set as a CSV file, which is read back with the same hash."""
        most = self.ngolds[1]
        topic = ["topic"] if any(row.topic for row in self.examples) else []
        golds = [f"summary{number}" for number in range(1, most + 1)]
        rows = [["fname", "split", *golds, *topic]]
        for row in self.examples:
            texts = [*row.references, *[""] * (most - len(row.references))]
            rows.append([row.example_id, row.split or "", *texts, *[row.topic or ""] * len(topic)])
        return table.written(rows).encode("utf-8-sig")


def read(files: Sequence[tuple[str, bytes]], *, limits: Limits = DEFAULT_LIMITS) -> References:
    """Read golds from `(name, bytes)` files, or raise InvalidReferences with all problems.

    One wide file: `fname` (or `id`), `summary1…n` (also `gold…`, `reference…`), optional `split`
    and `topic`. Or several files with one gold column each. Golds per row may differ.
    """
    findings = Findings()
    rows = reference_files.read(files, limits, findings)
    findings.refuse(InvalidReferences, rows=len(rows))
    return References.from_examples(
        (
            ReferenceRow(example_id, tuple(row.golds), row.split or None, row.topic or None)
            for example_id, row in rows.items()
        ),
        findings.notices(),
    )


def natural_key(example_id: str) -> tuple[list[tuple[int, int, str]], str]:
    """Sorts ids as people count, and any two different ids apart."""
    parts = [
        (0, int(part), "") if part.isascii() and part.isdigit() else (1, 0, part)
        for part in _DIGITS.split(example_id)
    ]
    return parts, example_id


def draw_splits(references: References, *, seed: str) -> References:
    """Halve the set at random by a secret seed; an odd set has one more public row.

    Of each topic half the rows become public and half private. The rows left over, one of each
    topic with an odd number, are pooled, and the pool is halved. Topics and pool are shuffled by
    HMAC-SHA-256 under the seed of `topic:id` and `pool:id`, and their first halves are public. So
    the draw depends on the seed, the ids and the topics only, and each topic and the whole are
    balanced within one row. Whoever lacks the seed can say nothing about a row: take at least 128
    random bits, as 32 hexadecimal digits.
    """

    def shuffled(rows: str, ids: Sequence[str]) -> list[str]:
        def place(example_id: str) -> bytes:
            return hmac.digest(seed.encode(), f"{rows}:{example_id}".encode(), "sha256")

        return sorted(ids, key=place)

    topics: dict[str, list[str]] = {}
    for example in references.examples:
        topics.setdefault(example.topic or "", []).append(example.example_id)
    public: list[str] = []
    left_over: list[str] = []
    for ids in topics.values():
        drawn, half = shuffled("topic", ids), len(ids) // 2
        public += drawn[:half]
        left_over += drawn[2 * half :]
    public += shuffled("pool", left_over)[: (len(left_over) + 1) // 2]
    return with_splits(
        references, dict.fromkeys(references.ids, "private") | dict.fromkeys(public, "public")
    )


def draw_again(references: References, seed: str) -> References:
    """The split that a stored seed drew: by `draw_splits`, or as earlier versions drew it.

    Their seeds are whole numbers of up to 19 digits, which can be guessed. This is kept to verify
    their splits, and for contest files that have such a number and no split.
    """
    if not _EARLIER_SEED.fullmatch(seed):
        return draw_splits(references, seed=seed)

    def place(example: ReferenceRow) -> tuple[str, str]:
        drawn = hashlib.sha256(f"{seed}:{example.example_id}".encode())
        return example.topic or "", drawn.hexdigest()

    ordered = sorted(references.examples, key=place)
    return with_splits(
        references, {one.example_id: SPLITS[turn % 2] for turn, one in enumerate(ordered)}
    )


def with_splits(references: References, split_of: Mapping[str, str]) -> References:
    """The same set with the split of each id. KeyError if an id has none."""
    return References.from_examples(
        (replace(example, split=split_of[example.example_id]) for example in references.examples),
        references.notices,
    )
