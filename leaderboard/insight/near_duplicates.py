"""Which teams submitted the same or nearly the same answers, for the desk. Nothing follows from it.

What counts as alike is in `scoring.insight.near_duplicates`.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.accounts.models import User
from leaderboard.actions.decisions import deciding
from leaderboard.audit.log import KINDS, decisions
from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import dialogues_of, expected_ids, live_version
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import differing_row, texts_by_submission, texts_of
from leaderboard.teams.models import Team
from leaderboard.web import lookups
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import SCORING, Entry
from scoring.insight.near_duplicates import THRESHOLD, Hashes, Pair, alike, hash_rows, similar
from scoring.insight.trivial_baselines import TURNS, first_turns
from scoring.references import natural_key
from scoring.statistics.agreement import at_most

MOST = 1000  # files that one report compares
SHOWN = 200  # pairs of teams; the surest come first
PAGE = 50  # rows of texts on one page
_SPEAKER = re.compile(r"^[^:\n]{1,40}:", re.MULTILINE)  # as the dev lab shows who speaks


class Likeness(NamedTuple):
    """The two most alike files of two teams, the earlier one first."""

    first: Submission
    second: Submission
    pair: Pair

    @property
    def files(self) -> tuple[Submission, Submission]:
        return self.first, self.second

    @property
    def percent(self) -> int:
        """Rounded, but only what is equal altogether reads 100."""
        return min(round(100 * self.pair.share), 99 if self.pair.share < 1 else 100)

    @property
    def same_bytes(self) -> bool:
        """Whether one file was sent twice."""
        return self.first.sha256 == self.second.sha256


class DuplicatesReport(NamedTuple):
    """The likenesses, the surest first, those that were ignored, and what was compared."""

    likenesses: tuple[Likeness, ...]
    ignored: tuple[Likeness, ...]
    files: int
    teams: int
    baselines: int
    left_out: int


def duplicates(competition: Competition) -> DuplicatesReport:
    """Compare the files of all teams with each other, baselines' answers set aside.

    Of more than MOST each team's newest come first, then each team's second newest, and so on.
    A file that a team sent twice is compared once, as it came first; cancelled ones count too.
    Baselines are compared with nobody, also those off the board. Sorted by the lower end of the
    share's 95 % interval: five of five rows say less than 180 of 200.
    """
    sent = _distinct(competition, Team.Kind.PARTICIPANT)
    compared = _compared(sent)
    baselines = list(_distinct(competition, Team.Kind.BASELINE))
    known = ignored_pairs(competition)
    strongest: dict[frozenset[UUID], Likeness] = {}
    ignored = []
    for pair in _pairs(live_version(competition), compared, baselines):
        files = compared[pair.first], compared[pair.second]
        first, second = sorted(files, key=lambda one: (one.received_at, one.pk))
        found = Likeness(first, second, pair)
        if frozenset(str(one.pk) for one in files) in known:
            ignored.append(found)
        else:
            strongest.setdefault(frozenset(one.team_id for one in files), found)
    return DuplicatesReport(
        likenesses=tuple(sorted(strongest.values(), key=lambda one: doubt(one.pair))),
        ignored=tuple(ignored),
        files=len(compared),
        teams=len({one.team_id for one in compared}),
        baselines=len({one.team_id for one in baselines}),
        left_out=sent.count() - MOST if len(compared) == MOST else 0,
    )


def doubt(pair: Pair) -> float:
    """How far below all rows the true share may lie."""
    return at_most(pair.compared - pair.equal, pair.compared)


def alike_among(version: ScoringVersion, submissions: Sequence[UUID]) -> list[list[str]]:
    """The pairs of these files that share more answers than chance explains, under a version."""
    competition = version.competition
    of_teams = Submission.objects.filter(
        team__competition=competition, team__kind=Team.Kind.PARTICIPANT
    )
    rows = of_teams.in_bulk(submissions)
    compared = [rows[name] for name in submissions if name in rows]
    pairs = _pairs(version, compared, list(_distinct(competition, Team.Kind.BASELINE)))
    return [[str(compared[place].pk) for place in (pair.first, pair.second)] for pair in pairs]


def _pairs(
    version: ScoringVersion | None, compared: list[Submission], baselines: list[Submission]
) -> list[Pair]:
    """The like ones among these files, what baselines and first turns say set aside."""
    hashes = _hashes(version, [*compared, *baselines])
    number = len(compared)
    common = [*hashes[number:], *_leads(version)]
    return similar([one.team_id for one in compared], hashes[:number], common)


def _hashes(version: ScoringVersion | None, submissions: list[Submission]) -> list[Hashes]:
    """The hashes of a version's rows; a row that an older file lacks is empty."""
    if version is None:
        return []
    ids = expected_ids(version)
    rows = Submission.objects.filter(pk__in=[one.pk for one in submissions])
    hashes = {submission: hash_rows(said, ids) for submission, said in texts_of(rows)}
    return [hashes[one.pk] for one in submissions]


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


