"""A contest itself: making one, its pages and rules, its dates, its archive and deletion.

What is announced to all takes two steps: the first POST shows what would be said, the one from that
page does it.
"""

from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.actions import competition as actions
from leaderboard.actions import schedule
from leaderboard.actions.competition import not_a_creator
from leaderboard.actions.decisions import LookFirst
from leaderboard.actions.ending import archive, delete_competition, holdings
from leaderboard.celery import waking
from leaderboard.competitions.models import Competition, Organizer, zone_names
from leaderboard.competitions.roles import may_create
from leaderboard.competitions.schedule import suggested_dates
from leaderboard.refusals import Refused
from leaderboard.web import errors
from leaderboard.web.contest.overview import presets
from leaderboard.web.forms import DatesForm, NewContestForm, SettingsForm, reason_form, zones
from leaderboard.web.page import DeskPage, PersonPage, page
from leaderboard.web.page_chrome import CONTEST, RECORDS, Entry
from leaderboard.web.templatetags.formatting import spoken
from leaderboard.worker.tasks import erase


@page("desk/settings", "desk_settings", Entry(CONTEST, pgettext_lazy("contest", "Settings"), 10))
class SettingsPage(DeskPage):
    """`/c/<slug>/desk/settings`: a changed rule of a running contest is looked at first."""

    template = "desk/settings.html"
    forms = {"save": SettingsForm}
    beside = {"save": None}

    def do_save(self) -> HttpResponse | str:
        wanted = {"wanted": self.typed(), **self.who}
        try:
            return self.second_step(actions.edit_competition, _("Saved."), **wanted)
        except ValidationError as invalid:
            return self.at_field(None, invalid)

    def context(self) -> dict[str, Any]:
        return {"form": self.form("save")}

    def stored(self, verb: str) -> dict[str, Any]:
        return {name: getattr(self.competition, name) for name in actions.NAMES}


DEFAULTS = ("zone", "preset", "tokenizer", "daily_limit", "max_waiting")


class NewContest(PersonPage):
    """`/contests/new`: what a contest cannot be without; the desk asks for the rest."""

    template = "new_contest.html"
    forms = {"create": NewContestForm}
    default = "create"

    def enter(self, **address: Any) -> HttpResponse | None:
        if may_create(self.user):
            return None
        return errors.refused(self.request, not_a_creator())

    def respond(self) -> HttpResponseBase:
        # The dates are typed in the zone that is chosen beside them.
        zone = self.request.POST.get("zone", "")
        with timezone.override(ZoneInfo(zone if zone in zone_names() else Competition().zone)):
            return super().respond()

    def do_create(self) -> HttpResponse:
        try:
            made = actions.create_competition(owner=self.user, at=self.at, **self.typed())
        except ValidationError as invalid:
            return self.at_field(None, invalid)
        said = _("The competition was created. It can open when the list below is done.")
        messages.success(self.request, said)
        return redirect("desk", slug=made.slug)

    def refuse(self, refusal: Refused) -> HttpResponse:
        places = {"slug_taken": "slug", "date_in_the_past": "closes_at"}
        return self.at_field(places.get(refusal.code), spoken(refusal))

    def context(self) -> dict[str, Any]:
        blank = Competition()
        initial = {name: getattr(blank, name) for name in DEFAULTS}
        initial |= suggested_dates(blank.zoneinfo, self.at)
        form = self.form("create", initial=initial)
        return {"form": form, "zones": zones(), "presets": presets()}


@page("desk/schedule", "desk_schedule", Entry(CONTEST, gettext_lazy("Schedule"), 20))
class Schedule(DeskPage):
    """`/c/<slug>/desk/schedule`: the dates and three decisions about them."""

    template = "desk/schedule.html"
    forms = {"reschedule": DatesForm, "pause": reason_form(200, required=False)}
    verbs = {
        "pause": (
            schedule.pause,
            gettext_lazy("Submissions are paused."),
        ),
        "resume": (
            schedule.resume,
            gettext_lazy("Submissions are no longer paused."),
        ),
        "hold": (
            partial(schedule.hold_reveal, held=True),
            gettext_lazy("The reveal is held."),
        ),
        "release": (
            partial(schedule.hold_reveal, held=False),
            gettext_lazy("The reveal is no longer held."),
        ),
    }
    previewed = verbs.keys()

    def respond(self) -> HttpResponseBase:
        # The form reads and writes the clock of the contest, whatever zone the server is in.
        with timezone.override(self.competition.zoneinfo):
            return super().respond()

    def do_reschedule(self) -> HttpResponse | str:
        moved = self._moved()
        if not moved:
            messages.info(self.request, _("No date changes, so nothing is announced."))
            return self.show()
        reason = self.typed()["reason"]
        try:
            schedule.reschedule(seen=self.seen, dates=moved, reason=reason, **self.who)
        except LookFirst as first:
            form, now = self.form("reschedule"), self.stored(self.verb)
            moves = [(form[name].label, now[name], date) for name, date in moved.items()]
            return self.show(looked_at=self.verb, found=first.preview, moves=moves)
        except Refused as refusal:
            return self.at_field(None, refusal)
        return _("The schedule is saved.")

    def auto_id(self, verb: str) -> str:
        return "id_%s" if verb == "reschedule" else "pause_%s"

    def context(self) -> dict[str, Any]:
        return {
            "form": self.form("reschedule"),
            "pausing": self.form("pause"),
        }

    def stored(self, verb: str) -> dict[str, Any]:
        return {name: getattr(self.competition, name) for name in schedule.NAMES}

    def _moved(self) -> schedule.Dates:
        """The dates that the form changes: one whose minute was not touched keeps its seconds."""
        typed, now = self.typed(), self.stored(self.verb)
        return {
            name: typed[name]
            for name, date in now.items()
            if typed[name] != (date and date.replace(second=0, microsecond=0))
        }


class SlugForm(forms.Form):
    address = forms.CharField(label=gettext_lazy("The competition's address"), max_length=50)


@page(
    "desk/ending",
    "desk_ending",
    Entry(RECORDS, gettext_lazy("Archive and delete"), 90, who=(Organizer.Role.OWNER,)),
)
class Ending(DeskPage):
    """`/c/<slug>/desk/ending`: for owners and administrators."""

    template = "desk/ending.html"

    def is_for(self) -> bool:
        return self.viewer.role == Organizer.Role.OWNER or self.user.is_superuser

    forms = {"delete": SlugForm}
    beside = {"delete": "address"}
    verbs = {
        "archive": (
            partial(archive, archived=True),
            gettext_lazy("The competition is archived."),
        ),
        "reopen": (
            partial(archive, archived=False),
            gettext_lazy("The competition was restored from the archive."),
        ),
    }

    previewed = ("archive",)

    def do_delete(self) -> HttpResponse:
        with waking(erase):
            delete_competition(typed=self.typed()["address"], **self.who)
        messages.success(self.request, _("The competition is deleted."))
        return redirect("home")

    def context(self) -> dict[str, Any]:
        return {"holdings": holdings(self.competition), "form": self.form("delete")}
