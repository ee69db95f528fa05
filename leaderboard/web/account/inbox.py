"""A person's inbox: grouped into lines, filtered, a page at a time."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Q
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property

from leaderboard.competitions.models import Competition
from leaderboard.inbox import lines
from leaderboard.inbox.lines import InboxFilter, InboxLine
from leaderboard.inbox.models import Notification
from leaderboard.teams.queries import visible_to
from leaderboard.web import find
from leaderboard.web.page import PersonPage

PAGE = 25


@dataclass(frozen=True)
class ShownNotice:
    """One notification as shown. `address`: where it leads, for who may know of its contest."""

    row: Notification
    heading: str
    address: str
    label: str


@dataclass(frozen=True)
class ShownLine:
    """A line of the inbox: its newest notice, or one by one all that it stands for."""

    line: InboxLine
    notices: list[ShownNotice]
    contest: Competition | None
    zone: ZoneInfo

    @property
    def first(self) -> ShownNotice:
        return self.notices[0]

    @property
    def number(self) -> int:
        return len(self.line.rows)

    @property
    def more_than_one(self) -> bool:
        return self.number > 1

    @property
    def is_open(self) -> bool:
        return len(self.notices) > 1


class Inbox(PersonPage):
    """`/inbox`: what a person should know. Marked as read: a line (`newest`, `oldest`), or all.

    `open`: the line whose notices are shown one by one.
    """

    template = "inbox.html"
    default = "read"

    def do_read(self) -> HttpResponse:
        lines.mark_read(user=self.user, at=self.at)
        return self.done()

    def do_read_line(self) -> HttpResponse:
        newest, oldest = self.key("newest"), self.key("oldest")
        lines.mark_line_read(user=self.user, newest=newest, oldest=oldest, at=self.at)
        return self.done()

    def address(self) -> str:
        """Back to the part of the inbox that the button was pressed in."""
        asked = self.asked(*ASKED, "open")
        return reverse("inbox") + (f"?{asked}" if asked else "")

    def asked(self, *names: str) -> str:
        """What of the address has these names."""
        sent = self.request.GET
        return urlencode({name: sent[name] for name in names if sent.get(name)})

    @cached_property
    def contests(self) -> dict[UUID, Competition]:
        """Those that this person takes part in or helps to run, by key."""
        mine = Q(teams__memberships__user=self.user) | Q(organizers__user=self.user)
        found = Competition.objects.filter(mine).distinct().order_by("-closes_at", "slug")
        return {contest.pk: contest for contest in found}

    def wanted(self) -> InboxFilter:
        asked = self.request.GET
        slugs = {contest.slug: pk for pk, contest in self.contests.items()}
        kind = asked.get("kind", "")
        return InboxFilter(
            competition=slugs.get(asked.get("contest", "")),
            kind=kind if kind in Notification.Kind.values else "",
            unread=asked.get("unread") == "1",
            after=find.key(asked["after"]) if asked.get("after") else None,
        )

    def context(self) -> dict[str, Any]:
        wanted = self.wanted()
        rows = lines.window(self.user, wanted)
        grouped = lines.grouped(rows, timezone.get_current_timezone())
        page = find.page_of(self.request, grouped, PAGE)
        is_cut = len(rows) == lines.WINDOW and not page.has_next()
        chosen = self.contests[wanted.competition].slug if wanted.competition else ""
        asked = {"contest": chosen, "kind": wanted.kind, "unread": "1" if wanted.unread else ""}
        view = {name: value for name, value in asked.items() if value}
        return {
            "lines": self._shown(list(page)),
            "page": page,
            "contests": self.contests.values(),
            "kinds": Notification.Kind.choices,
            "wanted": wanted,
            "filtered": bool(view),
            "here": self.asked(*ASKED),
            "view": urlencode(view | ({"after": wanted.after} if wanted.after else {})),
            "older": urlencode(view | {"after": rows[-1].pk}) if is_cut else "",
        }

    def _shown(self, page: list[InboxLine]) -> list[ShownLine]:
        opened = self.request.GET.get("open")
        notices = lines.shown(page, find.key(opened) if opened else None)
        strange = {line.newest.competition for line in page} - self.contests.keys()
        known = self.contests | (visible_to(self.user).in_bulk(strange - {None}) if strange else {})
        own_zone = ZoneInfo(timezone.get_current_timezone_name())
        found = []
        for line in page:
            contest = known.get(line.newest.competition) if line.newest.competition else None
            rows = [notices[row.pk] for row in line.rows if row.pk in notices]
            shown = [_notice(row, contest) for row in rows]
            zone = contest.zoneinfo if contest else own_zone
            found += [ShownLine(line, shown, contest, zone)] if shown else []
        return found


ASKED = ("contest", "kind", "unread", "after", "page")


def _notice(row: Notification, contest: Competition | None) -> ShownNotice:
    way = lines.way(row)
    address = lines.address(row, known=contest is not None)
    return ShownNotice(row, lines.heading(row), address, str(way.label) if way and address else "")
