"""The desk's teams: find one, see its ledger and its messages, decide about it."""

from typing import Any
from uuid import UUID

from django.forms import Select
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.actions import discipline
from leaderboard.actions.assigning import put_in_team
from leaderboard.actions.teams import grant, grant_days
from leaderboard.audit.log import decisions
from leaderboard.competitions.schedule import lets_join
from leaderboard.submissions import ledger
from leaderboard.submissions.queries import Activity, activity, found_teams, team_activities
from leaderboard.teams.models import Team
from leaderboard.teams.queries import members, merges_of
from leaderboard.web import lookups
from leaderboard.web.desk.audit import lines_of
from leaderboard.web.forms import (
    CaptainForm,
    GrantForm,
    PutInTeamForm,
    RenameForm,
    reason_form,
)
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import PEOPLE, Entry

PAGE = 100
ONLY = {
    "silent": gettext_lazy("without a submission"),
    "alone": gettext_lazy("with one member"),
}


@page("desk/teams", "desk_teams", Entry(PEOPLE, pgettext_lazy("desk", "Teams"), 30))
class Teams(DeskPage):
    """`/c/<slug>/desk/teams`: search all; a POST puts a person into a team."""

    template = "desk/teams.html"
    default = "put"
    forms = {"put": PutInTeamForm}
    beside = {"put": "username"}

    def do_put(self) -> str:
        typed = self.typed()
        team = get_object_or_404(Team, competition=self.competition, pk=typed["team"])
        put_in_team(username=typed["username"], team=team, **self.who)
        return _("The person was moved.")

    def context(self) -> dict[str, Any]:
        asked = self.request.GET
        query, only = asked.get("q", "")[:200].strip(), asked.get("only", "")
        only = only if only in ONLY else ""
        matching = found_teams(self.competition, query, only)
        found = lookups.page_of(self.request, matching, PAGE)
        return {
            "found": found,
            "lines": team_activities(found),
            "query": query,
            "only": only,
            "kinds": ONLY.items(),
            "form": self.form("put"),
        }


@page("desk/teams/<uuid:team_id>", "desk_team")
class OneTeam(DeskPage):
    """`/c/<slug>/desk/teams/<id>`: all about one, and what may be decided about it."""

    tab = "desk_teams"
    about = "team"
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
        "rename": (
            discipline.rename_with_reason,
            gettext_lazy("The team was renamed and notified."),
        ),
        "appoint": (
            discipline.appoint_captain,
            gettext_lazy("The team has a new captain."),
        ),
        "disqualify": (
            discipline.disqualify,
            gettext_lazy("The team was disqualified and notified."),
        ),
        "reinstate": (
            discipline.reinstate,
            gettext_lazy("The disqualification was lifted, and the team was notified."),
        ),
    }
    previewed = ("disqualify",)
    ids = "{verb}_%s"
    team: Team

    def open(self, **address: UUID) -> None:
        # Also one that is a part of another now.
        known = Team.objects.filter(competition=self.competition, kind=Team.Kind.PARTICIPANT)
        related = known.select_related("competition", "captain", "merged_into")
        self.team = get_object_or_404(related, pk=address["team_id"])

    def do_grant(self) -> str:
        typed = self.typed()
        grant(amount=typed["amount"], on=typed["day"], **self.who, reason=typed["reason"])
        return _("The submissions were granted, and the team was notified.")

    def context(self) -> dict[str, Any]:
        days = grant_days(self.competition, self.at)
        people = members(self.team)
        names = [(one.username, one.username) for one in people if not one.is_captain]
        appointing = self.form("appoint")
        appointing.fields["username"].widget = Select(choices=[("", "–"), *names])
        return {
            "team": self.team,
            "members": people,
            "activity": activity([self.team.pk]).get(self.team.pk, Activity()),
            "allowance": ledger.allowance(self.team, self.competition, self.at),
            "over": not lets_join(self.competition, self.at),
            "days": ledger.by_day(self.team),
            "on_desk": True,
            "grantable": days,
            "forms": {
                **{verb: self.form(verb) for verb in self.forms},
                "appoint": appointing,
                "grant": self.form("grant", initial={"day": days[0] if days else None}),
            },
            "merges": merges_of(self.team),
            "log": lines_of(
                self.competition, decisions(self.competition.pk).filter(subject=self.team.pk)
            ),
        }

    def stored(self, verb: str) -> dict[str, Any] | None:
        return {"name": self.team.name} if verb == "rename" else None
