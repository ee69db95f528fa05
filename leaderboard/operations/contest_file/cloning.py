"""A contest's plain file under a new address, as one that has not begun."""

from datetime import datetime

from leaderboard.competitions.models import Competition
from leaderboard.operations.contest_file.check import Plan, plan_of
from leaderboard.operations.contest_file.export import package
from leaderboard.operations.contest_file.packing import InMemory
from leaderboard.operations.contest_file.renewal import fresh
from leaderboard.operations.contest_file.yaml_text import dump, load


def clone(
    competition: Competition, *, slug: str, opens_at: datetime | None = None, at: datetime
) -> Plan:
    """What a clone would be: pages, rules, data, and the live golds as a draft; nobody in it."""
    packed = package(competition, full=False)
    document = load(dump(fresh(packed.document, opens_at=opens_at, at=at)))
    return plan_of(document, InMemory(packed.files), slug=slug)
