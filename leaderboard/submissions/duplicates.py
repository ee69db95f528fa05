"""The duplicates report: which teams handed in the same or nearly the same answers.

Every answer becomes eight bytes, so comparing all files with each other compares no text. Answers
that everybody may have, such as a baseline's, are set aside first: they say nothing about copying.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import combinations

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from leaderboard.competitions.models import Competition
from leaderboard.references.queries import expected_ids, live_version
from leaderboard.submissions.intake import unpack
from leaderboard.submissions.models import Submission, SubmissionText
from leaderboard.teams.models import Team

# What stays is what a reader would call the words: no case, no spacing, no punctuation.
IGNORED = re.compile(r"[\W_]+")
EMPTY = 0
COMMON_OWNERS = 4  # fewer with the same answer are no crowd, however few take part
EVIDENCE = 50  # one row in so many must be equal before a pair is worth a look

Hashes = NDArray[np.uint64]
Mask = NDArray[np.bool_]
Counts = NDArray[np.int32]


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
    owners: Sequence[Hashable],
    files: Sequence[Hashes],
    baselines: Sequence[Hashes] = (),
    *,
    threshold: float = 0.5,
) -> list[Pair]:
    """The pairs of files of different owners that share at least `threshold` of what is left.

    Left is a row in which one of the two says something of its own: not what a baseline says in
    that row, nor what at least half of all owners say there (and at least COMMON_OWNERS of them).
    Of two files with all rows equal, the baselines' answers alone are set aside: one and the same
    file from half a class is no common answer. Strongest first.
    """
    if len(files) < 2:
        return []
    rows = np.stack(files)
    codes = {owner: code for code, owner in enumerate(set(owners))}
    by = np.array([codes[owner] for owner in owners])
    unlike_baselines = rows != EMPTY
    for hashes in baselines:
        unlike_baselines &= rows != hashes
    own = unlike_baselines & ~_common(rows, by)
    found = {(pair.first, pair.second): pair for pair in _overlaps(rows, by, own, threshold)}
    for pair in _whole_files(rows, by, unlike_baselines):
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


MOST = 1000  # files that one report compares
THRESHOLD = 0.5


@dataclass(frozen=True)
class Likeness:
    """The two most alike files of two teams, the earlier one first.

    `others` is how many more pairs of files of these two teams are as alike or nearly so.
    `same_bytes`: one file, sent twice.
    """

    first: Submission
    second: Submission
    pair: Pair
    others: int

    @property
    def files(self) -> tuple[Submission, Submission]:
        """The earlier one first."""
        return self.first, self.second

    @property
    def percent(self) -> int:
        """Rounded down: only what is equal altogether reads 100."""
        return 100 * self.pair.equal // self.pair.compared

    @property
    def same_bytes(self) -> bool:
        return self.first.sha256 == self.second.sha256


@dataclass(frozen=True)
class DuplicatesReport:
    """The likenesses, strongest first, and what was compared to find them."""

    likenesses: tuple[Likeness, ...]
    files: int
    teams: int
    baselines: int
    left_out: int


def duplicates(competition: Competition) -> DuplicatesReport:
    """Compare the files of all teams with each other, baselines' answers set aside.

    Of more than MOST each team's newest come first, then each team's second newest, and so on.
    A file that a team sent twice is compared once, as it came first; cancelled ones count too,
    for they were handed in. Baselines are compared with nobody, also those off the board.
    """
    handed_in = _distinct(_of(competition, Team.Kind.PARTICIPANT))
    compared = _by_turns(handed_in)[:MOST]
    baselines = _distinct(_of(competition, Team.Kind.BASELINE))
    hashes = _hashes(competition, [*compared, *baselines])
    number = len(compared)
    owners = [one.team_id for one in compared]
    pairs = similar(owners, hashes[:number], hashes[number:], threshold=THRESHOLD)
    strongest: dict[frozenset[object], Likeness] = {}
    times: dict[frozenset[object], int] = {}
    for pair in pairs:
        one, two = compared[pair.first], compared[pair.second]
        teams = frozenset((one.team_id, two.team_id))
        times[teams] = times.get(teams, 0) + 1
        if teams not in strongest:
            first, second = sorted((one, two), key=lambda found: (found.received_at, found.pk))
            strongest[teams] = Likeness(first, second, pair, 0)
    return DuplicatesReport(
        likenesses=tuple(
            replace(found, others=times[teams] - 1) for teams, found in strongest.items()
        ),
        files=len(compared),
        teams=len({one.team_id for one in compared}),
        baselines=len({one.team_id for one in baselines}),
        left_out=len(handed_in) - len(compared),
    )


def _of(competition: Competition, kind: str) -> QuerySet[Submission]:
    """Newest first."""
    rows = Submission.objects.filter(team__competition=competition, team__kind=kind)
    return rows.select_related("team", "exclusion").defer("notices")


def _distinct(submissions: Iterable[Submission]) -> list[Submission]:
    """Each team's files without repetitions, newest first; of equal ones the earliest stays."""
    kept: dict[object, Submission] = {}
    for submission in submissions:
        kept[submission.team_id, submission.sha256] = submission
    return sorted(kept.values(), key=lambda one: (one.received_at, one.pk), reverse=True)


def _by_turns(newest_first: list[Submission]) -> list[Submission]:
    turns: dict[object, int] = {}
    places = []
    for submission in newest_first:
        places.append(turn := turns.get(submission.team_id, 0))
        turns[submission.team_id] = turn + 1
    order = sorted(range(len(newest_first)), key=lambda place: places[place])
    return [newest_first[place] for place in order]


def _hashes(competition: Competition, submissions: list[Submission]) -> list[Hashes]:
    """The hashes of the live version's rows; a row that an older file lacks is empty."""
    version = live_version(competition)
    if version is None:
        return []
    ids = expected_ids(version)
    blobs = dict(
        SubmissionText.objects.filter(submission__in=submissions).values_list("submission", "blob")
    )
    return [hash_rows(unpack(bytes(blobs[one.pk])), ids) for one in submissions]
