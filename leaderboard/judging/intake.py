"""Asking for judgings: one row per submission, config and board; asking twice changes nothing."""

from collections.abc import Collection
from datetime import date, datetime
from uuid import UUID

from leaderboard.accounts.models import User
from leaderboard.competitions.locking import lock
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import editors
from leaderboard.judging.models import JudgeConfig, Judging
from leaderboard.judging.plan import planned_ids
from leaderboard.submissions.models import Submission

State = Judging.State


def ask(
    *,
    config: JudgeConfig,
    submission: Submission,
    board: str,
    user: User | None,
    day: date,
    at: datetime,
) -> tuple[Judging, bool]:
    """The judging, and whether it is new. `user` None: the config's policy chose it.

    The caller says which boards may be judged at all.
    """
    return Judging.objects.get_or_create(
        config=config,
        submission=submission,
        board=board,
        defaults={
            "requested_by": user,
            "requested_at": at,
            "day": day,
            "rows": len(planned_ids(config, board)),
        },
    )


def asked_on(config: JudgeConfig, team_id: UUID, day: date) -> int:
    """How many submissions of a team were taken on that contest day, at its wish or by policy.

    Those that an organizer asked for are not the team's.
    """
    rows = Judging.objects.filter(config=config, submission__team=team_id, board="public", day=day)
    return rows.exclude(requested_by__in=editors(config.competition_id)).count()


def judged_already(config: JudgeConfig, submissions: Collection[UUID], board: str) -> set[UUID]:
    """Those of these submissions that have a judging, in whatever state."""
    rows = Judging.objects.filter(config=config, submission__in=submissions, board=board)
    return set(rows.values_list("submission", flat=True))


def look_again(competition: Competition) -> int:
    """Let complete judgings be gone through once more: the golds' rows are others now.

    Rows that were judged stay judged; only new ones are asked about. Answers how many.
    """
    if not competition.shows_other_columns:
        return 0
    rows = Judging.objects.filter(
        config__competition=competition,
        config__state=JudgeConfig.State.ACTIVE,
        state=State.COMPLETE,
    )
    lock(rows)
    return rows.update(state=State.WAITING, finished_at=None, not_before=None)
