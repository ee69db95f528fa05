"""ROUGE for many rows at once, bit-equal to `definition` and to the rouge-score package.

Golds are indexed once. Each n-gram of a row's golds gets a number of its own, built up from the
number of its first n-1 tokens and its last token, so keys stay small for any n and vocabulary.
A prediction's n-grams are looked up, counted with `bincount`, clipped against a table (n-grams of
the row x golds of the row) and summed per row. rapidfuzz measures the longest
common subsequences on strings with one character per token, which it compares three times as fast
where all are among the first 255: so a token is a number among those of its row's golds.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cpdist

from scoring.metrics.definition import ReferenceAggregation

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

UNKNOWN = -1

# 2**64 divided by the golden ratio: Knuth's multiplicative hashing, the top bits are the place.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Lookup:
    """Sorted distinct keys and where each stands: a table of guesses before a binary search.

    Most keys are settled by the guess, which is several times faster: no processor predicts the
    branches of a binary search.

    guesses: a power of two of them, four to eight per key. Where a key hashes to stands its
    position, or that of another key that hashes there too; UNKNOWN says that none does.
    """

    keys: Ints
    guesses: NDArray[Any]

    @classmethod
    def of(cls, keys: Ints) -> Self:
        """Index sorted distinct keys.

        >>> Lookup.of(np.array([10, 20])).find(np.array([20, 30, 10])).tolist()
        [1, -1, 0]
        """
        size = 1 << (4 * len(keys)).bit_length()
        guesses = np.full(size, UNKNOWN, dtype=np.int16 if len(keys) < 2**15 else np.int32)
        guesses[_place(keys, size)] = np.arange(len(keys))
        return cls(keys, guesses)

    def find(self, wanted: Ints) -> Ints:
        """Position of each wanted key, UNKNOWN where it is no key."""
        if not len(self.keys):
            return np.full(len(wanted), UNKNOWN)
        found = self.guesses.take(_place(wanted, len(self.guesses))).astype(np.int64)
        wrong = np.flatnonzero(self.keys.take(found) != wanted)
        unsettled = wrong.compress(found.take(wrong) != UNKNOWN)
        found[wrong] = UNKNOWN
        rest = wanted.take(unsettled)
        place = np.searchsorted(self.keys, rest).clip(max=len(self.keys) - 1)
        found[unsettled] = np.where(self.keys.take(place) == rest, place, UNKNOWN)
        return found


def _place(keys: Ints, size: int) -> Ints:
    """Where a key hashes to, of `size` places."""
    shift = np.uint64(65 - size.bit_length())
    hashed: Ints = ((keys.view(np.uint64) * _MULTIPLIER) >> shift).view(np.int64)
    return hashed


# Tokens become characters from U+0001 on, around the surrogates; U+0000 stands for any token that
# no gold of the row has.
_SURROGATES_START, _SURROGATES_SIZE = 0xD800, 0x800


class Vocabulary:
    """Numbers for tokens; only golds add to it."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, texts: Sequence[Sequence[str]]) -> "NumberedTokens":
        """Numbers of golds' tokens, new ones where needed."""
        ids = self._ids
        for token in chain.from_iterable(texts):
            if token not in ids:
                ids[token] = len(ids)
        return self.look_up(texts)

    def look_up(self, texts: Sequence[Sequence[str]]) -> "NumberedTokens":
        """Numbers of any tokens; UNKNOWN for those that no gold has."""
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        flat = chain.from_iterable(texts)
        ids = np.fromiter(
            map(self._ids.get, flat, repeat(UNKNOWN)), dtype=np.int64, count=int(lengths.sum())
        )
        return NumberedTokens(ids, lengths)


@dataclass(frozen=True)
class NumberedTokens:
    """Token numbers of several texts, one after the other, and the length of each."""

    ids: Ints
    lengths: Ints


