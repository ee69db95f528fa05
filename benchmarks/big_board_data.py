"""A contest of thousands of teams, generated straight into the tables."""

import random
import time
from datetime import datetime, timedelta
from typing import Any

SEED = 20261121
DAYS = 14
OWN_PAGE = 73


def each(size: int) -> int:
    """How many files each of so many teams hands in."""
    return 20 if size <= 10_000 else 2


def make(slug: str, size: int, now: datetime) -> tuple[int, float]:
    """A contest of that many teams; answers the member to ask as, and the seconds of placing."""
    from django.db import connection

    from leaderboard.boards.models import Standing
    from leaderboard.boards.standings import place_all
    from leaderboard.references.queries import live_version
    from leaderboard.teams.models import Team
    from tests.leaderboard import builders

    contest = builders.competition(
        slug,
        opens_at=now - timedelta(days=DAYS),
        closes_at=now + timedelta(days=3),
        reveals_at=now + timedelta(days=4),
    )
    builders.live(contest)
    version = live_version(contest)
    assert version is not None
    generate(contest, version, size, now)
    teams = list(Team.objects.filter(competition=contest).order_by("pk"))
    began = time.perf_counter()
    for start in range(0, size, 500):
        place_all(teams=teams[start : start + 500], version=version)
    placed = time.perf_counter() - began
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            # What happens by itself within minutes, and would happen while the pages are timed.
            cursor.execute("VACUUM ANALYZE")
            cursor.execute("CHECKPOINT")
    place = min(OWN_PAGE * 100 - 50, size - 10)
    board = Standing.objects.filter(scoring_version=version, board="public")
    own = board.order_by("-printed", "received_at", "team_id")[place]
    return own.team.captain_id, placed


def generate(contest: Any, version: Any, size: int, now: datetime) -> None:
    """Users, teams, submissions, evaluations and scores, straight into the tables."""
    from leaderboard.accounts.models import User
    from leaderboard.evaluation.models import Evaluation, SplitScore
    from leaderboard.submissions.models import Submission
    from leaderboard.teams.models import Membership, Team

    chance = random.Random(SEED)
    opened = now - timedelta(days=DAYS)
    for start in range(0, size, 500):
        numbers = range(start, min(start + 500, size))
        users = User.objects.bulk_create(User(username=f"{contest.slug}-{n}") for n in numbers)
        teams = Team.objects.bulk_create(
            Team(competition=contest, name=f"팀 {n:05}", captain=user, created_at=opened)
            for n, user in zip(numbers, users, strict=True)
        )
        Membership.objects.bulk_create(
            Membership(team=team, competition=contest, user=team.captain, joined_at=opened)
            for team in teams
        )
        submissions = Submission.objects.bulk_create(
            Submission(
                team=team,
                origin=team,
                submitted_by=team.captain,
                received_at=opened + (now - opened) * chance.random(),
                key=str(number),
                file=f"{team.pk}-{number}",
                file_name="predictions.csv",
                size=1,
                sha256="0" * 64,
            )
            for team in teams
            for number in range(each(size))
        )
        evaluations = Evaluation.objects.bulk_create(
            Evaluation(
                submission=one,
                scoring_version=version,
                state="done",
                received_at=one.received_at,
                finished_at=one.received_at,
            )
            for one in submissions
        )
        SplitScore.objects.bulk_create(
            _score(one, split, chance) for one in evaluations for split in ("public", "private")
        )


def _score(evaluation: Any, split: str, chance: random.Random) -> Any:
    from leaderboard.evaluation.models import SplitScore
    from scoring.ranking import printed

    metrics = {name: chance.uniform(0.2, 0.5) for name in ("rouge1", "rouge2", "rougeL")}
    total = sum(metrics.values())
    return SplitScore(
        evaluation=evaluation,
        split=split,
        rows=250,
        metrics=metrics,
        total=total,
        printed=printed(total),
        signature=evaluation.scoring_version.signature,
    )
