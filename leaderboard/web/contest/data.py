"""The files that participants may have, a sample made from the real ids, and the dev lab."""

from functools import partial
from typing import Any
from uuid import UUID

from django.contrib.auth.views import redirect_to_login
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from leaderboard.accounts.rate_limits import left
from leaderboard.actions import checks
from leaderboard.actions.checks import Practice, PracticeRow
from leaderboard.boards.exports import csv_file
from leaderboard.competitions.models import Competition, DataFile
from leaderboard.references.handouts import Handouts
from leaderboard.references.queries import (
    has_released_dialogues,
    practice_examples,
    released_set,
)
from leaderboard.refusals import Refused
from leaderboard.submissions.queries import Upload
from leaderboard.web import errors, fragments, lookups
from leaderboard.web.contest.board import attachment
from leaderboard.web.lookups import WayToFiles, WebRequest
from leaderboard.web.page import ContestPage, page
from leaderboard.web.uploads import PREDICTIONS_BYTES
from scoring.explain import TokenMark
from scoring.findings import InvalidFile
from scoring.ranking import as_printed


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


@page("data", "data")
class Data(FilesPage):
    template = "data.html"

    def way_in(self) -> HttpResponse | None:
        return lookups.way_in(self.request, self.competition) if self.way.must_join else None

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
        return attachment(found.file.read(), found.name)


@page("data/<uuid:file_id>", "data_file")
class OrganizersFile(Download):
    def respond(self) -> HttpResponseBase:
        found = get_object_or_404(DataFile, competition=self.competition, pk=self.rest["file_id"])
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
    if way.must_join:
        return lookups.way_in(request, competition)
    if way.terms is None:
        return None
    data, terms = (reverse(name, args=[competition.slug]) for name in ("data", "terms"))
    return redirect_to_login(data, terms)


# --- The dev lab: free scoring against the released dev set --------------------------------------
# Nothing here can name another set: `practise` asks for the released one and knows no other.


def _practising(request: WebRequest, /, slug: str) -> HttpResponse | None:
    """A `Sender`: who may have the files of the contest, the dev set among them."""
    seen = lookups.viewer(request, slug)
    return led_to_files(request, seen.competition, lookups.way_to_files(seen, unjoined=False))


