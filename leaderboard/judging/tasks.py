"""The wake-up call of the judge's worker."""

from collections.abc import Mapping

from celery import Task
from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string

from leaderboard.celery import app
from leaderboard.judging.actions.turn import judge_next as judge_head
from leaderboard.judging.asking.claim import anything_to_do
from leaderboard.judging.asking.replies import JudgeClient


@app.task(
    bind=True,
    name="leaderboard.judge_next",
    soft_time_limit=settings.JUDGE_SOFT_TIME_LIMIT,
    time_limit=settings.JUDGE_TIME_LIMIT,
)
def judge_next(self: Task, schema: int = 1) -> bool:
    """Judge one chunk of what comes first and wake again; False when nothing could be done now."""
    if judge_head(now=timezone.now, connect=connect_judge) is None:
        return False
    if anything_to_do():
        self.wake()
    return True


def connect_judge(endpoint: Mapping[str, str]) -> JudgeClient:
    """The client that the settings name; its packages are imported here, in the judge's worker."""
    client: JudgeClient = import_string(settings.JUDGE_CLIENT)(endpoint)
    return client
