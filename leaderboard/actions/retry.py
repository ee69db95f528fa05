"""An organizer lets what failed on our side be scored again."""

from datetime import datetime

from django.db import transaction

from leaderboard.accounts.models import User
from leaderboard.actions.editing import locked_for_editing
from leaderboard.actions.refusals import Refused
from leaderboard.audit.log import record
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.claim import queue_again
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.search import retriable


def retry(*, evaluation: Evaluation, user: User, at: datetime) -> None:
    """Failed to queued with all attempts anew. A refund stays, nothing is charged. Raises Refused.

    The contest's row is locked, so that no version is made live in between.
    """
    with transaction.atomic():
        competition = locked_for_editing(evaluation.submission.team.competition, user)
        found = retriable(competition).filter(pk=evaluation.pk).first()
        if found is None or not queue_again(evaluation_id=found.pk, attempt=found.attempt):
            raise Refused(
                "not_failed",
                ko="다시 채점할 수 있는 실패가 아닙니다.",
                en="This is no failure that can be scored again.",
                next_ko="끝난 채점을 다시 하려면 새 기준을 예행해 주세요.",
                next_en="To score finished ones anew, rehearse a version.",
            )
        record(
            kind="evaluation.retried",
            actor=user,
            at=at,
            competition=competition.pk,
            subject=evaluation.submission_id,
            before={"failure": found.failure, "attempt": found.attempt},
            after={
                "team": str(evaluation.submission.team_id),
                "file": evaluation.submission.file_name,
                **found.scoring_version.named,
            },
        )


def retry_failed(*, competition: Competition, user: User, at: datetime) -> int:
    """All that failed under the live and the rehearsing versions; answers how many. Raises Refused.

    Nothing to do is no decision: it is neither refused nor logged.
    """
    with transaction.atomic():
        locked = locked_for_editing(competition, user)
        queued = sum(
            queue_again(evaluation_id=pk, attempt=attempt)
            for pk, attempt in retriable(locked).values_list("pk", "attempt")
        )
        if queued:
            record(
                kind="evaluation.all_retried",
                actor=user,
                at=at,
                competition=locked.pk,
                subject=locked.pk,
                after={"submissions": queued},
            )
    return queued
