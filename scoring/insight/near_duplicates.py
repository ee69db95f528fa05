"""Which files hold the same answers as others, more than chance would have it.

Every answer becomes eight bytes, so comparing all files with each other compares no text. Answers
that everybody may have, such as a baseline's, are set aside first: they say nothing about copying.
What is found is for a person to look at; nothing follows from it.
"""

import math
import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import combinations, pairwise
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from scoring.characters import nfc

# What stays is what a reader would call the words: no case, no spacing, no punctuation.
IGNORED = re.compile(r"[\W_]+")
EMPTY = 0
# An answer is common if at least half of all owners give it, and so many; or if more than MANY do.
FEW, MANY = 4, 50
EVIDENCE = 50  # one row in so many must be equal before a pair is worth a look
# A share is of so many rows at least, and of one in LEFT of all; of small sets half is enough.
FEWEST_LEFT, LEFT = 5, 10
THRESHOLD = 0.30
# Of fewer owners, those who copied would make chance look likely.
OWNERS_FOR_CHANCE = 20
MISTAKES = 0.01  # how often chance alone may find a pair in a whole contest
ALIKE = 95.0  # percent; of 300 pairs of people's summaries 99 % were below 91.4

Hashes = NDArray[np.uint64]
Mask = NDArray[np.bool_]
Places = NDArray[np.intp]


class Pair(NamedTuple):
    """Two files of different owners, by their places in the list that was compared.

    `equal` of `compared` rows are the same after `set_aside` were left out. `whole`: every row of
    the two files is the same. `chance`: how many rows any two owners share on the average.
    """

    first: int
    second: int
    equal: int
    compared: int
    set_aside: int
    whole: bool
    chance: float

    @property
    def share(self) -> float:
        """Of the rows that were compared, how many are equal: from 0 to 1."""
        return self.equal / self.compared if self.compared else 0.0


def normalized(text: str) -> str:
    """What of an answer counts for likeness: NFC, one case, letters and digits alone.

    >>> normalized("민수는  내일, 지우를 만난다!") == normalized("민수는 내일 지우를 만난다.")
    True
    """
    return IGNORED.sub("", nfc(text).casefold())


def hash_rows(texts: Mapping[str, str], ids: Sequence[str]) -> Hashes:
    """One hash a row, in the order of `ids`; a row without a letter or digit is EMPTY."""
    shown = (normalized(texts.get(name, "")).encode() for name in ids)
    digests = (one and blake2b(one, digest_size=8).digest() for one in shown)
    found = [int.from_bytes(one, "big") or 1 if one else EMPTY for one in digests]
    return np.array(found, dtype=np.uint64)


def alike(one: Mapping[str, str], other: Mapping[str, str], ids: Sequence[str]) -> list[str]:
    """The rows in which two files say the same or nearly so: what a person then reads.

    >>> alike({"a": "둘은 만난다.", "b": "가"}, {"a": "둘은 만난다", "b": "나"}, ["a", "b"])
    ['a']
    """
    ours, theirs = ([normalized(texts.get(name, "")) for name in ids] for texts in (one, other))
    found = process.cpdist(ours, theirs, scorer=fuzz.ratio, score_cutoff=ALIKE)
    return [
        name
        for name, text, percent in zip(ids, ours, found.tolist(), strict=True)
        if text and percent >= ALIKE
    ]


def similar(
    owners: Sequence[Hashable],
    files: Sequence[Hashes],
    baselines: Sequence[Hashes] = (),
    *,
    threshold: float = THRESHOLD,
) -> list[Pair]:
    """The pairs of files of different owners that share more than chance, most equal rows first.

    They share at least `threshold` of the rows in which one of the two says something of its own:
    not what a baseline says in that row, nor what is common there; and more than any two of all
    owners do by chance. Of too few rows that remain nothing is said: two of two are no 100 %. Of
    two files with all rows equal, the baselines' answers alone are set aside: one and the same file
    from half a class is no common answer.

    baselines: files whose answers anybody may have, also the dialogues' first turns.
    """
    if len(files) < 2:
        return []
    rows = np.stack(files)
    codes = {owner: code for code, owner in enumerate(dict.fromkeys(owners))}
    by = np.array([codes[owner] for owner in owners])
    unlike = rows != EMPTY
    for hashes in baselines:
        unlike &= rows != hashes
    answers = _answers(rows, by, unlike)
    by_places = {
        (pair.first, pair.second): pair for pair in _overlaps(rows, by, answers, threshold)
    }
    for pair in _whole_files(rows, by, unlike, answers.mean):
        by_places[pair.first, pair.second] = pair
    return sorted(
        by_places.values(), key=lambda pair: (-pair.equal, -pair.share, pair.first, pair.second)
    )


