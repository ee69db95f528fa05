"""The desk's files for participants: upload, description, order, removal."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext_lazy

from leaderboard.actions.data_files import (
    MADE_BY_THE_SERVER,
    add_data_file,
    describe_data_file,
    move_data_file,
    remove_data_file,
)
from leaderboard.competitions.models import DataFile, Organizer
from leaderboard.references.queries import live_version
from leaderboard.web.desk.forms import DescriptionForm
from leaderboard.web.desk.page import DeskPage, desk_page
from leaderboard.web.navigation import CONTEST, Menu
from leaderboard.web.uploads import ORGANIZER_BYTES
from scoring.table import lacks_mark

NO_MARK = gettext_noop(
    "%(name)s has no BOM, so Korean letters are garbled where a participant opens it in Korean "
    'Excel. Remove this file, save it as “CSV UTF-8” in Excel or with encoding="utf-8-sig" in '
    "Python, and upload it again."
)


@desk_page("desk/data", "desk_data", Menu(CONTEST, pgettext_lazy("desk", "Data files"), 30))
class DataFiles(DeskPage):
    """`/c/<slug>/desk/data`: what participants may download."""

    tab = "desk_data"
    template = "desk/data.html"
    forms = {"add": DescriptionForm, "describe": DescriptionForm}
    upload_bytes = ORGANIZER_BYTES

    def do_add(self) -> HttpResponse | str:
        files = self.files("file")
        if not files:
            return self.without_file(_("Choose a file."))
        added = add_data_file(upload=files[0], **self.typed(), **self.who)
        messages.success(self.request, _("%(name)s is added.") % {"name": added.name})
        if added.name.lower().endswith(".csv") and lacks_mark(files[0].data):
            messages.warning(self.request, _(NO_MARK) % {"name": added.name})
        return self.done()

    def do_describe(self) -> str:
        describe_data_file(data_file=self._file(), user=self.user, at=self.at, **self.typed())
        return _("Saved.")

    def do_remove(self) -> str:
        file = self._file()
        remove_data_file(data_file=file, user=self.user, at=self.at)
        return _("%(name)s is removed.") % {"name": file.name}

    def do_up(self) -> None:
        move_data_file(data_file=self._file(), user=self.user, places=-1, at=self.at)

    def do_down(self) -> None:
        move_data_file(data_file=self._file(), user=self.user, places=1, at=self.at)

    def context(self) -> dict[str, Any]:
        adding = self.form("add")
        return {
            "files": self.competition.data_files.all(),
            # What is wrong with another file's description is said here, too.
            "form": self.bound if self.bound and self.bound.errors else adding,
            "may_remove": self.visit.role == Organizer.Role.OWNER,
            "sample": MADE_BY_THE_SERVER if live_version(self.competition) else "",
            "limit": ORGANIZER_BYTES,
        }

    def _file(self) -> DataFile:
        return get_object_or_404(DataFile, competition=self.competition, pk=self.key("file_id"))
