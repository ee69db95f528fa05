"""The desk's teams: find one, see its ledger and its messages, decide about it."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.accounts.models import User
from leaderboard.actions import discipline
from leaderboard.actions.assigning import put_in_team
from leaderboard.actions.refusals import Refused
from leaderboard.actions.teams import grant, grant_days
from leaderboard.audit.log import about
from leaderboard.boards.listing import standings_of
from leaderboard.community.models import Announcement
from leaderboard.competitions.schedule import lets_join
from leaderboard.inbox import lines
from leaderboard.inbox.models import Notification
from leaderboard.submissions import ledger
from leaderboard.submissions.queries import Activity, activity, found_teams, team_activities
from leaderboard.teams.models import Team
from leaderboard.teams.queries import among, members, merges_of, participants
from leaderboard.web import errors, lookups
from leaderboard.web.desk.audit import lines_of
from leaderboard.web.desk.forms import (
    CaptainForm,
    GrantForm,
    RenameForm,
)
from leaderboard.web.forms import PutInTeamForm, reason_form
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import PEOPLE, Entry

PAGE = 100


@page("desk/teams", "desk_teams", Entry(PEOPLE, pgettext_lazy("desk", "Teams"), 30))
class Teams(DeskPage):
    """`/c/<slug>/desk/teams`: search all; a POST puts a person into a team."""

    template = "desk/teams.html"
    default = "put"
    forms = {"put": PutInTeamForm}

    def do_put(self) -> str:
        typed = self.typed()
        team = get_object_or_404(Team, competition=self.competition, pk=typed["team"])
        notice = put_in_team(username=typed["username"], team=team, **self.who).notice
        said = _("The person was moved.")
        return f"{said} {_(notice)}" if notice else said

    def refuse(self, refusal: Refused) -> HttpResponse:
        return self.at_field("username", errors.whole(refusal))

    def context(self) -> dict[str, Any]:
        query = self.request.GET.get("q", "")[:200].strip()
        found = lookups.page_of(self.request, found_teams(self.competition, query), PAGE)
        return {
            "found": found,
            "lines": team_activities(found),
            "query": query,
            "view": urlencode({"q": query}),
            "form": self.form("put"),
        }


@page("desk/silent", "desk_silent", Entry(PEOPLE, gettext_lazy("Teams without a submission"), 40))
class SilentTeams(DeskPage):
    """`/c/<slug>/desk/silent`: whom an announcement to those teams reaches, by when they joined."""

    template = "desk/silent.html"

    def context(self) -> dict[str, Any]:
        teams = found_teams(self.competition)
        if self.viewer.version is not None:
            # Most stand on the board, so they have a file: few others are looked at.
            standing = standings_of(self.viewer.version, "public", None).order_by()
            others = teams.filter(~Exists(standing.filter(team=OuterRef("pk"))))
            teams = teams.filter(among("pk", others.values_list("pk", flat=True)))
        silent = teams.filter(submissions=None).order_by("created_at", "pk")
        found = lookups.page_of(self.request, silent, PAGE)
        return {"found": found, "lines": team_activities(found)}


@page("desk/teams/<uuid:team_id>", "desk_team")
class OneTeam(DeskPage):
    """`/c/<slug>/desk/teams/<id>`: all about one, and what may be decided about it."""

    tab = "desk_teams"
    template = "desk/team.html"
    forms = {
        "grant": GrantForm,
        "warn": reason_form(discipline.WARNING_LENGTH, rows=3),
        "rename": RenameForm,
        "appoint": CaptainForm,
        "disqualify": reason_form(discipline.REASON_LENGTH),
        "reinstate": reason_form(discipline.REASON_LENGTH, required=False),
    }
    verbs = {
        "warn": (discipline.warn, gettext_lazy("Every member was warned.")),
        "rename": (discipline.rename_with_reason, gettext_lazy("Renamed, and the team was told.")),
        "appoint": (
            discipline.appoint_captain,
            gettext_lazy("The team has another captain now."),
        ),
        "disqualify": (
            discipline.disqualify,
            gettext_lazy("Disqualified, and the team was told. What it handed in is kept."),
        ),
        "reinstate": (
            discipline.reinstate,
            gettext_lazy("The disqualification is lifted, and the team was told."),
        ),
    }
    ids = "{verb}_%s"
    team: Team

    def open(self, **address: UUID) -> None:
        # Also one that is a part of another now.
        known = Team.objects.filter(competition=self.competition, kind=Team.Kind.PARTICIPANT)
        related = known.select_related("competition", "captain", "merged_into")
        self.team = get_object_or_404(related, pk=address["team_id"])

    @property
    def who(self) -> dict[str, Any]:
        return {"team": self.team, "user": self.user, "at": self.at}

    def do_grant(self) -> str:
        typed = self.typed()
        grant(amount=typed["amount"], on=typed["day"], **self.who, reason=typed["reason"])
        return _("Granted, and the team was told.")

    def context(self) -> dict[str, Any]:
        days = grant_days(self.competition, self.at)
        return {
            "team": self.team,
            "members": members(self.team),
            "activity": activity([self.team.pk]).get(self.team.pk, Activity()),
            "allowance": ledger.allowance(self.team, self.competition, self.at),
            "over": not lets_join(self.competition, self.at),
            "days": ledger.by_day(self.team),
            "on_desk": True,
            "grantable": days,
            "forms": {
                **{verb: self.form(verb) for verb in self.forms},
                "grant": self.form("grant", initial={"day": days.first if days else None}),
            },
            "merges": merges_of(self.team),
            "log": lines_of(self.competition, about(self.competition.pk, self.team.pk)),
        }

    def stored(self, verb: str) -> dict[str, Any] | None:
        return {"name": self.team.name} if verb == "rename" else None


SENT_PAGE = 50


@page("desk/teams/<uuid:team_id>/sent", "desk_team_sent")
class SentToTeam(DeskPage):
    """`/c/<slug>/desk/teams/<id>/sent`: announcements, warnings, answers and notices, as they lie
    in the inboxes of its members."""

    tab = "desk_teams"
    template = "desk/team_sent.html"
    team: Team

    def open(self, **address: UUID) -> None:
        self.team = get_object_or_404(participants(self.competition), pk=address["team_id"])

    def context(self) -> dict[str, Any]:
        people = User.objects.filter(memberships__team=self.team)
        rows = Notification.objects.filter(user__in=people, competition=self.competition.pk)
        after = self.request.GET.get("after")
        keys, older = lines.told_window(rows, lookups.key(after) if after else None)
        found = lookups.page_of(self.request, keys, SENT_PAGE)
        told = lines.told(found, rows)
        said = Announcement.objects.in_bulk([one["notice"].subject for one in told])
        for one in told:
            one["heading"] = lines.heading(one["notice"])
            one["announcement"] = said.get(one["notice"].subject)
        return {
            "team": self.team,
            "found": found,
            "lines": told,
            "view": urlencode({"after": after} if after else {}),
            "older": older if not found.has_next() else None,
        }
