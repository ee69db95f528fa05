"""What two teams would be as one: the arithmetic that both captains see before either agrees."""

from dataclasses import dataclass
from datetime import datetime

from leaderboard.actions.decisions import Preview, digest_of
from leaderboard.actions.refusals import Refused
from leaderboard.actions.submissions import FINALS
from leaderboard.submissions import merging as files
from leaderboard.submissions.ledger import allowance
from leaderboard.teams import merging
from leaderboard.teams.models import Team


@dataclass(frozen=True)
class Sum:
    """One line of the arithmetic: of either team, both together, and at most.

    `shared`: how many both have because somebody brought them along; together they count once.
    """

    code: str
    survivor: int
    absorbed: int
    most: int | None
    shared: int = 0

    @property
    def together(self) -> int:
        return self.survivor + self.absorbed - self.shared

    @property
    def fits(self) -> bool:
        return self.most is None or self.together <= self.most


_NONE = Sum("", 0, 0, 0)


@dataclass(frozen=True)
class Union(Preview):
    """What two teams would be as one, as both captains see it before either agrees."""

    today: Sum = _NONE
    total: Sum = _NONE
    members: Sum = _NONE
    finals: Sum = _NONE

    @property
    def limits(self) -> tuple[Sum, ...]:
        """What two teams may not exceed together."""
        return self.today, self.total, self.members

    @property
    def refusal(self) -> Refused | None:
        """The first limit that they would exceed, with its numbers."""
        over = next((one for one in self.limits if not one.fits), None)
        if over is None:
            return None
        values = {
            name: getattr(over, name) for name in ("together", "survivor", "absorbed", "most")
        }
        if over.shared:
            return Refused(f"{over.code}.shared", shared=over.shared, **values)
        return Refused(over.code, **values)


def union_of(survivor: Team, absorbed: Team, at: datetime) -> Union:
    """What the two would be as one at `at`. Right for a decision only while both are locked."""
    competition = survivor.competition
    ours, theirs = (allowance(team, competition, at) for team in (survivor, absorbed))
    both = allowance(survivor, competition, at, absorbed=absorbed)
    of_today = competition.daily_limit + both.granted_today
    of_total = competition.total_limit
    if of_total is not None:
        of_total += both.granted
    one, two = teams = survivor.pk, absorbed.pk
    heads, finals = merging.headcounts(teams), files.finals(teams)
    today = ours.used_today, theirs.used_today
    total = ours.total_used, theirs.total_used
    sums = (
        Sum("merge_today", *today, of_today, sum(today) - both.used_today),
        Sum("merge_total", *total, of_total, sum(total) - both.total_used),
        Sum("merge_people", heads[one], heads[two], competition.max_team_size),
        Sum("finals", finals[one], finals[two], FINALS),
    )
    return Union(digest_of("merge", *teams, *sums), None, 0, None, *sums)
