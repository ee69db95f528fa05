"""The desk's page that puts people into teams many at a time, and takes it back."""

from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.accounts.class_list import MAX_BYTES
from leaderboard.actions.decisions import LookFirst
from leaderboard.actions.refusals import Refused
from leaderboard.actions.regrouping import regroup
from leaderboard.actions.regrouping_plan import RegroupingPlan
from leaderboard.actions.regrouping_undone import undo_regrouping
from leaderboard.teams.models import Regrouping
from leaderboard.teams.team_list import MOST
from leaderboard.texts import reader_language
from leaderboard.web import errors
from leaderboard.web.forms import LinesField
from leaderboard.web.navigation import PEOPLE, Entry
from leaderboard.web.page import DeskPage, page
from scoring.findings import Findings, Limits
from scoring.table import decode

SHOWN = 10  # of what was done before


class RegroupForm(forms.Form):
    """A list, pasted or as a file; what is typed is what counts where both are there."""

    text = LinesField(
        label=gettext_lazy("Who is to be in which team"),
        max_length=MAX_BYTES,
        required=False,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false"}),
    )
    file = forms.FileField(
        label=gettext_lazy("Or a CSV file"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv,text/plain"}),
    )

    def clean(self) -> dict[str, Any]:
        """`text` is the whole list, wherever it came from."""
        given = self.cleaned_data
        file = given.pop("file", None)
        if file is not None:
            findings = Findings()
            read = decode(file.read(), Limits(max_bytes=MAX_BYTES), findings)
            if read is None:
                (problem,) = findings.problems()
                self.add_error("file", problem.message(reader_language()))
            else:
                given["text"] = read.text
        elif not given.get("text"):
            self.add_error("text", _("Paste the list or choose a file."))
        return given


@page("desk/regroup", "desk_regroup", Entry(PEOPLE, gettext_lazy("Arrange teams"), 35))
class Regroup(DeskPage):
    """`/c/<slug>/desk/regroup`: look at a list, then do it; what was done can be taken back."""

    template = "desk/regroup.html"
    upload_bytes = 2 * MAX_BYTES
    long_fields = ("text",)
    default = "regroup"
    forms = {"regroup": RegroupForm}
    beside = {"regroup": "text"}

    def do_regroup(self) -> HttpResponse | str:
        text = self.typed()["text"]
        try:
            done = regroup(text=text, seen=self.seen, **self.who)
        except LookFirst as first:
            problems = isinstance(first.preview, RegroupingPlan) and first.preview.problems
            status = 422 if problems else 200
            again = RegroupForm(initial={"text": text}, auto_id=self.auto_id("regroup"))
            self.bound = again
            return self.show(looked_at=self.verb, found=first.preview, status=status)
        said = ngettext(
            "%(n)d person is in another team now, and was told.",
            "%(n)d people are in other teams now, and were told.",
            len(done.moves),
        )
        return said % {"n": len(done.moves)}

    def do_undo(self) -> HttpResponse | str:
        rows = Regrouping.objects.select_related("competition")
        row = get_object_or_404(rows, competition=self.competition, pk=self.key())
        try:
            done = undo_regrouping(regrouping=row, user=self.user, seen=self.seen, at=self.at)
        except LookFirst as first:
            return self.show(looked_at=self.verb, undoing=row.pk, found=first.preview)
        except Refused as refusal:
            return errors.refused(self.request, refusal, self.show)
        said = ngettext(
            "%(n)d person was put back, and told.",
            "%(n)d people were put back, and told.",
            len(done.going),
        )
        return said % {"n": len(done.going)}

    def context(self) -> dict[str, Any]:
        rows = Regrouping.objects.filter(competition=self.competition)
        return {
            "form": self.form("regroup"),
            "done_before": rows.select_related("decided_by", "undone_by")[:SHOWN],
            "most": MOST,
            "limit": MAX_BYTES,
            "most_members": self.competition.max_team_size,
        }
