"""The judge's step of the sweeper. Safe when run twice."""

from datetime import datetime

from leaderboard.judging.actions.judgings import choose_by_policy
from leaderboard.judging.asking.budget import leave_unsettled
from leaderboard.judging.asking.claim import anything_to_do
from leaderboard.judging.queries import endpoint_names
from leaderboard.judging.tasks import judge_next


def keep_judging(at: datetime) -> int:
    """Choose what is to be judged, list what lost workers were calling, wake if anything waits."""
    if not endpoint_names():
        return 0
    found = leave_unsettled() + choose_by_policy(at=at)
    if anything_to_do():
        judge_next.wake()
    return found
