"""The desk's dev set: golds and dialogues that participants may read and practise on."""

from dataclasses import dataclass
from typing import Any, TypeVar

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.actions.references import (
    preview_dialogues,
    preview_release,
    release_dev_set,
    release_dialogues,
    upload_dev_set,
    upload_dialogues,
)
from leaderboard.references.models import DialogueSet, ReferenceSet
from leaderboard.references.released import dialogue_sets, practice_sets, released_set
from leaderboard.web.desk.page import DeskPage, desk_page
from leaderboard.web.navigation import SCORING, Menu
from leaderboard.web.uploads import ORGANIZER_BYTES
from scoring.findings import InvalidFile

Set = TypeVar("Set", ReferenceSet, DialogueSet)


@dataclass(frozen=True)
class DevSetLine:
    """One uploaded set: handed out, or waiting for it."""

    reference_set: ReferenceSet
    is_released: bool
    is_current: bool


@desk_page("desk/dev-set", "desk_dev_set", Menu(SCORING, gettext_lazy("Dev set"), 20))
class DevSet(DeskPage):
    """`/c/<slug>/desk/dev-set`: upload and look first, release then; a release stays."""

    tab = "desk_dev_set"
    template = "desk/dev_set.html"
    upload_bytes = ORGANIZER_BYTES
    chosen: ReferenceSet | DialogueSet | None = None  # to be released

    def answer(self) -> HttpResponseBase:
        try:
            return super().answer()
        except InvalidFile as invalid:
            return self.show(invalid=invalid, status=422)

    def do_upload(self) -> HttpResponse | str:
        files = self.files("files")
        if not files:
            return self.without_file(_("Choose a file."))
        upload_dev_set(files=files, **self.who)
        return _("The dev set was checked and kept. Nobody can see it yet.")

    def do_upload_dialogues(self) -> HttpResponse | str:
        files = self.files("files")
        if not files:
            return self.without_file(_("Choose a file."))
        upload_dialogues(upload=files[0], **self.who)
        return _("The dialogues were checked and kept. Nobody can see them yet.")

    def do_release(self) -> HttpResponse | str:
        self.chosen = self._named(ReferenceSet)
        said = _("The dev set is released. Participants can now download it and score against it.")
        wanted = {"reference_set": self.chosen, "user": self.user}
        return self.second_step(preview_release, release_dev_set, said, **wanted)

    def do_release_dialogues(self) -> HttpResponse | str:
        self.chosen = self._named(DialogueSet)
        wanted = {"dialogue_set": self.chosen, "user": self.user}
        said = _("The dialogues are released.")
        return self.second_step(preview_dialogues, release_dialogues, said, **wanted)

    def context(self) -> dict[str, Any]:
        current = released_set(self.competition)
        return {
            "lines": [
                DevSetLine(
                    reference_set=one,
                    is_released=hasattr(one, "release"),
                    is_current=one == current,
                )
                for one in practice_sets(self.competition)
            ],
            "dialogue_sets": dialogue_sets(self.competition),
            "verb": self.verb,
            "chosen": self.chosen,
            "limit": ORGANIZER_BYTES,
        }

    def _named(self, kind: type[Set]) -> Set:
        return get_object_or_404(kind, competition=self.competition, pk=self.key())
