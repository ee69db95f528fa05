"""What stands around every page: the site's header; of a contest its title and menus."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from leaderboard.accounts.models import User
from leaderboard.boards.queries import ContestHeader, contest_header
from leaderboard.boards.visibility import Viewer, is_frozen
from leaderboard.competitions import schedule
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.health import Stall, stalled
from leaderboard.inbox.tell import unread_count
from leaderboard.web import find, navigation
from leaderboard.web.find import WebRequest
from leaderboard.web.navigation import Link


@dataclass(frozen=True)
class Frame:
    """The frame of one contest page. `tab` names the tab that is shown.

    `lets_join`, `takes_files`: by the dates, one may take part and hand in. `paused`: open by its
    dates, but takes nothing now. `held`: the reveal's date has passed, the results are still being
    verified. `frozen`: the others' rows stand still.
    """

    viewer: Viewer
    competition: Competition
    zone: ZoneInfo
    header: ContestHeader
    lets_join: bool
    takes_files: bool
    paused: bool
    held: bool
    frozen: bool
    tab: str
    tabs: list[Link]
    may_edit: bool
    is_organizer: bool
    now: datetime

    @property
    def upper_row(self) -> list[Link]:
        return navigation.upper_row(self.viewer.role, self.tab)

    @property
    def lower_row(self) -> list[Link]:
        return navigation.lower_row(self.viewer.role, self.tab)

    @cached_property
    def stall(self) -> Stall | None:
        """Whether scoring stands still, rehearsals counted in; asked where the desk shows it."""
        return stalled(self.now, rehearsals=True)


def around(request: WebRequest, competition: Competition, *, tab: str) -> Frame:
    viewer = find.viewer(request, competition.slug)
    allowed = schedule.allowed(competition, request.received_at)
    return Frame(
        viewer=viewer,
        competition=competition,
        zone=competition.zoneinfo,
        header=contest_header(viewer),
        lets_join=allowed.lets_join,
        takes_files=allowed.takes_files,
        paused=allowed.paused,
        held=allowed.held,
        frozen=is_frozen(competition, request.received_at),
        tab=tab,
        tabs=navigation.tabs(viewer, tab),
        may_edit=viewer.edits,
        is_organizer=viewer.role is not None,
        now=request.received_at,
    )


THEMES = ("light", "dark")


def site(request: HttpRequest) -> dict[str, Any]:
    """`theme` as the person chose it (empty: the system's) and the lazily counted `unread`."""
    theme = request.COOKIES.get("theme", "")
    user = getattr(request, "user", None)

    def unread() -> int:
        return unread_count(user) if isinstance(user, User) else 0

    return {"theme": theme if theme in THEMES else "", "unread": SimpleLazyObject(unread)}
