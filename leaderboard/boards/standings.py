"""Computing standings from scores, now and at past instants; the only writer of the read models."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import islice
from uuid import UUID

from django.db.models import QuerySet

from leaderboard.boards import changes
from leaderboard.boards.models import BoardInstant, Placement, Standing, StandingDay
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import scored_versions
from leaderboard.submissions.models import FinalChoice
from leaderboard.submissions.queries import counted
from leaderboard.teams.models import Team
from scoring.ranking import printed

Board = Placement.Board
PART = 500  # teams whose places are in memory at a time
VALUES = (
    "printed",
    "metrics",
    "submission_id",
    "received_at",
    "entries",
    "last_submission_at",
    "ranked",
)


@dataclass(frozen=True)
class Place:
    """The values of one placement, before or after they are stored."""

    printed: int
    metrics: dict[str, int]
    submission_id: UUID
    received_at: datetime
    entries: int
    last_submission_at: datetime
    ranked: bool


# By board, and the instant whose board it is; None is now.
Spot = tuple[str, datetime | None]


@dataclass(frozen=True)
class _Record:
    """Everything about one team that its places are made of."""

    scores: Sequence[SplitScore]
    finals: frozenset[UUID]
    best_of_all: bool
    ranked: bool

    def places(self, instant: datetime | None) -> dict[Spot, Place]:
        """Both boards by the submissions received before the instant; empty without a score."""
        scores = [s for s in self.scores if instant is None or s.evaluation.received_at < instant]
        public = [score for score in scores if score.split == Board.PUBLIC]
        if not public:
            return {}
        best = _best(public)
        private = [score for score in scores if score.split == Board.PRIVATE]
        if not self.best_of_all:
            put_forward = [s for s in private if s.evaluation.submission_id in self.finals]
            of_best = [
                s for s in private if s.evaluation.submission_id == best.evaluation.submission_id
            ]
            private = put_forward or of_best
        last = max(score.evaluation.received_at for score in public)
        shown = [best, *([_best(private)] if private else [])]
        return {
            (score.split, instant): Place(
                printed=score.printed,
                metrics={name: printed(value) for name, value in score.metrics.items()},
                submission_id=score.evaluation.submission_id,
                received_at=score.evaluation.received_at,
                entries=len(public),
                last_submission_at=last,
                ranked=self.ranked,
            )
            for score in shown
        }


def places(
    *, teams: Collection[Team], version: ScoringVersion, instants: Iterable[datetime | None]
) -> dict[UUID, dict[Spot, Place]]:
    """What the boards should say of these teams at these instants, from their scores alone.

    Public: the best printed public total, the earlier submission at a tie. Private: the better
    private total of the team's finals (of a team that chose none, that of the public row), or the
    best of all, as the contest has it. Excluded and late submissions do not count, a disqualified
    team has no place, and a baseline has one without a rank.
    """
    records = _records(teams, version)
    moments = list(instants)
    return {
        team.pk: {
            spot: place
            for instant in moments
            for spot, place in records[team.pk].places(instant).items()
        }
        for team in teams
    }


def _records(teams: Collection[Team], version: ScoringVersion) -> dict[UUID, _Record]:
    scores: dict[UUID, list[SplitScore]] = defaultdict(list)
    standing = [team.pk for team in teams if team.disqualified_at is None]
    for score in (
        SplitScore.objects.filter(
            evaluation__submission__team__in=standing,
            evaluation__scoring_version=version,
            evaluation__state=Evaluation.State.DONE,
            **counted("evaluation__submission__"),
        )
        .select_related("evaluation__submission")
        .defer("signature", "evaluation__submission__notices")
    ):
        scores[score.evaluation.submission.team_id].append(score)
    finals: dict[UUID, set[UUID]] = defaultdict(set)
    chosen = FinalChoice.objects.filter(submission__team__in=standing)
    for team_id, submission_id in chosen.values_list("submission__team", "submission"):
        finals[team_id].add(submission_id)
    rule = version.competition.finals_rule
    return {
        team.pk: _Record(
            scores=scores[team.pk],
            finals=frozenset(finals[team.pk]),
            best_of_all=rule == Competition.FinalsRule.BEST,
            ranked=team.kind != Team.Kind.BASELINE,
        )
        for team in teams
    }


def _best(scores: Sequence[SplitScore]) -> SplitScore:
    """The highest printed total; at a tie the one that was received earlier."""
    return min(
        scores,
        key=lambda score: (
            -score.printed,
            score.evaluation.received_at,
            score.evaluation.submission_id,
        ),
    )


def place(*, team: Team, version: ScoringVersion, since: datetime | None = None) -> None:
    """Store the team's placements: now, and at every kept instant after `since` (None: at all).

    `since` is when the submission that changed was received: earlier boards never held it. The
    caller has locked the team's row in this transaction.
    """
    place_all(teams=[team], version=version, since=since)


def place_everywhere(*, team: Team, since: datetime | None = None) -> None:
    """`place` under the live and every rehearsing version of the team's competition."""
    for version in scored_versions(team.competition):
        place(team=team, version=version, since=since)


