"""The desk's schedule: dates, pause, and holding the reveal.

Each is announced to all: the first POST shows what would be said, the one from that page does it.
"""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.actions import schedule as actions
from leaderboard.actions.decisions import LookFirst, Preview
from leaderboard.actions.refusals import Refused
from leaderboard.web.forms import DatesForm, PauseForm
from leaderboard.web.navigation import CONTEST, Entry
from leaderboard.web.page import DeskPage, page
from leaderboard.web.templatetags.formatting import spoken


@page("desk/schedule", "desk_schedule", Entry(CONTEST, gettext_lazy("Schedule"), 20))
class Schedule(DeskPage):
    """`/c/<slug>/desk/schedule`: the dates and three decisions about them."""

    template = "desk/schedule.html"
    forms = {
        "reschedule": DatesForm,
        **dict.fromkeys(("pause", "resume", "hold", "release"), PauseForm),
    }

    def respond(self) -> HttpResponseBase:
        # The form reads and writes the clock of the contest, whatever zone the server is in.
        with timezone.override(self.competition.zoneinfo):
            return super().respond()

    def do_reschedule(self) -> HttpResponse | str:
        dates = self._dates()
        if dates == actions.Dates.of(self.competition):
            messages.info(self.request, _("No date changes, so nothing is announced."))
            return self.show()
        reason = self.typed()["reason"]
        try:
            actions.reschedule(seen=self.seen, dates=dates, reason=reason, **self.who)
        except LookFirst as first:
            found = first.preview
            return self.show(looked_at=self.verb, found=found, moves=self._moves(found))
        except Refused as refusal:
            return self.at_field(None, spoken(refusal), refusal.status)
        return _("The schedule is saved.")

    def do_pause(self) -> HttpResponse | str:
        said = _("Submissions are paused. Everybody has been told.")
        reason = self.typed()["reason"]
        return self._second_step(actions.pause, said, reason=reason)

    def do_resume(self) -> HttpResponse | str:
        said = _("Submissions are open again. Everybody has been told.")
        return self._second_step(actions.resume, said)

    def do_hold(self) -> HttpResponse | str:
        said = _("The reveal is held. Everybody has been told.")
        return self._second_step(actions.hold_reveal, said, held=True)

    def do_release(self) -> HttpResponse | str:
        said = _("The reveal is no longer held. Everybody has been told.")
        return self._second_step(actions.hold_reveal, said, held=False)

    def auto_id(self, verb: str) -> str:
        return "id_%s" if verb == "reschedule" else "pause_%s"

    def context(self) -> dict[str, Any]:
        return {
            "form": self.form("reschedule"),
            "pausing": self.form("pause"),
            "zone_name": f"{self.at.astimezone(self.competition.zoneinfo):%Z}",
        }

    def stored(self, verb: str) -> dict[str, Any]:
        return {name: getattr(self.competition, name) for name in actions.NAMES}

    def _dates(self) -> actions.Dates:
        """The dates of the form. A minute that was not touched keeps the seconds that it has."""

        def chosen(name: str) -> datetime | None:
            typed: datetime | None = self.typed()[name]
            now: datetime | None = getattr(self.competition, name)
            return now if now and now.replace(second=0, microsecond=0) == typed else typed

        wanted: dict[str, Any] = {name: chosen(name) for name in actions.NAMES}
        return actions.Dates(**wanted)

    def _moves(self, found: Preview) -> list[tuple[str, datetime | None, datetime | None]]:
        assert isinstance(found, actions.Moves)
        form = self.form("reschedule")
        return [(str(form[move.name].label), move.before, move.after) for move in found.moves]

    def _second_step(self, act: Any, said: str, **wanted: Any) -> HttpResponse | str:
        who = {"competition": self.competition, "user": self.user}
        return self.second_step(act, said, **who, **wanted)
