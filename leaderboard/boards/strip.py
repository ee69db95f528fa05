"""The strip over every page of a contest: time, slots and rank."""

from dataclasses import dataclass
from datetime import datetime

from leaderboard.boards.listing import listing
from leaderboard.boards.text import decimals
from leaderboard.boards.visibility import opening_board
from leaderboard.boards.visit import Visit
from leaderboard.competitions.schedule import phase
from leaderboard.submissions.ledger import Allowance, allowance


@dataclass(frozen=True)
class HeaderStrip:
    """What stands over every page of a contest."""

    closes_at: datetime
    state: str
    allowance: Allowance | None
    rank: int | None
    gap_to_next: str | None
    teams: int
    version_number: int | None


def header_strip(visit: Visit) -> HeaderStrip:
    """Time, slots and rank for the strip: of the public board, from the reveal on the final one."""
    seen = listing(visit, opening_board(visit))
    own = seen.found if seen else None
    rank, gap = None, None
    if own is not None and own.row.ranked:
        rank = own.better + 1
        gap = decimals(own.above - own.row.printed) if own.above is not None else None
    competition, team = visit.competition, visit.team
    return HeaderStrip(
        closes_at=competition.closes_at,
        state=phase(competition, visit.at),
        allowance=allowance(team, competition, visit.at) if team else None,
        rank=rank,
        gap_to_next=gap,
        teams=visit.teams,
        version_number=visit.version.number if visit.version else None,
    )
