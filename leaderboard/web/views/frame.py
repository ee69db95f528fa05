"""What stands around every page of a contest: title, header strip, tabs."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from leaderboard.boards import queries as boards
from leaderboard.boards.queries import HeaderStrip
from leaderboard.competitions import roles
from leaderboard.competitions.models import Competition
from leaderboard.web.request import WebRequest


@dataclass(frozen=True)
class Frame:
    """The frame of one contest page. `tab` names the tab that is shown."""

    competition: Competition
    zone: ZoneInfo
    strip: HeaderStrip
    may_edit: bool
    tab: str
    now: datetime


def around(request: WebRequest, competition: Competition, *, tab: str) -> Frame:
    """The frame for this person at this instant."""
    return Frame(
        competition=competition,
        zone=competition.zoneinfo,
        strip=boards.header_strip(competition, request.user, request.received_at),
        may_edit=roles.may_edit(request.user, competition),
        tab=tab,
        now=request.received_at,
    )
