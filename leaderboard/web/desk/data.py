"""The desk's files for participants: upload, description, removal."""

from typing import Any, TypeVar

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, pgettext_lazy

from leaderboard.actions import data_files, references
from leaderboard.competitions.models import DataFile, Organizer
from leaderboard.references.models import DialogueSet, ReferenceSet
from leaderboard.references.queries import live_version, practice_sets, released_set
from leaderboard.web.forms import DescribeForm, DescriptionForm
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import CONTEST, SCORING, Entry
from leaderboard.web.uploads import ORGANIZER_BYTES
from scoring.table import lacks_mark

NO_MARK = gettext_noop(
    "%(name)s has no BOM, so Korean Excel shows its Korean letters garbled. Remove the file, "
    'save it as “CSV UTF-8” in Excel or with encoding="utf-8-sig" in Python, and upload it again.'
)


@page("desk/data", "desk_data", Entry(CONTEST, pgettext_lazy("desk", "Data files"), 30))
class DataFiles(DeskPage):
    """`/c/<slug>/desk/data`: what participants may download."""

    template = "desk/data.html"
    forms = {"add": DescriptionForm, "describe": DescribeForm}
    verbs = {
        "describe": (data_files.describe_data_file, gettext_lazy("Saved.")),
    }
    brings = {"add": "file"}
    upload_bytes = ORGANIZER_BYTES

    def do_add(self) -> None:
        file = self.files[0]
        added = data_files.add_data_file(upload=file, **self.typed(), **super().who)
        messages.success(self.request, _("%(name)s was added.") % {"name": added.name})
        if added.name.lower().endswith(".csv") and lacks_mark(file.data):
            messages.warning(self.request, _(NO_MARK) % {"name": added.name})

    def do_remove(self) -> str:
        who = self.who
        data_files.remove_data_file(**who)
        return _("%(name)s was removed.") % {"name": who["data_file"].name}

    @property
    def who(self) -> dict[str, Any]:
        return {"data_file": self._file(), "user": self.user, "at": self.at}

    def context(self) -> dict[str, Any]:
        return {
            "files": [(file, self._describing(file)) for file in self.competition.data_files.all()],
            "form": self.form("add"),
            "may_remove": self.viewer.role == Organizer.Role.OWNER,
            "sample": data_files.MADE_BY_THE_SERVER if live_version(self.competition) else "",
            "limit": ORGANIZER_BYTES,
        }

    def stored(self, verb: str) -> dict[str, Any] | None:
        return _words(self._file()) if verb == "describe" else None

    def auto_id(self, verb: str) -> str:
        return f"{self.key('file_id')}_%s" if verb == "describe" else "id_%s"

    def _describing(self, file: DataFile) -> Form:
        """The file's form, as it was sent if it was."""
        said: dict[str, Any] = {"initial": _words(file), "auto_id": f"{file.pk}_%s"}
        if self.verb in ("describe", "remove") and self.key("file_id") == file.pk:
            return self.bound or DescribeForm(self.request.POST, **said)
        return DescribeForm(**said)

    def _file(self) -> DataFile:
        return get_object_or_404(DataFile, competition=self.competition, pk=self.key("file_id"))


def _words(file: DataFile) -> dict[str, Any]:
    return {"description": file.description, "description_en": file.description_en}


Set = TypeVar("Set", ReferenceSet, DialogueSet)


@page("desk/dev-set", "desk_dev_set", Entry(SCORING, gettext_lazy("Dev set"), 20))
class DevSet(DeskPage):
    """`/c/<slug>/desk/dev-set`: upload and look first, release then; a release stays."""

    template = "desk/dev_set.html"
    upload_bytes = ORGANIZER_BYTES
    brings = {"upload": "files", "upload_dialogues": "files"}
    chosen: ReferenceSet | DialogueSet | None = None  # to be released

    def do_upload(self) -> str:
        references.upload_dev_set(files=self.files, **self.who)
        return _("The dev set was checked and saved. Nobody can see it yet.")

    def do_upload_dialogues(self) -> str:
        references.upload_dialogues(upload=self.files[0], **self.who)
        return _("The dialogues were checked and saved. Nobody can see them yet.")

    def do_release(self) -> HttpResponse | str:
        self.chosen = self._named(ReferenceSet)
        said = _("The dev set is released. Participants can now download it and score against it.")
        wanted = {"reference_set": self.chosen, "user": self.user}
        return self.second_step(references.release_dev_set, said, **wanted)

    def do_release_dialogues(self) -> HttpResponse | str:
        self.chosen = self._named(DialogueSet)
        wanted = {"dialogue_set": self.chosen, "user": self.user}
        said = _("The dialogues are released.")
        return self.second_step(references.release_dialogues, said, **wanted)

    def context(self) -> dict[str, Any]:
        return {
            "sets": practice_sets(self.competition),
            "current": released_set(self.competition),
            "dialogue_sets": self.competition.dialogue_sets.select_related("uploaded_by"),
            "verb": self.verb,
            "chosen": self.chosen,
            "limit": ORGANIZER_BYTES,
        }

    def _named(self, kind: type[Set]) -> Set:
        return get_object_or_404(kind, competition=self.competition, pk=self.key())
