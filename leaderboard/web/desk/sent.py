"""The desk's page of all that was ever sent to one team."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404

from leaderboard.accounts.models import User
from leaderboard.community.models import Announcement
from leaderboard.inbox import lines
from leaderboard.inbox.lines import Told
from leaderboard.inbox.models import Notification
from leaderboard.teams.models import Team
from leaderboard.teams.queries import participants
from leaderboard.web import find
from leaderboard.web.page import DeskPage, page

PAGE = 50


@dataclass(frozen=True)
class SentLine:
    """Something that was sent to the team; as the announcement says it now, where it was one."""

    told: Told
    heading: str
    notice: Notification
    announcement: Announcement | None


@page("desk/teams/<uuid:team_id>/sent", "desk_team_sent")
class SentToTeam(DeskPage):
    """`/c/<slug>/desk/teams/<id>/sent`: announcements, warnings, answers and notices, as they lie
    in the inboxes of its present members."""

    tab = "desk_teams"
    template = "desk/team_sent.html"
    team: Team

    def open(self, **address: UUID) -> None:
        known = participants(self.competition).select_related("competition")
        self.team = get_object_or_404(known, pk=address["team_id"])

    def context(self) -> dict[str, Any]:
        people = User.objects.filter(memberships__team=self.team)
        found = find.page_of(self.request, lines.told_to(people, self.competition.pk), PAGE)
        notices = lines.notices(found, people)
        said = Announcement.objects.in_bulk([one.subject for one in found])
        shown = [
            SentLine(told, lines.heading(notice), notice, said.get(told.subject))
            for told in found
            if (notice := notices.get((told.kind, told.subject))) is not None
        ]
        return {"team": self.team, "found": found, "lines": shown}
