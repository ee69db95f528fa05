"""The desk's page that puts people into teams many at a time."""

from typing import Any

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.accounts.class_list import MAX_BYTES
from leaderboard.actions.decisions import LookFirst
from leaderboard.actions.regrouping import regroup
from leaderboard.actions.regrouping_plan import RegroupingPlan
from leaderboard.teams.team_list import MOST
from leaderboard.texts import reader_language
from leaderboard.web.forms import LinesField
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import PEOPLE, Entry
from scoring.findings import Findings, Limits
from scoring.table import decode


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
    """`/c/<slug>/desk/regroup`: look at a list, then do it."""

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
            len(done),
        )
        return said % {"n": len(done)}

    def context(self) -> dict[str, Any]:
        return {
            "form": self.form("regroup"),
            "most": MOST,
            "limit": MAX_BYTES,
            "most_members": self.competition.max_team_size,
        }
