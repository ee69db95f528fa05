"""Computing standings from scores, now and as they were; the only writer of the read models."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby, islice
from typing import Any
from uuid import UUID

from django.db.models import Q

from leaderboard.boards.models import FOREVER, Placement, Standing, StandingDay
from leaderboard.competitions.locking import lock
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
NOW = (*VALUES, "files", "sort_key")
DAY = (*VALUES, "until", "stands_until")
COUNTED = counted("evaluation__submission__")

# By board, and the instant from which it holds; None is now.
Spot = tuple[str, datetime | None]
# The columns of one placement, NOW or DAY, before or after they are stored.
Place = dict[str, Any]


def _places_of(
    team: Team, scores: Sequence[SplitScore], finals: Collection[UUID] | None
) -> dict[Spot, Place]:
    """A team's places on both boards, now and ever since its first score; empty without one.

    `scores`: by when they were received. `finals`: None where the best of all counts.
    """
    own = sorted({score.evaluation.submission_id.bytes for score in scores})
    # 63 bits that are others where other files count, as many as they may be.
    files = int.from_bytes(hashlib.sha256(b"".join(own)).digest()[:8]) >> 1
    found: dict[Spot, Place] = {}
    steps = list(_steps(scores, finals))
    for board in Board.values:
        taken_over = until = FOREVER
        for number in range(len(steps) - 1, -1, -1):
            at, entries, shown = steps[number]
            score = shown[board]
            begins = number == 0 or steps[number - 1][2][board] != score
            if score is not None:
                place = {
                    "printed": score.printed,
                    "metrics": {name: printed(value) for name, value in score.metrics.items()},
                    "submission_id": score.evaluation.submission_id,
                    "received_at": score.evaluation.received_at,
                    "entries": entries,
                    "last_submission_at": at,
                    "ranked": team.kind != Team.Kind.BASELINE,
                }
                if until == FOREVER:
                    found[board, None] = {**place, "files": files, "sort_key": team.sort_key}
                stands_until = taken_over if begins else None
                found[board, at] = {**place, "until": until, "stands_until": stands_until}
            until = at
            taken_over = at if begins else taken_over
    return found


def _steps(
    scores: Sequence[SplitScore], finals: Collection[UUID] | None
) -> Iterator[tuple[datetime, int, dict[str, SplitScore | None]]]:
    """Since when how many entries counted, and what then stood on each board."""
    public: SplitScore | None = None
    private: SplitScore | None = None
    of_submission: dict[UUID, SplitScore] = {}
    entries = 0
    for at, arrived in groupby(scores, key=lambda score: score.evaluation.received_at):
        for score in sorted(arrived, key=lambda score: score.evaluation.submission_id):
            submission = score.evaluation.submission_id
            if score.split == Board.PUBLIC:
                entries += 1
                if public is None or score.printed > public.printed:
                    public = score
            else:
                of_submission[submission] = score
                counts = finals is None or submission in finals
                if counts and (private is None or score.printed > private.printed):
                    private = score
        if public is not None:
            shown = private or of_submission.get(public.evaluation.submission_id)
            yield at, entries, {Board.PUBLIC: public, Board.PRIVATE: shown}


def places(*, teams: Collection[Team], version: ScoringVersion) -> dict[UUID, dict[Spot, Place]]:
    """What the boards should say of these teams, now and before, from their scores alone.

    Public: the best printed public total, the earlier submission at a tie. Private: the better
    private total of the team's finals (of a team that chose none, that of the public row), or the
    best of all, as the contest has it. Excluded and late submissions do not count, a disqualified
    team has no place, and a baseline has one without a rank.
    """
    scores: dict[UUID, list[SplitScore]] = defaultdict(list)
    standing = [team.pk for team in teams if team.disqualified_at is None]
    for score in (
        SplitScore.objects.filter(
            evaluation__submission__team__in=standing,
            evaluation__scoring_version=version,
            evaluation__state=Evaluation.State.DONE,
            **COUNTED,
        )
        .select_related("evaluation__submission")
        .defer("signature", "evaluation__submission__notices")
        .order_by("evaluation__received_at")
    ):
        scores[score.evaluation.submission.team_id].append(score)
    finals: dict[UUID, set[UUID]] = defaultdict(set)
    chosen = FinalChoice.objects.filter(submission__team__in=standing)
    for team_id, submission_id in chosen.values_list("submission__team", "submission"):
        finals[team_id].add(submission_id)
    best_of_all = version.competition.finals_rule == Competition.FinalsRule.BEST
    return {
        team.pk: _places_of(team, scores[team.pk], None if best_of_all else finals[team.pk])
        for team in teams
    }


def rename(*, team: Team, name: str) -> None:
    """Give the team another name, also in the order of its lines. Raises IntegrityError if another
    team's looks like it.
    """
    team.name = name
    team.save(update_fields=["name", "skeleton", "sort_key"])
    Standing.objects.filter(team=team).update(sort_key=team.sort_key)


def place_everywhere(*, team: Team) -> None:
    """`place_all` for it under the live and every rehearsing version of its competition."""
    for version in scored_versions(team.competition):
        place_all(teams=[team], version=version)


def place_scored(*, version: ScoringVersion) -> None:
    """`place_all` for every team with a submission under a version that goes rehearsing or live.

    Inside the transaction that changes its state; the competition is locked.
    """
    scored = Team.objects.filter(submissions__evaluations__scoring_version=version)
    # Of a team whose files went to another one since, what the version said before goes too.
    before = Team.objects.filter(standings__scoring_version=version)
    found = Q(pk__in=scored.values("pk")) | Q(pk__in=before.values("pk"))
    place_all(teams=lock(Team.objects.filter(found)), version=version)


def place_all(*, teams: Iterable[Team], version: ScoringVersion) -> None:
    """Store the teams' placements that differ, now and before, in one statement a table.

    Their rows are locked in this transaction, at the latest when they come. A hundred thousand
    teams with their scores and past boards do not stand in memory at once.
    """
    remaining = iter(teams)
    names = ["scoring_version", "team", "board"]
    while part := list(islice(remaining, PART)):
        now: list[Standing] = []
        days: list[StandingDay] = []
        known = stored(teams=part, version=version)
        for team_id, wanted in places(teams=part, version=version).items():
            own = {"scoring_version_id": version.pk, "team_id": team_id}
            gone = known[team_id].keys() - wanted.keys()
            for board in {board for board, _ in gone}:
                began = [since for other, since in gone if other == board]
                if None in began:
                    Standing.objects.filter(**own, board=board).delete()
                days_gone = StandingDay.objects.filter(**own, board=board)
                days_gone.filter(last_submission_at__in=[one for one in began if one]).delete()
            for (board, since), value in wanted.items():
                if known[team_id].get((board, since)) != value:
                    row = {**own, **value, "board": board}
                    if since is None:
                        now.append(Standing(**row))
                    else:
                        days.append(StandingDay(**row))
        Standing.objects.bulk_create(
            now, update_conflicts=True, unique_fields=names, update_fields=NOW, batch_size=500
        )
        StandingDay.objects.bulk_create(
            days,
            update_conflicts=True,
            unique_fields=[*names, "last_submission_at"],
            update_fields=DAY,
            batch_size=1000,
        )


def stored(*, teams: Collection[Team], version: ScoringVersion) -> dict[UUID, dict[Spot, Place]]:
    """What the tables say of these teams."""
    found: dict[UUID, dict[Spot, Place]] = defaultdict(dict)
    keys = {"scoring_version": version, "team__in": [team.pk for team in teams]}
    for row in Standing.objects.filter(**keys).values("team", "board", *NOW):
        found[row.pop("team")][row.pop("board"), None] = row
    for row in StandingDay.objects.filter(**keys).values("team", "board", *DAY):
        found[row.pop("team")][row.pop("board"), row["last_submission_at"]] = row
    return found