@dataclass(frozen=True)
class NgramTable:
    """All n-grams of the golds of a block of rows, for one n.

    numbers: finds the number of an n-gram, 0..M-1, by a key that joins the number of its first
    n-1 tokens and its last token; numbers are sorted by row. counts: M x golds, how often each gold
    of the row has it. ends: rows + 1, the number behind the last n-gram of each row before.
    """

    numbers: Lookup
    counts: NDArray[np.integer[Any]]
    ends: Ints

    def strings(self, numbers: Ints, row: Ints, lengths: Ints) -> list[str]:
        """Texts as strings of one character a token, from the numbers of their tokens.

        row: of each text. UnicodeDecodeError where the golds of a row have over a million different
        tokens.
        """
        points = numbers - np.repeat(self.ends[row] - 1, lengths)
        points[numbers == UNKNOWN] = 0
        points[points >= _SURROGATES_START] += _SURROGATES_SIZE
        whole = points.astype("<u4").tobytes().decode("utf-32-le")
        ends = np.cumsum(lengths).tolist()
        return [whole[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


@dataclass(frozen=True)
class Block:
    """A few dozen rows of golds, ready to be scored against.

    `row` and `slot` place each gold in a table of rows x golds; `present` tells which places of it
    are taken, `lengths` how many tokens each place has (0 where there is none).
    """

    size: int
    row: Ints
    slot: Ints
    present: NDArray[np.bool_]
    lengths: Ints
    tables: tuple[NgramTable, ...]
    strings: list[str]

    def aggregated(self, values: Floats, how: ReferenceAggregation) -> Floats:
        """Rows x golds to one value per row, as `definition.aggregated` to the last bit."""
        if how == "max":
            return np.asarray(np.where(self.present, values, -1.0).max(axis=1))
        added = [math.fsum(row) for row in np.where(self.present, values, 0.0).tolist()]
        return np.asarray(np.asarray(added) / self.present.sum(axis=1))


class Overlaps(NamedTuple):
    """Shared n-grams or LCS lengths (rows x golds), and the counts to divide by.

    candidate: rows. reference: rows x golds.
    """

    shared: Ints
    candidate: Ints
    reference: Ints


def index(golds: Sequence[Sequence[Sequence[str]]], vocabulary: Vocabulary, n: int) -> Block:
    """Index the golds' tokens of a block of rows, for n-grams up to length n; n is 1 at least."""
    counts = np.fromiter(map(len, golds), dtype=np.int64, count=len(golds))
    row = np.repeat(np.arange(len(golds)), counts)
    slot = np.concatenate([np.arange(count) for count in counts])
    tokens = vocabulary.add([gold for row_references in golds for gold in row_references])
    width = int(counts.max())
    lengths = np.zeros((len(golds), width), dtype=np.int64)
    lengths[row, slot] = tokens.lengths
    size = len(vocabulary)
    tables = tuple(_tables(tokens, row, slot, lengths.shape, size, n))
    of_row = np.repeat(row, tokens.lengths)
    numbers = tables[0].numbers.find(_keys(of_row, of_row, tokens.ids, 1, size))
    return Block(
        size=size,
        row=row,
        slot=slot,
        present=np.arange(width) < counts[:, None],
        lengths=lengths,
        tables=tables,
        strings=tables[0].strings(numbers, row, tokens.lengths),
    )


def _tables(
    tokens: NumberedTokens, row: Ints, slot: Ints, shape: tuple[int, ...], size: int, n: int
) -> Iterator[NgramTable]:
    owner = np.repeat(np.arange(len(tokens.lengths)), tokens.lengths)
    rows, width = shape
    numbers = row[owner]
    for length in range(1, n + 1):
        keys = _keys(numbers, owner, tokens.ids, length, size)
        inside = np.flatnonzero(keys != UNKNOWN)
        unique, first, inverse = np.unique(keys[inside], return_index=True, return_inverse=True)
        numbers = np.full(len(keys), UNKNOWN)
        numbers[inside] = inverse
        gold = owner[inside]
        counts = np.bincount(inverse * width + slot[gold], minlength=len(unique) * width)
        row_of_key = row[gold[first]]
        yield NgramTable(
            numbers=Lookup.of(unique),
            # The smallest type that holds them: large files keep millions.
            counts=counts.reshape(len(unique), width).astype(
                np.min_scalar_type(int(counts.max(initial=0)))
            ),
            ends=np.searchsorted(row_of_key, np.arange(rows + 1)),
        )


def _keys(numbers: Ints, owner: Ints, ids: Ints, length: int, size: int) -> Ints:
    """Key of the n-gram that starts at each position, UNKNOWN where no gold can have it.

    `numbers` are those of the (n-1)-grams; for single tokens the number of their row.
    """
    starts = max(len(ids) - length + 1, 0)
    last = ids[length - 1 :]
    known = (owner[:starts] == owner[length - 1 :]) & (numbers[:starts] != UNKNOWN)
    known &= last != UNKNOWN
    return np.where(known, numbers[:starts] * size + last, UNKNOWN)


def overlaps(
    block: Block, tokens: NumberedTokens, families: Iterable[int | None]
) -> list[Overlaps]:
    """Overlaps of one prediction per row with each gold: per n of the n-grams, None for the LCS."""
    # A token that only golds of later blocks have would be mistaken for another key here.
    tokens = NumberedTokens(np.where(tokens.ids < block.size, tokens.ids, UNKNOWN), tokens.lengths)
    owner = np.repeat(np.arange(len(tokens.lengths)), tokens.lengths)
    single = block.tables[0].numbers.find(_keys(owner, owner, tokens.ids, 1, block.size))
    shared = list(_shared_ngrams(block, tokens, owner, single))
    found = []
    for n in families:
        if n is None:
            common = _common_lengths(block, tokens, single)
            found.append(Overlaps(common, tokens.lengths, block.lengths))
        else:
            found.append(
                Overlaps(
                    shared[n - 1],
                    np.maximum(tokens.lengths - n + 1, 0),
                    np.maximum(block.lengths - n + 1, 0),
                )
            )
    return found


def _shared_ngrams(
    block: Block, tokens: NumberedTokens, owner: Ints, single: Ints
) -> Iterator[Ints]:
    """For n = 1, 2, ...: clipped counts of shared n-grams, rows x golds.

    owner, single: the row of each token, and its number among those of its row's golds.
    """
    numbers = single
    for length, table in enumerate(block.tables, start=1):
        if length > 1:
            keys = _keys(numbers, owner, tokens.ids, length, block.size)
            numbers = table.numbers.find(keys)
        ours = np.bincount(numbers + 1, minlength=len(table.counts) + 1)[1:]  # without UNKNOWN
        shared = np.flatnonzero(ours > 0)
        clipped = np.minimum(ours.take(shared)[:, None], table.counts.take(shared, axis=0))
        added = np.zeros((len(shared) + 1, clipped.shape[1]), dtype=np.int64)
        np.cumsum(clipped, axis=0, out=added[1:])
        yield np.diff(added[np.searchsorted(shared, table.ends)], axis=0)


def _common_lengths(block: Block, tokens: NumberedTokens, single: Ints) -> Ints:
    """Lengths of the longest common subsequences, rows x golds. single: as for the n-grams."""
    rows = np.arange(len(tokens.lengths))
    ours = block.tables[0].strings(single, rows, tokens.lengths)
    lengths = np.zeros(block.lengths.shape, dtype=np.int64)
    lengths[block.row, block.slot] = cpdist(
        [ours[row] for row in block.row.tolist()],
        block.strings,
        scorer=LCSseq.similarity,
        dtype=np.int64,
    )
    return lengths
