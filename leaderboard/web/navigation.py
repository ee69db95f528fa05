"""The menus of a contest as data: templates and tests read them, other apps append to them.

`ENTRIES` is the organizers' menu and `TABS` the participants'. Pages of the desk put themselves
there (`page.page`); an app above appends its own in its `apps.py`:

    navigation.ENTRIES.append(Entry(navigation.SCORING, _("Judge"), name="desk_judge"))
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.boards.visibility import Viewer
from leaderboard.competitions.models import Organizer
from leaderboard.competitions.roles import EDITING

EVERY_ROLE = tuple(Organizer.Role)


@dataclass(frozen=True)
class MenuSection:
    """A group of organizers' pages, which the upper row of their menu names."""

    label: str | Promise


OVERVIEW = MenuSection(_("At a glance"))
CONTEST = MenuSection(pgettext_lazy("desk", "Contest"))
PEOPLE = MenuSection(pgettext_lazy("desk", "People"))
SCORING = MenuSection(pgettext_lazy("desk", "Scoring"))
RECORDS = MenuSection(pgettext_lazy("desk", "Records"))
SECTIONS = [OVERVIEW, CONTEST, PEOPLE, SCORING, RECORDS]


@dataclass(frozen=True)
class Entry:
    """One organizers' page in the menu. `name`: of its address, and the `tab` of its frame.

    `who`: the roles that may open it. `order`: its place in the section.
    """

    section: MenuSection
    label: str | Promise
    order: int = 100
    who: Collection[str] = EDITING
    name: str = ""  # `page.page` says it of its page


ENTRIES: list[Entry] = []


@dataclass(frozen=True)
class Tab:
    """One page of a contest in its participants' menu.

    `switch`: whether the contest has it at all; it is shown besides on the page itself.
    """

    name: str
    label: str | Promise
    switch: Callable[[Viewer], bool] = lambda viewer: True


TABS = [
    Tab("overview", _("Overview")),
    Tab("data", _("Data")),
    Tab("lab", _("Dev lab"), switch=lambda viewer: viewer.has_dev_set),
    Tab("contest_status", _("Server")),
    Tab("submit", pgettext_lazy("verb", "Submit")),
    Tab("leaderboard", _("Leaderboard")),
    Tab("forum", pgettext_lazy("contest", "Forum")),
    Tab("team", pgettext_lazy("tab", "Team")),
]


@dataclass(frozen=True)
class Link:
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
            links.append(Link(entries[0].name, section.label, "true" if is_open else ""))
    return links


def lower_row(role: str | None, tab: str) -> list[Link]:
    """The pages of the section that is open; none where it has but one."""
    for _section, entries in _seen_by(role):
        if len(entries) > 1 and any(entry.name == tab for entry in entries):
            return [_link(entry, tab) for entry in entries]
    return []


def tabs(viewer: Viewer, tab: str) -> list[Link]:
    return [_link(one, tab) for one in TABS if one.switch(viewer) or one.name == tab]


def _seen_by(role: str | None) -> list[tuple[MenuSection, list[Entry]]]:
    """The pages that somebody in this role may open, by section."""
    seen = sorted((one for one in ENTRIES if role in one.who), key=lambda one: one.order)
    grouped = [(one, [entry for entry in seen if entry.section == one]) for one in SECTIONS]
    return [(section, entries) for section, entries in grouped if entries]


def _link(entry: Entry | Tab, tab: str) -> Link:
    return Link(entry.name, entry.label, "page" if entry.name == tab else "")
