"""The desk's page of all that was ever sent to one team."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404

from leaderboard.accounts.models import User
from leaderboard.community.models import Announcement
from leaderboard.inbox import lines
from leaderboard.inbox.lines import Told
from leaderboard.teams.merging import with_parts
from leaderboard.teams.models import Team
from leaderboard.teams.queries import who_left
from leaderboard.web import find
from leaderboard.web.page import DeskPage, page

PAGE = 50


@dataclass(frozen=True)
class SentLine:
    """Something that was sent to the team; as the announcement says it now, where it was one."""

    told: Told
    heading: str
    announcement: Announcement | None


@page("desk/teams/<uuid:team_id>/sent", "desk_team_sent")
class SentToTeam(DeskPage):
    """`/c/<slug>/desk/teams/<id>/sent`: announcements, warnings, answers and notices, as they lie
    in the inboxes of its members, of its parts, and of whoever left it up to then."""

    tab = "desk_teams"
    template = "desk/team_sent.html"
    team: Team
    parts: frozenset[UUID]

    def open(self, **address: UUID) -> None:
        team, self.parts = with_parts(self.competition, address["team_id"])
        if team is None:
            raise Http404
        self.team = team

    def context(self) -> dict[str, Any]:
        people = User.objects.filter(memberships__team=self.team)
        gone = who_left(self.competition, self.parts)
        rows = lines.inboxes(people, gone, self.competition.pk)
        after = self.request.GET.get("after")
        keys, older = lines.told_window(rows, find.key(after) if after else None)
        found = find.page_of(self.request, keys, PAGE)
        told = lines.told(found, rows)
        said = Announcement.objects.in_bulk([one.notice.subject for one in told])
        shown = [
            SentLine(one, lines.heading(one.notice), said.get(one.notice.subject)) for one in told
        ]
        return {
            "team": self.team,
            "found": found,
            "lines": shown,
            "view": urlencode({"after": after} if after else {}),
            "older": older if not found.has_next() else None,
        }