@page("lab", "lab")
class Lab(FilesPage):
    """`/c/<slug>/lab`: drop a dev file or write one summary; no quota, nothing is kept."""

    template = "lab.html"
    unjoined = False
    default = "file"
    upload_bytes = PREDICTIONS_BYTES
    long_fields = ("pasted",)
    sender = staticmethod(_practising)

    def answer(self) -> HttpResponseBase:
        return super().answer() if self.handed_out else self.show()

    def do_row(self) -> HttpResponse:
        found = checks.practise_row(
            competition=self.competition,
            team=self.viewer.team,
            example_id=self.request.POST.get("row", ""),
            text=self.request.POST.get("text", ""),
            at=self.at,
        )
        if found is None:
            return self.wrong(_("The dev set has no such id."))
        return self.show(rows=[lab_row(found, found.worked.row_value)])

    def unknown(self) -> HttpResponse:
        """A file: its rows, or as CSV each row's metrics and value under the set's signature."""
        upload = self._upload()
        if upload is None:
            return self.wrong(_("Choose a file or paste its content."))
        practice = checks.practise(
            competition=self.competition,
            team=self.viewer.team,
            data=upload.data,
            at=self.at,
        )
        if self.verb != "csv":
            rows = [lab_row(row, practice.values[row.example_id][1]) for row in practice.rows]
            shown = {
                "file": _shown(upload, practice),
                "rows": rows,
                "fragments": [
                    make(self.request, self.competition, practice) for make in fragments.LAB
                ],
            }
            return self._with_second(upload, practice, shown)
        signed = {"competition": self.competition.slug, "signature": practice.report.signature}
        numbers = (
            [example_id, *(f"{value:.6f}" for value in (*metrics, total))]
            for example_id, (metrics, total) in practice.values.items()
        )
        header = ["fname", *practice.profile.metrics, "total"]
        return attachment(csv_file(signed, header, numbers), "dev_scores.csv")

    def _with_second(
        self, upload: Upload, practice: Practice, shown: dict[str, Any]
    ) -> HttpResponse:
        """The first file's page, and the second one beside it if there is one."""
        chosen = self.request.FILES.get("second")
        if chosen is None or not fragments.LAB_SECOND:
            return self.show(**shown)
        name = chosen.name or ""
        second = Upload(name, chosen.read())
        try:
            beside = [
                make(self.request, self.viewer, practice, upload.name, second)
                for make in fragments.LAB_SECOND
            ]
        except InvalidFile as invalid:
            return self.show(invalid=invalid, invalid_name=name, status=422, **shown)
        except Refused as refusal:  # the first file's run is used, so its result stays
            page = partial(self.show, status=refusal.status, **shown)
            return errors.refused(self.request, refusal, page)
        return self.show(beside=beside, **shown)

    def _upload(self) -> Upload | None:
        """The chosen file or the pasted lines."""
        sent = self.request.POST
        chosen = self.request.FILES.get("file")
        if chosen is not None:
            return Upload(chosen.name or "", chosen.read())
        if pasted := sent.get("pasted", "").strip():
            return Upload(_("pasted.csv"), pasted.encode()[:PREDICTIONS_BYTES])
        return None

    def show(self, *, status: int = 200, **shown: Any) -> HttpResponse:
        # What was pasted stays in its field until it is scored.
        pasted = self.request.POST.get("pasted", "") if status != 200 else ""
        return super().show(status=status, pasted=pasted, **shown)

    def context(self) -> dict[str, Any]:
        reference_set = released_set(self.competition) if self.handed_out else None
        ids, refusal = [], None
        example: PracticeRow | None = None
        if reference_set is not None:
            ids = [row.example_id for row in practice_examples(reference_set)]
            try:
                example = checks.practice_example(self.competition)
            except Refused as refused:
                refusal = refused
        if self.verb:  # somebody tries their own
            example = None
        sent = self.request.POST
        return {
            "rows": [lab_row(example, example.worked.row_value)] if example else [],
            "is_example": example is not None,
            "handed_out": self.handed_out,
            "reference_set": reference_set,
            "ids": ids,
            "has_dialogues": reference_set and has_released_dialogues(reference_set),
            "refusal": refusal,
            "limit": PREDICTIONS_BYTES,
            "wanted": sent.get("row", ""),
            "single": example.worked.prediction if example else sent.get("text", ""),
            "takes_second": bool(fragments.LAB_SECOND),
            "runs": self.viewer.team and left(checks.LAB_RUNS, self.viewer.team.pk, self.at),
        }


def _shown(upload: Upload, practice: Practice) -> dict[str, Any]:
    labels = [metric.label for metric in practice.profile.parsed_metrics]
    values = [as_printed(practice.report.metrics[name]) for name in practice.profile.metrics]
    return {
        "name": upload.name,
        "practice": practice,
        "total": as_printed(practice.report.total),
        "metrics": zip(labels, values, strict=True),
        "listed": [
            (row.place or 0, row.example_id, as_printed(practice.values[row.example_id][1]))
            for row in practice.rows
        ],
    }


def lab_row(row: PracticeRow, value: float) -> dict[str, Any]:
    """A row with its tokens marked, against the reference that won most metrics first."""
    references = [
        {"marks": one, "ours": _tokens(one.ours, "x"), "theirs": _tokens(one.marks, "o")}
        for one in row.worked.golds
    ]
    return {
        "row": row,
        "value": as_printed(value),
        "references": references,
        "best": max(row.worked.golds, key=lambda one: len(one.won)),
    }


def _tokens(marks: tuple[TokenMark, ...], alone: str) -> list[tuple[str, str, str]]:
    """Each with its classes of look/parts: m same, j joined to the next, l in order, else `alone`;
    and, where another kind begins, its name for who does not see them."""
    names = {"m": _("same"), "o": _("missing"), "x": _("extra")}
    found, before = [], ""
    for mark in marks:
        kind = "m" if mark.unigram or mark.in_order else alone
        classes = [kind]
        classes += ["j"] if mark.joined else []
        classes += ["l"] if mark.in_order else []
        found.append((mark.token, " ".join(classes), "" if kind == before else names[kind]))
        before = kind
    return found
