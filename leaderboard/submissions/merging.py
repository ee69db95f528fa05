"""What two teams handed in and used, put together and taken apart again."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

from leaderboard.submissions.models import FinalChoice, QuotaEntry, Submission
from leaderboard.teams.merging import give_back, take_over
from leaderboard.teams.models import Team


@dataclass(frozen=True)
class Moved:
    """How many files went from one team to the other."""

    submissions: int


def finals(teams: Collection[UUID]) -> Counter[UUID]:
    """How many finals each of these teams has chosen, in one query."""
    rows = FinalChoice.objects.filter(submission__team__in=teams)
    return Counter(rows.values_list("submission__team", flat=True))


def absorb(*, survivor: Team, absorbed: Team) -> Moved:
    """Every file and every line of the ledger goes over. Both rows are locked by the caller."""
    take_over(QuotaEntry.objects.all(), survivor=survivor, absorbed=absorbed)
    return Moved(Submission.objects.filter(team=absorbed).update(team=survivor))


def release(*, survivor: Team, absorbed: Team, origins: Iterable[UUID]) -> Moved:
    """What these teams had handed in and used goes back; what came later stays."""
    origins = list(origins)
    give_back(QuotaEntry.objects.all(), survivor=survivor, absorbed=absorbed, origins=origins)
    files = Submission.objects.filter(team=survivor, origin__in=origins)
    return Moved(files.update(team=absorbed))
