"""Steps of the random walk in which teams become one."""

from typing import ClassVar

from leaderboard.actions.merging import (
    accept_merge,
    ask_to_merge,
    decline_merge,
    withdraw_merge,
)
from leaderboard.teams.models import Merge
from tests.leaderboard.builders import NOON
from tests.services.walker import Walker


class MergeSteps(Walker):
    WEIGHTS: ClassVar[dict[str, int]] = {
        "ask_to_merge": 14,
        "accept_merge": 14,
        "decline_merge": 2,
        "withdraw_merge": 2,
    }

    def ask_to_merge(self) -> bool:
        """Often of a team that is asked, or asks, elsewhere at the same time."""
        team, other = self.team(), self.team()
        if team is None or other is None or team.captain is None:
            return False
        ask_to_merge(team=team, user=team.captain, name=other.name, at=NOON)
        return True

    def accept_merge(self) -> bool:
        """Where nobody asks, this asks: on a slow machine no other step may come by in time."""
        merge = self.merge(state="asked")
        if merge is None or merge.absorbed.captain is None:
            self.ask_to_merge()
            return False
        accept_merge(merge=merge, user=merge.absorbed.captain, at=NOON)
        return True

    def decline_merge(self) -> bool:
        merge = self.merge(state="asked")
        if merge is None or merge.absorbed.captain is None:
            return False
        decline_merge(merge=merge, user=merge.absorbed.captain, at=NOON)
        return True

    def withdraw_merge(self) -> bool:
        merge = self.merge(state="asked")
        if merge is None or merge.survivor.captain is None:
            return False
        withdraw_merge(merge=merge, user=merge.survivor.captain, at=NOON)
        return True

    def merge(self, state: str) -> Merge | None:
        rows = Merge.objects.filter(state=state)
        found: Merge | None = self.one(
            rows.select_related("competition", "survivor__captain", "absorbed__captain")
        )
        return found
