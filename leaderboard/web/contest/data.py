"""The data page: the files that participants may have, and a sample made from the real ids."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.functional import cached_property

from leaderboard.competitions.models import Competition, DataFile
from leaderboard.competitions.registration import WayToFiles
from leaderboard.references import queries as references
from leaderboard.references.released import has_released_dialogues, released_set
from leaderboard.texts import reader_language
from leaderboard.web import find
from leaderboard.web.contest.board import attachment
from leaderboard.web.find import WebRequest
from leaderboard.web.page import ContestPage, page
from scoring.predictions import SAMPLE_TEXTS


class FilesPage(ContestPage):
    """For members and organizers who have accepted the terms, and who may read a finished contest.

    `unjoined`: whether the last ones may, too.
    """

    tab = "data"
    unjoined = True

    @cached_property
    def way(self) -> WayToFiles:
        return find.way_to_files(self.viewer, unjoined=self.unjoined)

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
        started = self.handed_out
        dev_set = released_set(self.competition) if started else None
        return {
            "files": self.competition.data_files.all() if started else [],
            "handed_out": started,
            "dev_set": dev_set,
            "dev_dialogues": dev_set is not None and has_released_dialogues(dev_set),
            "version": self.viewer.version,
            "joined": self.viewer.team is not None or self.viewer.role is not None,
            "terms_due": self.way.terms,
        }


@page("data/sample_submission.csv", "sample")
class Sample(Download):
    """The real ids with a sentence to replace."""

    def respond(self) -> HttpResponseBase:
        if self.viewer.version is None:
            raise Http404
        text = SAMPLE_TEXTS[reader_language()]
        ids = references.expected_ids(self.viewer.version)
        rows = ([example_id, text] for example_id in ids)
        return data_csv("sample_submission.csv", ["fname", "summary"], rows)


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


def data_csv(name: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> HttpResponse:
    """Data to compute with, as written to the last character. The BOM is for Excel."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return attachment(text.getvalue().encode("utf-8-sig"), name)


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
    led = find.team_or_way_in(request, competition) if way.must_join else None
    return led if isinstance(led, HttpResponse) else None
