"""The closing report: the desk's page with the edition that holds golds, and the public one."""

from typing import Any

from django.http import FileResponse, Http404, HttpResponseBase
from django.utils.translation import gettext_lazy

from leaderboard.boards.visibility import is_final
from leaderboard.competitions.models import Organizer
from leaderboard.competitions.schedule import Phase, phase
from leaderboard.insight.closing_report import one_file, report_of, take_organizers_edition
from leaderboard.insight.models import ClosingReport
from leaderboard.web.contest.board import BoardsPage, attachment
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import RECORDS, Entry
from scoring.insight.closing.bundle import REPORT


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


class OfClosingReport(BoardsPage):
    """The public edition, from the reveal on, for who may read the final board."""

    kept: ClosingReport

    def open(self, **_address: object) -> None:
        found = report_of(self.competition) if is_final(self.viewer) else None
        if found is None:
            raise Http404
        self.kept = found


@page("closing-report.html", "closing_page")
class ClosingPage(OfClosingReport):
    """Sent as a file: the page brings its own style, which pages of this server may not."""

    def respond(self) -> HttpResponseBase:
        name = f"{self.competition.slug}-closing-report.html"
        return attachment(one_file(self.kept.public, REPORT), name, "text/html; charset=utf-8")


@page("closing-bundle.zip", "closing_bundle")
class ClosingBundle(OfClosingReport):
    def respond(self) -> HttpResponseBase:
        name = f"{self.competition.slug}-closing-bundle.zip"
        return FileResponse(self.kept.public.open("rb"), as_attachment=True, filename=name)
