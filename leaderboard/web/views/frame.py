"""What stands around every page of a contest: title, header strip, tabs."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from leaderboard.boards.strip import HeaderStrip, header_strip
from leaderboard.boards.visibility import is_frozen
from leaderboard.competitions import schedule
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.stall import Stall, stalled
from leaderboard.web.request import WebRequest
from leaderboard.web.views import find


@dataclass(frozen=True)
class Frame:
    """The frame of one contest page. `tab` names the tab that is shown.

    `lets_join`, `takes_files`: by the dates, one may take part and hand in. `paused`: open by its
    dates, but takes nothing now. `held`: the reveal's date has passed, the results are still being
    verified. `frozen`: the others' rows stand still. `has_lab`: there is something to
    practise on.
    """

    competition: Competition
    zone: ZoneInfo
    strip: HeaderStrip
    may_edit: bool
    is_organizer: bool
    lets_join: bool
    takes_files: bool
    paused: bool
    held: bool
    frozen: bool
    has_lab: bool
    tab: str
    now: datetime

    @cached_property
    def stall(self) -> Stall | None:
        """Whether scoring stands still, rehearsals counted in; asked where the desk shows it."""
        return stalled(self.now, rehearsals=True)


def around(request: WebRequest, competition: Competition, *, tab: str) -> Frame:
    """The frame for this person at this instant."""
    visit = find.visit(request, competition.slug)
    return Frame(
        competition=competition,
        zone=competition.zoneinfo,
        strip=header_strip(visit),
        may_edit=visit.edits,
        is_organizer=visit.role is not None,
        lets_join=schedule.lets_join(competition, request.received_at),
        takes_files=schedule.takes_by_dates(competition, request.received_at),
        paused=schedule.is_paused(competition, request.received_at),
        held=schedule.is_held(competition, request.received_at),
        frozen=is_frozen(competition, request.received_at),
        has_lab=visit.has_dev_set,
        tab=tab,
        now=request.received_at,
    )
