"""Steps of the random walk that put many people into teams at once."""

from typing import ClassVar

from leaderboard.accounts.models import User
from leaderboard.actions.discipline import rename_with_reason
from leaderboard.actions.regrouping import regroup
from tests.leaderboard.builders import NOON
from tests.services.walker import Walker


class RegroupingSteps(Walker):
    WEIGHTS: ClassVar[dict[str, int]] = {
        "regroup": 8,
        "rename_with_reason": 3,
    }

    def regroup(self) -> None:
        """Three people at once, into teams that are there or not."""
        contest = self.contest()
        people = User.objects.filter(memberships__competition=contest).order_by("?")[:3]
        text = "".join(f"{person},조 {self.dice.randrange(4)}\n" for person in people)
        regroup(competition=contest, user=self.organizer(), text=text, at=NOON)

    def rename_with_reason(self) -> bool:
        if (team := self.team()) is None:
            return False
        name = f"팀 {self.dice.randrange(6)}"
        rename_with_reason(team=team, user=self.organizer(), name=name, reason="겹침", at=NOON)
        return True
