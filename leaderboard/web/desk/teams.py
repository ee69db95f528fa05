"""The desk's teams: find one, see its ledger and its messages, decide about it; enrol a class."""

import base64
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.accounts.class_list import MAX_BYTES, MAX_PEOPLE
from leaderboard.actions import discipline
from leaderboard.actions.classes import ClassPlan, enrol_class, preview_class
from leaderboard.actions.refusals import Refused
from leaderboard.actions.regrouping import put_in_team
from leaderboard.actions.teams import grant, grant_days
from leaderboard.audit.log import about
from leaderboard.boards.exports import csv_file
from leaderboard.competitions.schedule import lets_join
from leaderboard.submissions import ledger
from leaderboard.submissions.queries import Activity, activity, found_teams, team_activities
from leaderboard.teams.merging import merges_of
from leaderboard.teams.models import Team
from leaderboard.teams.queries import members, regrouped
from leaderboard.web import errors, lookups, page_chrome
from leaderboard.web.desk.audit import lines_of
from leaderboard.web.desk.forms import (
    CaptainForm,
    GrantForm,
    RenameForm,
)
from leaderboard.web.forms import PutInTeamForm, reason_form
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import PEOPLE, Entry
from leaderboard.web.uploads import carried, uncarried

PAGE = 100
KEPT_FOR = {
    "granted": gettext_lazy(
        "The team before (%(name)s) stays, without people, for the attempts granted in its ledger. "
        "They do not follow: grant them to the new team if needed."
    ),
    "carried": gettext_lazy(
        "The team before (%(name)s) stays, without people, for the attempts in its ledger that the "
        "person had used in a team before."
    ),
    "part": gettext_lazy(
        "The team before (%(name)s) stays, without people, for a team that is a part of it."
    ),
}
SLIP = ("username", "name", "team", "password")


@page("desk/teams", "desk_teams", Entry(PEOPLE, pgettext_lazy("desk", "Teams"), 30))
class Teams(DeskPage):
    """`/c/<slug>/desk/teams`: search all; a POST puts a person into a team."""

    template = "desk/teams.html"
    default = "put"
    forms = {"put": PutInTeamForm}

    def do_put(self) -> str:
        typed = self.typed()
        team = get_object_or_404(Team, competition=self.competition, pk=typed["team"])
        put = put_in_team(username=typed["username"], team=team, **self.who)
        said = _("The person was moved.")
        if put.left_empty is not None:
            said += " " + str(KEPT_FOR[put.kept_for]) % {"name": put.left_empty.name}
        return said

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
        # What was decided about the team, and about who is in it.
        decided = [*about(self.competition.pk, self.team.pk), *regrouped(self.team)]
        decided.sort(key=lambda event: event.at, reverse=True)
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
            "log": lines_of(self.competition, tuple(decided)),
        }

    def stored(self, verb: str) -> dict[str, Any] | None:
        return {"name": self.team.name} if verb == "rename" else None


@page("desk/enrol", "desk_enrol", Entry(PEOPLE, gettext_lazy("Enrol a class"), 20))
class Enrol(DeskPage):
    """`/c/<slug>/desk/enrol`: preview a list, then make its accounts; passwords show once."""

    template = "desk/enrol.html"
    # The second step carries the list as text, which is longer.
    upload_bytes = 2 * MAX_BYTES
    long_fields = ("data",)

    brings = {"preview": "file"}

    def respond(self) -> HttpResponseBase:
        answer = super().respond()
        add_never_cache_headers(answer)
        return answer

    def do_preview(self) -> HttpResponse:
        file = self.files[0]
        plan = self._look(file.data)
        return self.show(plan=plan, data=carried(file.data), status=422 if plan.problems else 200)

    def do_enrol(self) -> HttpResponseBase:
        data = uncarried(self.request.POST.get("data", ""))
        if data is None:
            return errors.bad_request(self.request)
        enrolment = enrol_class(data=data, seen=self.seen, **self.who)
        slips = [[getattr(slip, name) for name in SLIP] for slip in enrolment.slips]
        ctx = {
            "frame": page_chrome.Frame(self.request, self.competition, tab=self.tab),
            "enrolment": enrolment,
            "way_in": self.request.build_absolute_uri(
                reverse("submit", args=[self.competition.slug])
            ),
            # In this very answer: nothing keeps the passwords that a second request could ask for.
            "csv": base64.b64encode(csv_file({}, SLIP, slips)).decode(),
        }
        return render(self.request, "desk/enrolled.html", ctx)

    def refuse(self, refusal: Refused) -> HttpResponse:
        """With the list that was carried along, looked at anew where that may be."""
        data = uncarried(self.request.POST.get("data", "")) or b""
        plan = None
        if data:
            with suppress(Refused):
                plan = self._look(data)
        return errors.refused(
            self.request, refusal, lambda: self.show(plan=plan, data=carried(data))
        )

    def context(self) -> dict[str, Any]:
        return {"plan": None, "data": "", "limit": MAX_BYTES, "most": MAX_PEOPLE}

    def _look(self, data: bytes) -> ClassPlan:
        return preview_class(data=data, **self.who)
