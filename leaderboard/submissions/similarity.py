"""How many answers two files share. Nothing but texts goes in: no database, no clock.

Every answer becomes eight bytes, so comparing all files with each other compares no text. Answers
that everybody may have, such as a baseline's, are set aside first: they say nothing about copying.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

# What stays is what a reader would call the words: no case, no spacing, no punctuation.
IGNORED = re.compile(r"[\W_]+")
EMPTY = 0
COMMON_OWNERS = 4  # fewer with the same answer are no crowd, however few take part
EVIDENCE = 50  # one row in so many must be equal before a pair is worth a look

Hashes = NDArray[np.uint64]
Mask = NDArray[np.bool_]
Counts = NDArray[np.int32]


@dataclass(frozen=True)
class Entry:
    """One file: who handed it in, and the hash of each row."""

    owner: Hashable
    hashes: Hashes


@dataclass(frozen=True)
class Pair:
    """Two files of different owners, by their places in the list that was compared.

    `equal` of `compared` rows are the same after `set_aside` were left out. `whole`: every row of
    the two files is the same.
    """

    first: int
    second: int
    equal: int
    compared: int
    set_aside: int
    whole: bool

    @property
    def share(self) -> float:
        """Of the rows that were compared, how many are equal: from 0 to 1."""
        return self.equal / self.compared if self.compared else 0.0


def normalized(text: str) -> str:
    """What of an answer counts for likeness: NFC, one case, letters and digits alone.

    >>> normalized("민수는  내일, 지우를 만난다!") == normalized("민수는 내일 지우를 만난다.")
    True
    """
    return IGNORED.sub("", unicodedata.normalize("NFC", text).casefold())


def hash_rows(texts: Mapping[str, str], ids: Sequence[str]) -> Hashes:
    """One hash a row, in the order of `ids`; a row without a letter or digit is EMPTY."""
    return np.array([_hash(normalized(texts.get(name, ""))) for name in ids], dtype=np.uint64)


def _hash(text: str) -> int:
    if not text:
        return EMPTY
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") or 1


def similar(
    entries: Sequence[Entry], baselines: Sequence[Hashes] = (), *, threshold: float = 0.5
) -> list[Pair]:
    """The pairs of files of different owners that share at least `threshold` of what is left.

    Left is a row in which one of the two says something of its own: not what a baseline says in
    that row, nor what at least half of all owners say there (and at least COMMON_OWNERS of them).
    Of two files with all rows equal, the baselines' answers alone are set aside: one and the same
    file from half a class is no common answer. Strongest first.
    """
    if len(entries) < 2:
        return []
    rows = np.stack([entry.hashes for entry in entries])
    codes = {owner: code for code, owner in enumerate({entry.owner for entry in entries})}
    owners = np.array([codes[entry.owner] for entry in entries])
    unlike_baselines = rows != EMPTY
    for hashes in baselines:
        unlike_baselines &= rows != hashes
    own = unlike_baselines & ~_common(rows, owners)
    found = {(pair.first, pair.second): pair for pair in _overlaps(rows, owners, own, threshold)}
    for pair in _whole_files(rows, owners, unlike_baselines):
        found[pair.first, pair.second] = pair
    return sorted(
        found.values(), key=lambda pair: (-pair.share, -pair.equal, pair.first, pair.second)
    )


def _needed(rows: Hashes) -> int:
    _, width = rows.shape
    return max(1, int(width) // EVIDENCE)


def _common(rows: Hashes, owners: NDArray[np.int_]) -> Mask:
    """Where a file says what so many others say in that row that it tells nothing."""
    limit = max(COMMON_OWNERS, -(-len(set(owners.tolist())) // 2))
    mask = np.zeros(rows.shape, dtype=np.bool_)
    for place, column in enumerate(rows.T):
        order = np.lexsort((owners, column))
        said, by = column[order], owners[order]
        new = np.ones(len(said), dtype=np.bool_)  # each owner counts once for each answer
        new[1:] = (said[1:] != said[:-1]) | (by[1:] != by[:-1])
        answers, times = np.unique(said[new], return_counts=True)
        if times.max() >= limit:
            mask[:, place] = np.isin(column, answers[times >= limit])
    return mask


def _overlaps(
    rows: Hashes, owners: NDArray[np.int_], own: Mask, threshold: float
) -> Iterator[Pair]:
    equal = np.zeros((len(rows), len(rows)), dtype=np.int32)
    for column, mine in zip(rows.T, own.T, strict=True):
        places = np.flatnonzero(mine)
        _, answer, times = np.unique(column[places], return_inverse=True, return_counts=True)
        shared = places[times[answer] > 1]  # whoever says what nobody else says is left out
        if shared.size:
            said = column[shared]
            equal[np.ix_(shared, shared)] += said[:, None] == said[None, :]
    numbers = own.sum(axis=1, dtype=np.int32)
    as_numbers = own.astype(np.float32)  # exact: rows are far fewer than 2**24
    both = (as_numbers @ as_numbers.T).astype(np.int32)
    compared = numbers[:, None] + numbers[None, :] - both
    strong = (equal >= _needed(rows)) & (equal >= threshold * compared)
    strong &= np.triu(owners[:, None] != owners[None, :])
    for first, second in np.argwhere(strong).tolist():
        left = int(compared[first, second])
        whole = bool((rows[first] == rows[second]).all())
        yield Pair(first, second, int(equal[first, second]), left, rows.shape[1] - left, whole)


def _whole_files(rows: Hashes, owners: NDArray[np.int_], unlike_baselines: Mask) -> Iterator[Pair]:
    same: dict[bytes, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        same[row.tobytes()].append(place)
    for places in same.values():
        left = int(unlike_baselines[places[0]].sum())
        if left < _needed(rows):
            continue
        for first, second in combinations(places, 2):
            if owners[first] != owners[second]:
                yield Pair(first, second, left, left, rows.shape[1] - left, True)
