"""Looking at a file before anything is spent."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from leaderboard.accounts.models import User
from leaderboard.accounts.rate_limits import Left, Limit, Use, left, take
from leaderboard.actions.refusals import Refused, too_often
from leaderboard.actions.submit import (
    limits_of,
    read_upload,
    refusal_now,
    version_or_refusal,
)
from leaderboard.competitions.schedule import is_late
from leaderboard.references.queries import expected_ids
from leaderboard.submissions.intake import Upload
from leaderboard.submissions.ledger import Allowance, allowance
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import same_bytes
from leaderboard.teams.models import Team
from scoring.findings import InvalidSubmission, Notice, Problem
from scoring.predictions import Predictions
from scoring.repair import Repair, repair

PREVIEW_ROWS = 3

# A check costs nothing but the server's time. Handing in never waits for it.
CHECKS = Limit("too_many_checks", 60, timedelta(hours=1))


@dataclass(frozen=True)
class Verdict:
    """What `submit` would say to this file now. Nothing was kept or charged."""

    ok: bool
    predictions_rows: int
    expected_rows: int
    problems: tuple[Problem, ...]
    total_problems: int
    notices: tuple[Notice, ...]
    encoding: str | None
    refusal: Refused | None
    same_as: Submission | None
    allowance: Allowance
    seconds: float
    preview: tuple[tuple[str, str], ...]
    is_late: bool


def check(
    *,
    team: Team,
    user: User,
    upload: Upload,
    at: datetime,
    clock: Callable[[], float] = time.perf_counter,
) -> Verdict:
    """`look`, counted. Raises Refused when the team's checks of the hour are used."""
    _count(team, at)
    return look(team=team, user=user, upload=upload, at=at, clock=clock)


def look(
    *,
    team: Team,
    user: User,
    upload: Upload,
    at: datetime,
    clock: Callable[[], float] = time.perf_counter,
) -> Verdict:
    """The one validator's answer with the team's allowance; what the file holds never raises."""
    began = clock()
    predictions: Predictions | None = None
    invalid: InvalidSubmission | None = None
    refusal = refusal_now(team, user, at)
    try:
        predictions = read_upload(team.competition, upload).predictions
    except InvalidSubmission as problems:
        invalid = problems
    except Refused as refused:
        refusal = refusal or refused
    found = predictions or invalid
    return Verdict(
        ok=predictions is not None and refusal is None,
        predictions_rows=found.rows if found else 0,
        expected_rows=len(predictions.texts) if predictions else 0,
        problems=tuple(invalid.problems) if invalid else (),
        total_problems=invalid.total if invalid else 0,
        notices=tuple(found.notices) if found else (),
        encoding=predictions.encoding if predictions else None,
        refusal=refusal,
        same_as=same_bytes(team, upload.sha256),
        allowance=allowance(team, team.competition, at),
        seconds=clock() - began,
        preview=tuple(list(predictions.texts.items())[:PREVIEW_ROWS]) if predictions else (),
        is_late=is_late(team.competition, at),
    )


def mend(*, team: Team, upload: Upload, at: datetime) -> Repair:
    """The file mended where that needs no guess; it counts as a check. Raises Refused."""
    _count(team, at)
    competition = team.competition
    version = version_or_refusal(competition)
    return repair(upload.data, expected_ids(version), limits_of(competition))


def checks_left(team: Team, at: datetime) -> Left:
    """The checks and mended files that the team may still ask for."""
    return left(Use(CHECKS, str(team.pk)), at=at)


def _count(team: Team, at: datetime) -> None:
    if wait := take(Use(CHECKS, str(team.pk)), at=at):
        raise too_often(CHECKS, wait)
