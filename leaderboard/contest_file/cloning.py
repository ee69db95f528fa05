"""A contest's plain file under a new address, as one that has not begun."""

from datetime import datetime

from leaderboard.actions.competition import date_in_the_past
from leaderboard.competitions.models import Competition
from leaderboard.contest_file.check import Plan, plan_of
from leaderboard.contest_file.document import dump, load
from leaderboard.contest_file.export import package
from leaderboard.contest_file.packing import InMemory
from leaderboard.contest_file.renewal import DATES, fresh, moved


def clone(
    competition: Competition, *, slug: str, opens_at: datetime | None = None, at: datetime
) -> Plan:
    """What a clone would be: pages, rules, data, and the live golds as a draft; nobody in it.

    Raises Refused for an opening after which the clone would have closed already.
    """
    if proposed_dates(competition, opens_at=opens_at, at=at)["closes_at"] <= at:
        raise date_in_the_past()
    packed = package(competition, full=False)
    document = load(dump(fresh(packed.document, opens_at=opens_at, at=at)))
    return plan_of(document, InMemory(packed.files), slug=slug)


def proposed_dates(
    competition: Competition, *, opens_at: datetime | None = None, at: datetime
) -> dict[str, datetime]:
    """The dates that a clone would have, by the names of the contest's own."""
    known = {name: value for name in DATES if (value := getattr(competition, name)) is not None}
    return moved(known, competition.zoneinfo, opens_at=opens_at, at=at)
