"""What stands around a page: the site's header, a contest's title and its menus.

`ENTRIES` is the organizers' menu and `TABS` the participants'. Pages of the desk put themselves
there (`page.page`); an app above appends its own in its `apps.py`:

    page_chrome.ENTRIES.append(Entry(page_chrome.SCORING, _("Judge"), name="desk_judge"))
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import Promise, SimpleLazyObject
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.accounts.models import User
from leaderboard.boards.queries import contest_header
from leaderboard.boards.visibility import is_frozen
from leaderboard.competitions import schedule
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.roles import EDITING
from leaderboard.evaluation.health import Stall, stalled
from leaderboard.inbox.tell import unread_count
from leaderboard.web import lookups
from leaderboard.web.lookups import WebRequest

EVERY_ROLE = tuple(Organizer.Role)

# The sections of the organizers' menu, which its upper row names.
OVERVIEW = pgettext_lazy("desk", "To do")
CONTEST = pgettext_lazy("desk", "Contest")
PEOPLE = pgettext_lazy("desk", "People")
SCORING = pgettext_lazy("desk", "Scoring")
RECORDS = pgettext_lazy("desk", "Records")
SECTIONS = [OVERVIEW, CONTEST, PEOPLE, SCORING, RECORDS]


@dataclass(frozen=True)
class Entry:
    """One organizers' page in the menu. `name`: of its address, and the `tab` of its page.

    `who`: the roles that may open it. `order`: its place in the section.
    """

    section: str | Promise
    label: str | Promise
    order: int = 100
    who: Collection[str] = EDITING
    name: str = ""  # `page.page` says it of its page


ENTRIES: list[Entry] = []


TABS: list[tuple[str, str | Promise]] = [
    ("overview", _("Overview")),
    ("data", _("Data")),
    ("contest_status", _("Server")),
    ("submit", pgettext_lazy("verb", "Submit")),
    ("leaderboard", _("Leaderboard")),
    ("forum", pgettext_lazy("contest", "Forum")),
    ("team", pgettext_lazy("tab", "Team")),
]
"""The participants' menu: the pages that every contest has, by the name of their address."""


class Link(NamedTuple):
    """One entry of a menu as it is shown. `current`: the value of `aria-current`, if it is open."""

    name: str
    label: str | Promise
    current: str = ""


def upper_row(role: str | None, tab: str) -> list[Link]:
    """The sections, each leading to its first page; a section of one page is that page."""
    links = []
    for section, entries in _seen_by(role):
        if len(entries) == 1:
            links.append(_link(entries[0], tab))
        else:
            is_open = any(entry.name == tab for entry in entries)
            links.append(Link(entries[0].name, section, "true" if is_open else ""))
    return links


def lower_row(role: str | None, tab: str) -> list[Link]:
    """The pages of the section that is open; none where it has but one."""
    for _section, entries in _seen_by(role):
        if len(entries) > 1 and any(entry.name == tab for entry in entries):
            return [_link(entry, tab) for entry in entries]
    return []


def _seen_by(role: str | None) -> list[tuple[str | Promise, list[Entry]]]:
    """The pages that somebody in this role may open, by section."""
    seen = sorted((one for one in ENTRIES if role in one.who), key=lambda one: one.order)
    grouped = [(one, [entry for entry in seen if entry.section is one]) for one in SECTIONS]
    return [(section, entries) for section, entries in grouped if entries]


def _link(entry: Entry, tab: str) -> Link:
    return Link(entry.name, entry.label, "page" if entry.name == tab else "")


class Frame:
    """What stands around a page of a contest. `tab` names the tab that is shown.

    `lets_join`, `takes_files`: by the dates, one may take part and submit. `paused`: open by its
    dates, but takes nothing now. `held`: the reveal's date has passed, the results are still being
    verified. `frozen`: the others' rows stand still.
    """

    def __init__(self, request: WebRequest, competition: Competition, *, tab: str) -> None:
        self.now = request.received_at
        self.competition = competition
        self.zone = competition.zoneinfo
        self.viewer = lookups.viewer(request, competition.slug)
        self.header = contest_header(self.viewer)
        self.lets_join = schedule.lets_join(competition, self.now)
        self.takes_files = self.lets_join and competition.opens_at <= self.now
        self.paused = schedule.is_paused(competition, self.now)
        self.held = schedule.is_held(competition, self.now)
        self.frozen = is_frozen(competition, self.now)
        self.tabs = [Link(name, label, "page" if name == tab else "") for name, label in TABS]
        self.may_edit = self.viewer.edits
        self.is_organizer = self.viewer.role is not None
        role = self.viewer.role
        self.upper_row = upper_row(role, tab) if role else []
        self.lower_row = lower_row(role, tab) if role else []

    @cached_property
    def stall(self) -> Stall | None:
        """Whether scoring stands still, rehearsals counted in; asked where the desk shows it."""
        return stalled(self.now, rehearsals=True)


def theme_of(request: HttpRequest) -> str:
    """As the person chose it; empty: the system's."""
    theme = request.COOKIES.get("theme", "")
    return theme if theme in ("light", "dark") else ""


def site(request: HttpRequest) -> dict[str, Any]:
    """The server's address, the theme, and how much in the inbox is `unread`."""
    user = getattr(request, "user", None)
    return {
        "base_url": settings.BASE_URL,
        "theme": theme_of(request),
        "unread": SimpleLazyObject(lambda: unread_count(user) if isinstance(user, User) else 0),
    }
