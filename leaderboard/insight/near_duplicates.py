"""Which teams submitted the same or nearly the same answers.

What counts as alike is in `scoring.insight.copies`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import dialogues_of, expected_ids, live_version
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import texts_by_submission, texts_of
from leaderboard.teams.models import Team
from scoring.insight.copies import Hashes, Pair, alike, hash_rows, similar
from scoring.insight.floors import TURNS, first_turns
from scoring.references import natural_key

MOST = 1000  # files that one report compares
_SPEAKER = re.compile(r"^[^:\n]{1,40}:", re.MULTILINE)  # as the dev lab shows who speaks


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
    handed_in = _without_repetitions(_of(competition, Team.Kind.PARTICIPANT))
    compared = _compared(handed_in)
    baselines = _distinct(_of(competition, Team.Kind.BASELINE))
    pairs = _pairs(live_version(competition), compared, baselines)
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
        left_out=handed_in.count() - MOST if len(compared) == MOST else 0,
    )


def alike_among(version: ScoringVersion, submissions: Sequence[UUID]) -> int:
    """How many pairs of these files share more answers than chance explains, under a version."""
    competition = version.competition
    rows = {
        one.pk: one for one in _of(competition, Team.Kind.PARTICIPANT).filter(pk__in=submissions)
    }
    compared = [rows[name] for name in submissions if name in rows]
    baselines = _distinct(_of(competition, Team.Kind.BASELINE))
    return len(_pairs(version, compared, baselines))


def _pairs(
    version: ScoringVersion | None, compared: list[Submission], baselines: list[Submission]
) -> list[Pair]:
    """The like ones among these files, what baselines and first turns say set aside."""
    hashes = _hashes(version, [*compared, *baselines])
    number = len(compared)
    common = [*hashes[number:], *_leads(version)]
    return similar([one.team_id for one in compared], hashes[:number], common)


def _leads(version: ScoringVersion | None) -> list[Hashes]:
    """The first turns of each dialogue, with and without their speakers: anybody may say them."""
    dialogues = None if version is None else dialogues_of(version)
    if version is None or dialogues is None:
        return []
    ids = expected_ids(version)
    bare = {name: _SPEAKER.sub("", text) for name, text in dialogues.items()}
    return [
        hash_rows({name: first_turns(said, name, turns) for name in ids}, ids)
        for said in (dialogues, bare)
        for turns in TURNS.values()
    ]


@dataclass(frozen=True)
class Evidence:
    """Two files of two teams, the earlier one first, for a person to read.

    rows: the ids in which both say the same or nearly so, `of` so many; `with_baseline`: those of
    them in which a baseline says it, too.
    """

    first: Submission
    second: Submission
    texts: tuple[Mapping[str, str], Mapping[str, str]]
    rows: tuple[str, ...]
    with_baseline: frozenset[str]
    of: int

    @property
    def files(self) -> tuple[Submission, Submission]:
        return self.first, self.second


def evidence(competition: Competition, one: UUID, other: UUID) -> Evidence | None:
    """Of two files of different teams of a contest; None if these are not."""
    rows = Submission.objects.filter(team__competition=competition, pk__in=[one, other])
    found = list(rows.select_related("team", "exclusion").order_by("received_at", "pk"))
    if len(found) != 2 or found[0].team_id == found[1].team_id:
        return None
    version = live_version(competition)
    ids = expected_ids(version) if version is not None else []
    read = [*found, *_distinct(_of(competition, Team.Kind.BASELINE))]
    said = texts_by_submission([one.pk for one in read])
    ours, theirs, *beside = (said[one.pk] for one in read)
    shared = sorted(alike(ours, theirs, ids), key=natural_key)
    common = (name for texts in beside for name in alike(ours, texts, shared))
    return Evidence(found[0], found[1], (ours, theirs), tuple(shared), frozenset(common), len(ids))


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


def _without_repetitions(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """As `_distinct`, by the database: of a million files not one is read."""
    earlier = Q(received_at__lt=OuterRef("received_at"))
    earlier |= Q(received_at=OuterRef("received_at"), pk__lt=OuterRef("pk"))
    same = Submission.objects.filter(earlier, team=OuterRef("team"), sha256=OuterRef("sha256"))
    return submissions.filter(~Exists(same))


def _compared(handed_in: QuerySet[Submission]) -> list[Submission]:
    """The first MOST by turns. The newest few thousand are enough where many teams sent them."""
    newest = list(handed_in[: 4 * MOST])
    if len(newest) == 4 * MOST and len({one.team_id for one in newest}) < MOST:
        newest = list(handed_in)
    return _by_turns(newest)[:MOST]


def _by_turns(newest_first: list[Submission]) -> list[Submission]:
    turns: dict[object, int] = {}
    places = []
    for submission in newest_first:
        places.append(turn := turns.get(submission.team_id, 0))
        turns[submission.team_id] = turn + 1
    order = sorted(range(len(newest_first)), key=lambda place: places[place])
    return [newest_first[place] for place in order]


def _hashes(version: ScoringVersion | None, submissions: list[Submission]) -> list[Hashes]:
    """The hashes of a version's rows; a row that an older file lacks is empty."""
    if version is None:
        return []
    ids = expected_ids(version)
    rows = Submission.objects.filter(pk__in=[one.pk for one in submissions])
    hashes = {found.submission_id: hash_rows(found.texts, ids) for found in texts_of(rows)}
    return [hashes[one.pk] for one in submissions]
