"""The desk's closing report: whether it is made, how to check it, and the edition with golds."""

from typing import Any

from django.http import FileResponse, Http404, HttpResponseBase
from django.utils.translation import gettext_lazy

from leaderboard.competitions.models import Organizer
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.insight.closing import report_of, take_organizers_edition
from leaderboard.web.navigation import RECORDS, Entry
from leaderboard.web.page import DeskPage, page


@page("desk/closing", "desk_closing", Entry(RECORDS, gettext_lazy("Closing report"), 25))
class Closing(DeskPage):
    """`/c/<slug>/desk/closing`: a POST by an owner takes the organizers' edition."""

    template = "insight/closing.html"
    default = "take"

    def do_take(self) -> HttpResponseBase:
        """By POST: golds leave because somebody pressed a button, and the log keeps who."""
        kept = report_of(self.competition)
        if kept is None:
            raise Http404
        take_organizers_edition(**self.who)
        name = f"{self.competition.slug}-closing-bundle-organizers.zip"
        return FileResponse(kept.organizers.open("rb"), as_attachment=True, filename=name)

    def context(self) -> dict[str, Any]:
        return {
            "kept": report_of(self.competition),
            "revealed": phase(self.competition, self.at) is Phase.REVEALED,
            "is_owner": self.viewer.role == Organizer.Role.OWNER,
        }