def place_all(
    *, teams: Iterable[Team], version: ScoringVersion, since: datetime | None = None
) -> None:
    """`place` for many teams, PART at a time. Their rows are locked, at the latest when they come.

    A hundred thousand teams with their scores and past boards do not stand in memory at once.
    """
    kept = BoardInstant.objects.filter(scoring_version=version)
    if since is not None:
        kept = kept.filter(instant__gt=since)
    instants = [None, *kept.values_list("instant", flat=True)]
    remaining = iter(teams)
    while part := list(islice(remaining, PART)):
        wanted = places(teams=part, version=version, instants=instants)
        known = stored(teams=part, version=version, since=since)
        _write(version, wanted, known)


def _write(
    version: ScoringVersion,
    wanted: Mapping[UUID, Mapping[Spot, Place]],
    known: Mapping[UUID, Mapping[Spot, Place]],
) -> None:
    """Bring the stored rows to what is wanted: those that differ, in one statement a table.

    A rehearsal places a team once for each of its submissions, at every midnight since.
    """
    now: list[Standing] = []
    days: list[StandingDay] = []
    changed: set[datetime | None] = set()
    for team_id, places_of_team in wanted.items():
        stored_of_team = known.get(team_id, {})
        for board, instant in stored_of_team.keys() - places_of_team.keys():
            _rows(team_id, version, board, instant).delete()
            changed.add(instant)
        for (board, instant), value in places_of_team.items():
            if stored_of_team.get((board, instant)) == value:
                continue
            changed.add(instant)
            keys = {"scoring_version_id": version.pk, "team_id": team_id, "board": board}
            if instant is None:
                now.append(Standing(**keys, **asdict(value)))
            else:
                days.append(StandingDay(**keys, instant=instant, **asdict(value)))
    names = ["scoring_version", "team", "board"]
    Standing.objects.bulk_create(
        now, update_conflicts=True, unique_fields=names, update_fields=VALUES, batch_size=500
    )
    names = [*names, "instant"]
    StandingDay.objects.bulk_create(
        days, update_conflicts=True, unique_fields=names, update_fields=VALUES, batch_size=1000
    )
    if changed:
        past = [instant for instant in changed if instant is not None]
        changes.note(version.pk, since=min(past, default=None))


def _rows(
    team_id: UUID, version: ScoringVersion, board: str, instant: datetime | None
) -> QuerySet[Standing] | QuerySet[StandingDay]:
    keys = {"scoring_version": version, "team": team_id, "board": board}
    if instant is None:
        return Standing.objects.filter(**keys)
    return StandingDay.objects.filter(**keys, instant=instant)


def stored(
    *, teams: Collection[Team], version: ScoringVersion, since: datetime | None = None
) -> dict[UUID, dict[Spot, Place]]:
    """What the tables say of these teams, now and at the kept instants after `since`."""
    found: dict[UUID, dict[Spot, Place]] = defaultdict(dict)
    keys = {"scoring_version": version, "team__in": [team.pk for team in teams]}
    for team_id, board, *values in Standing.objects.filter(**keys).values_list(
        "team", "board", *VALUES
    ):
        found[team_id][board, None] = Place(*values)
    days = StandingDay.objects.filter(**keys)
    if since is not None:
        days = days.filter(instant__gt=since)
    for team_id, board, instant, *values in days.values_list("team", "board", "instant", *VALUES):
        found[team_id][board, instant] = Place(*values)
    return found