def _fewest_left(rows: int) -> int:
    return max(min(FEWEST_LEFT, -(-rows // 2)), -(-rows // LEFT))


class _Answers(NamedTuple):
    """own: where a file says something of its own. members: files that share an answer with
    others, answer by answer; each answer's begin at `starts`. mean, limit: how many rows two owners
    share if all shared alike, and what chance reaches.
    """

    own: Mask
    members: Places
    starts: Places
    mean: float
    limit: float


def _answers(rows: Hashes, by: Places, own: Mask) -> _Answers:
    """Group the files of each row by what they say, without what is common there."""
    own = own.copy()
    owners = int(by.max()) + 1
    common = min(max(FEW, -(-owners // 2)), MANY + 1)
    members, sizes, agreeing = [], [], np.zeros(rows.shape[1])
    for place, column in enumerate(rows.T):
        order = np.lexsort((by, column))
        said, sayers = column[order], by[order]
        new = np.r_[True, said[1:] != said[:-1]]
        answer = np.cumsum(new) - 1
        first = new | np.r_[True, sayers[1:] != sayers[:-1]]  # each owner counts once
        times = np.bincount(answer[first])
        tells = own[order, place]
        is_common = (times >= common)[answer]
        own[order[is_common], place] = False
        kept = tells & ~is_common & (times > 1)[answer]
        members.append(order[kept])
        counted = np.bincount(answer[kept])
        sizes.append(counted[counted > 0])
        numbers = times[np.flatnonzero(counted)].astype(float)
        agreeing[place] = (numbers * (numbers - 1)).sum()
    starts = np.r_[0, np.cumsum(np.concatenate(sizes))].astype(np.intp)
    return _Answers(own, np.concatenate(members), starts, *_chance(agreeing, owners))


def _chance(agreeing: NDArray[np.float64], owners: int) -> tuple[float, float]:
    """From how many ordered pairs of owners agree in each row."""
    if owners < 2:
        return 0.0, 0.0
    likely = agreeing / (owners * (owners - 1))
    mean = float(likely.sum())
    if owners < OWNERS_FOR_CHANCE:
        return mean, 0.0
    deviations = NormalDist().inv_cdf(1 - MISTAKES / math.comb(owners, 2))
    spread = math.sqrt(float((likely * (1 - likely)).sum()))
    return mean, mean + deviations * spread


def _overlaps(rows: Hashes, by: Places, answers: _Answers, threshold: float) -> Iterator[Pair]:
    least = max(1, rows.shape[1] // EVIDENCE, answers.limit)
    fewest = _fewest_left(rows.shape[1])
    numbers = answers.own.sum(axis=1)
    for first, equal in _shared(len(rows), answers):
        strong = (equal >= least) & (equal >= threshold * np.maximum(numbers, numbers[first]))
        strong[: first + 1] = False
        strong &= by != by[first]
        for second in np.flatnonzero(strong).tolist():
            left = int((answers.own[first] | answers.own[second]).sum())
            if left >= fewest and equal[second] >= threshold * left:
                whole = bool((rows[first] == rows[second]).all())
                aside, chance = rows.shape[1] - left, answers.mean
                yield Pair(first, second, int(equal[second]), left, aside, whole, chance)


def _shared(files: int, answers: _Answers) -> Iterator[tuple[int, Places]]:
    """For each file that shares an answer: how many it shares with each of all files."""
    members, starts = answers.members, answers.starts
    sizes = np.diff(starts)
    group = np.repeat(np.arange(len(sizes)), sizes)
    order = np.argsort(members, kind="stable")
    ends = np.searchsorted(members[order], np.arange(files + 1))
    for file, (begin, end) in enumerate(pairwise(ends.tolist())):
        if begin == end:
            continue
        mine = group[order[begin:end]]
        lengths = sizes[mine]
        # The members of all these answers, one answer after the other.
        offsets = np.repeat(starts[mine] - np.r_[0, np.cumsum(lengths)[:-1]], lengths)
        yield file, np.bincount(members[offsets + np.arange(len(offsets))], minlength=files)


def _whole_files(rows: Hashes, by: Places, unlike: Mask, chance: float) -> Iterator[Pair]:
    same: dict[bytes, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        same[row.tobytes()].append(place)
    width = rows.shape[1]
    for places in same.values():
        left = int(unlike[places[0]].sum())
        if left < _fewest_left(width):
            continue
        for first, second in combinations(places, 2):
            if by[first] != by[second]:
                yield Pair(first, second, left, left, width - left, True, chance)