def _distinct(competition: Competition, kind: str) -> QuerySet[Submission]:
    """Each team's files without repetitions, newest first; of equal ones the earliest stays."""
    earlier = Q(received_at__lt=OuterRef("received_at"))
    earlier |= Q(received_at=OuterRef("received_at"), pk__lt=OuterRef("pk"))
    same = Submission.objects.filter(earlier, team=OuterRef("team"), sha256=OuterRef("sha256"))
    rows = Submission.objects.filter(~Exists(same), team__competition=competition, team__kind=kind)
    return rows.select_related("team", "exclusion").defer("notices")


def _compared(sent: QuerySet[Submission]) -> list[Submission]:
    """The first MOST by turns. The newest few thousand are enough where many teams sent them."""
    newest = list(sent[: 4 * MOST])
    if len(newest) == 4 * MOST and len({one.team_id for one in newest}) < MOST:
        newest = list(sent)
    turns: Counter[UUID] = Counter()
    places = []
    for submission in newest:
        places.append(turns[submission.team_id])
        turns[submission.team_id] += 1
    order = sorted(range(len(newest)), key=places.__getitem__)
    return [newest[place] for place in order[:MOST]]


IGNORED = "near_duplicates.ignored"
KINDS[IGNORED] = gettext_lazy("Ignored near-duplicates")


def ignored_pairs(competition: Competition) -> set[frozenset[str]]:
    """The ids of the two files of each pair that somebody ignored."""
    events = decisions(competition.pk).filter(kind=IGNORED)
    pairs = events.values_list("subject", "after__other_file")
    return {frozenset((str(subject), other)) for subject, other in pairs}


def ignore(
    *, competition: Competition, user: User, first: Submission, second: Submission, at: datetime
) -> None:
    """Log that these two files are no reason to decide anything. Raises Refused."""
    with deciding(competition, user, at) as decision:
        teams = {"team": str(first.team_id), "other_team": str(second.team_id)}
        decision.record(IGNORED, first.pk, after={**teams, "other_file": str(second.pk)})


@page(
    "desk/duplicates",
    "desk_duplicates",
    Entry(SCORING, pgettext_lazy("desk", "Near-duplicates"), 50),
)
class Duplicates(DeskPage):
    """`/c/<slug>/desk/duplicates`: computed on each visit. A POST ignores a pair of files."""

    template = "insight/duplicates.html"

    def do_ignore(self) -> None:
        first, second = files_of_pair(self.competition, self.request.POST)
        ignore(first=first, second=second, **self.who)

    def context(self) -> dict[str, Any]:
        report = duplicates(self.competition)
        return {
            "report": report,
            "shown": report.likenesses[:SHOWN],
            "more": len(report.likenesses) > SHOWN,
            "ignored": report.ignored[:SHOWN],
            "threshold": round(THRESHOLD * 100),
        }


def files_of_pair(competition: Competition, asked: Mapping[str, str]) -> list[Submission]:
    """The submissions `a` and `b`, the earlier first; a 404 unless they are of two teams of this
    contest."""
    keys = [lookups.key(asked.get(name, "")) for name in ("a", "b")]
    rows = Submission.objects.filter(team__competition=competition, pk__in=keys)
    found = list(rows.select_related("team").order_by("received_at", "pk"))
    if len({one.team_id for one in found}) != 2:
        raise Http404
    return found


@page("desk/duplicates/pair", "desk_pair")
class CopiedPair(DeskPage):
    """`/c/<slug>/desk/duplicates/pair?a=…&b=…`: the rows in which files of two teams say the same
    or nearly so, the earlier file first, and whether a baseline says it, too.
    """

    tab = "desk_duplicates"
    template = "insight/pair.html"

    def context(self) -> dict[str, Any]:
        files = files_of_pair(self.competition, self.request.GET)
        version = live_version(self.competition)
        ids = expected_ids(version) if version is not None else []
        baselines = _distinct(self.competition, Team.Kind.BASELINE)
        said = texts_by_submission([one.pk for one in [*files, *baselines]])
        ours, theirs = (said.pop(one.pk) for one in files)
        shared = sorted(alike(ours, theirs, ids), key=natural_key)
        common = {name for texts in said.values() for name in alike(ours, texts, shared)}
        shown = lookups.page_of(self.request, shared, PAGE)
        return {
            "files": files,
            "shared": shared,
            "common": common,
            "of": len(ids),
            "rows": [(differing_row(name, ours, theirs), name in common) for name in shown],
            "shown": shown,
        }
