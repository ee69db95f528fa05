"""The data page: the files that participants may have, and a sample made from the real ids."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.functional import cached_property

from leaderboard.competitions.models import Competition, DataFile
from leaderboard.competitions.registration import WayToFiles
from leaderboard.references.handouts import Handouts
from leaderboard.web import lookups
from leaderboard.web.contest.board import attachment
from leaderboard.web.lookups import WebRequest
from leaderboard.web.page import ContestPage, page


class FilesPage(ContestPage):
    """For members and organizers who have accepted the terms, and who may read a finished contest.

    `unjoined`: whether the last ones may, too.
    """

    tab = "data"
    unjoined = True

    @cached_property
    def way(self) -> WayToFiles:
        return lookups.way_to_files(self.viewer, unjoined=self.unjoined)

    def way_in(self) -> HttpResponse | None:
        return led_to_files(self.request, self.competition, self.way)

    @property
    def handed_out(self) -> bool:
        return not self.way.is_early


class Download(FilesPage):
    """A file; a 404 before the start."""

    def open(self, **address: UUID) -> None:
        if not self.handed_out:
            raise Http404
        self.named = address


@page("data", "data")
class Data(FilesPage):
    template = "data.html"

    def way_in(self) -> HttpResponse | None:
        return _led_to_join(self.request, self.competition, self.way)

    def context(self) -> dict[str, Any]:
        found = Handouts(self.competition, self.viewer.version) if self.handed_out else None
        return {
            "files": found.uploaded if found else [],
            "handed_out": self.handed_out,
            "dev_set": found and found.dev_set,
            "dev_dialogues": found and found.has_dialogues,
            "version": self.viewer.version,
            "joined": self.viewer.team is not None or self.viewer.role is not None,
            "terms_due": self.way.terms,
        }


@page("data/sample_submission.csv", "sample")
@page("lab/dev_golds.csv", "dev_golds")
@page("lab/dev_dialogues.csv", "dev_dialogues")
class MadeHere(Download):
    """One that is made when it is asked for; its name ends the address."""

    def respond(self) -> HttpResponseBase:
        called = self.request.path.rpartition("/")[2]
        made = Handouts(self.competition, self.viewer.version).made()
        found = next((one for one in made if one.name == called), None)
        if found is None:
            raise Http404
        return attachment(found.data, found.name)


@page("data/<uuid:file_id>", "data_file")
class OrganizersFile(Download):
    def respond(self) -> HttpResponseBase:
        found = get_object_or_404(DataFile, competition=self.competition, pk=self.named["file_id"])
        return FileResponse(
            found.file.open("rb"),
            as_attachment=True,
            filename=found.name,
            content_type="application/octet-stream",
        )


def led_to_files(
    request: WebRequest, competition: Competition, way: WayToFiles
) -> HttpResponse | None:
    """None for who may have the files once they are handed out, else the way to become one."""
    if (join := _led_to_join(request, competition, way)) is not None:
        return join
    if way.terms is None:
        return None
    back = urlencode({"next": reverse("data", args=[competition.slug])})
    return redirect(f"{reverse('terms', args=[competition.slug])}?{back}")


def _led_to_join(
    request: WebRequest, competition: Competition, way: WayToFiles
) -> HttpResponse | None:
    led = lookups.team_or_way_in(request, competition) if way.must_join else None
    return led if isinstance(led, HttpResponse) else None
