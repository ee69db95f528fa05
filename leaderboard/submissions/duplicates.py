"""The duplicates report: which teams handed in the same or nearly the same answers."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.db.models import QuerySet

from leaderboard.competitions.models import Competition
from leaderboard.references.queries import expected_ids, live_version
from leaderboard.submissions.intake import unpack
from leaderboard.submissions.models import Submission, SubmissionText
from leaderboard.submissions.similarity import Entry, Hashes, hash_rows, similar
from leaderboard.teams.models import Team

MOST = 1000  # files that one report compares
THRESHOLD = 0.5


@dataclass(frozen=True)
class Likeness:
    """The two most alike files of two teams, the earlier one first.

    `equal` of `compared` rows are the same, `set_aside` rows were left out; `others` is how many
    more pairs of files of these two teams are as alike or nearly so. `same_bytes`: one file, sent
    twice; `whole`: every answer is the same.
    """

    first: Submission
    second: Submission
    equal: int
    compared: int
    set_aside: int
    whole: bool
    others: int

    @property
    def files(self) -> tuple[Submission, Submission]:
        """The earlier one first."""
        return self.first, self.second

    @property
    def percent(self) -> int:
        """Rounded down: only what is equal altogether reads 100."""
        return 100 * self.equal // self.compared

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
    pairs = similar(
        [Entry(one.team_id, hashes[place]) for place, one in enumerate(compared)],
        hashes[len(compared) :],
        threshold=THRESHOLD,
    )
    strongest: dict[frozenset[object], Likeness] = {}
    times: dict[frozenset[object], int] = {}
    for pair in pairs:
        one, two = compared[pair.first], compared[pair.second]
        teams = frozenset((one.team_id, two.team_id))
        times[teams] = times.get(teams, 0) + 1
        if teams not in strongest:
            first, second = sorted((one, two), key=lambda found: (found.received_at, found.pk))
            strongest[teams] = Likeness(
                first, second, pair.equal, pair.compared, pair.set_aside, pair.whole, 0
            )
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
