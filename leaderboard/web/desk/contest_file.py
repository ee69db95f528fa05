"""A contest as a file: taking it out, beginning another one like it, making one of a file."""

import hashlib
import io
from typing import IO, Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.accounts.models import User
from leaderboard.actions.competition import not_a_creator
from leaderboard.actions.decisions import refuse_all_but_owners
from leaderboard.celery import waking
from leaderboard.competitions import roles
from leaderboard.competitions.models import Organizer
from leaderboard.competitions.storage import passing_file
from leaderboard.contest_file.check import plan
from leaderboard.contest_file.cloning import clone
from leaderboard.contest_file.everything import everything
from leaderboard.contest_file.export import export_competition, package
from leaderboard.contest_file.import_competition import import_competition
from leaderboard.contest_file.packing import WEB, Archive, Wrong, write_zip
from leaderboard.web import errors, fragments
from leaderboard.web.forms import CARRIED_BYTES, CloneForm, ImportForm
from leaderboard.web.lookups import WebRequest
from leaderboard.web.page import DeskPage, PersonPage, page
from leaderboard.web.page_chrome import RECORDS, Entry
from leaderboard.web.uploads import carried, uncarried
from leaderboard.worker.tasks import evaluate_next

IMPORT_BYTES = 50_000_000  # larger ones take longer than a page may: `manage.py import_contest`


@page("desk/file", "desk_file", Entry(RECORDS, gettext_lazy("Export"), 20))
class ContestFile(DeskPage):
    """`/c/<slug>/desk/file`: scores and files; for owners the competition file, and a clone."""

    template = "desk/file.html"
    forms = {"clone": CloneForm}
    beside = {"clone": "slug"}

    def do_plain(self, *, full: bool = False) -> HttpResponseBase:
        """By POST: references leave because somebody pressed a button, and the log keeps who."""
        export_competition(full=full, **self.who)
        out = passing_file()
        write_zip(package(self.competition, full=full), out)
        out.seek(0)
        return _zip(out, f"{self.competition.slug}-contest{'-full' if full else ''}.zip")

    def do_full(self) -> HttpResponseBase:
        return self.do_plain(full=True)

    def do_clone(self) -> HttpResponse:
        if not roles.may_create(self.user):
            raise not_a_creator()
        refuse_all_but_owners(self.competition, self.user)
        found = clone(self.competition, at=self.at, **self.typed())
        if found.contest is None:
            return self.show(found=found, status=422)
        export_competition(full=False, clone=self.typed()["slug"], **self.who)
        made = import_competition(
            contest=found.contest, owner=self.user, asked_by=self.user, at=self.at
        )
        messages.success(self.request, str(fragments.SENTENCES["cloned"]))
        return redirect("desk", slug=made.slug)

    def context(self) -> dict[str, Any]:
        return {
            "is_owner": self.viewer.role == Organizer.Role.OWNER,
            "may_create": roles.may_create(self.user),
            "form": self.form("clone"),
        }

    def stored(self, verb: str) -> dict[str, Any]:
        return {"title": self.competition.title}


@page("desk/export.zip", "desk_export_zip")
class ExportZip(DeskPage):
    """`/c/<slug>/desk/export.zip`: packed into a temporary file, then sent from there."""

    def respond(self) -> HttpResponseBase:
        return _zip(everything(self.viewer), f"{self.competition.slug}-export.zip")


def _zip(packed: IO[bytes], name: str) -> HttpResponseBase:
    return FileResponse(packed, as_attachment=True, filename=name, content_type="application/zip")


def _creators(request: WebRequest, /) -> HttpResponse | None:
    """A `Sender`: who may make contests."""
    if not isinstance(request.user, User):
        return redirect_to_login(request.get_full_path())
    return None if roles.may_create(request.user) else errors.refused(request, not_a_creator())


class ImportContest(PersonPage):
    """`/contests/import`: look at a file, then make what was seen."""

    template = "import_contest.html"
    forms = dict.fromkeys(("check", "import"), ImportForm)
    beside = dict.fromkeys(("check", "import"), "file")
    default = "check"
    upload_bytes = IMPORT_BYTES
    long_fields = ("carried",)
    sender = staticmethod(_creators)

    def enter(self, **address: Any) -> HttpResponse | None:
        return _creators(self.request)

    def answer(self) -> HttpResponseBase:
        try:
            return super().answer()
        except Wrong as error:
            return self.at_field("file", str(error))

    def do_check(self) -> HttpResponse:
        data = self._sent()
        if not data:
            return self.wrong(_("Choose a file."))
        found = plan(
            Archive(io.BytesIO(data), WEB), slug=self.typed()["slug"] or None, asked_by=self.user
        )
        seen = hashlib.sha256(data).hexdigest()
        carrying = carried(data) if len(data) <= CARRIED_BYTES else ""
        shown = {"found": found, "seen": seen, "carried": carrying}
        if found.contest is None or self.verb != "import":
            return self.show(status=200 if found.contest else 422, **shown)
        if self.typed()["seen"] != seen:
            said = _("This is not the file that was checked. Check it again below.")
            return self.at_field("file", said, 409, **shown)
        with waking(evaluate_next):
            made = import_competition(
                contest=found.contest, owner=self.user, asked_by=self.user, at=self.at
            )
        messages.success(self.request, _("Competition imported."))
        runs = roles.may_edit(self.user, made)
        return redirect("desk" if runs else "overview", slug=made.slug)

    do_import = do_check

    def _sent(self) -> bytes | None:
        """The file as it was chosen now, or as the page carried it."""
        file: UploadedFile[bytes] | None = self.typed()["file"]
        return uncarried(self.typed()["carried"]) if file is None else file.read()

    def context(self) -> dict[str, Any]:
        return {"form": self.bound or ImportForm(), "limit": IMPORT_BYTES}
