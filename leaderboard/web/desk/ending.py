"""The desk's last page: the contest goes to the archive and comes back, or is deleted."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.actions.ending import archive, delete_competition, holdings
from leaderboard.celery import waking
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.web import find
from leaderboard.web.find import WebRequest
from leaderboard.web.navigation import RECORDS, Entry
from leaderboard.web.page import DeskPage, page
from leaderboard.worker.tasks import erase


class SlugForm(forms.Form):
    address = forms.CharField(label=gettext_lazy("The competition's address"), max_length=50)


@page(
    "desk/ending",
    "desk_ending",
    Entry(RECORDS, gettext_lazy("Archive and delete"), 90, who=(Organizer.Role.OWNER,)),
)
class Ending(DeskPage):
    """`/c/<slug>/desk/ending`: for owners and administrators."""

    template = "desk/ending.html"

    @staticmethod
    def known(request: WebRequest, slug: str) -> Competition:
        found = find.viewer(request, slug)
        if found.role != Organizer.Role.OWNER and not find.person(request).is_superuser:
            raise Http404
        return found.competition

    forms = {"delete": SlugForm}
    beside = {"delete": "address"}

    def do_archive(self) -> str:
        archive(archived=True, **self.who)
        return _("The competition is archived.")

    def do_reopen(self) -> str:
        archive(archived=False, **self.who)
        return _("The competition is back from the archive.")

    def do_delete(self) -> HttpResponse:
        with waking(erase):
            delete_competition(typed=self.typed()["address"], **self.who)
        messages.success(self.request, _("The competition is deleted."))
        return redirect("home")

    def context(self) -> dict[str, Any]:
        return {"holdings": holdings(self.competition), "form": self.form("delete")}
