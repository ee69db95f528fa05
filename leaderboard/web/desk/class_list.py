"""The desk's page of a class list: accounts are made and people put into teams."""

import base64
from typing import Any

from django import forms
from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from leaderboard.actions.assigning import assign_teams
from leaderboard.actions.class_list import MAX_BYTES, MAX_LINES, ClassPlan
from leaderboard.actions.closing import close_class_account, export_class_account
from leaderboard.actions.decisions import LookFirst
from leaderboard.actions.people import make_class_password_link
from leaderboard.boards.exports import csv_file
from leaderboard.contest_file.everything import own_data
from leaderboard.texts import reader_language
from leaderboard.web.account.settings import link_address
from leaderboard.web.forms import LinesField
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import PEOPLE, Entry
from scoring.findings import Findings, Limits
from scoring.table import decode

OF_ACCOUNT = ("password_link", "export", "close")


class ClassListForm(forms.Form):
    """A list, as a file or pasted; the file is what counts where both are there."""

    file = forms.FileField(
        label=gettext_lazy("CSV file"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv,text/plain"}),
    )
    text = LinesField(
        label=gettext_lazy("Or paste the list"),
        max_length=MAX_BYTES,
        required=False,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false"}),
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


class AccountForm(forms.Form):
    """One account that a list made."""

    username = forms.CharField(label=pgettext_lazy("account", "Username"), max_length=150)
    sure = forms.BooleanField(
        label=gettext_lazy("Close it: I know that this cannot be undone."), required=False
    )


@page("desk/enrol", "desk_enrol", Entry(PEOPLE, gettext_lazy("Class list"), 20))
class ClassList(DeskPage):
    """`/c/<slug>/desk/enrol`: look at a list, then apply it; new accounts' passwords show once.

    Below, what can be done for one account that a list made.
    """

    template = "desk/class_list.html"
    upload_bytes = 2 * MAX_BYTES
    long_fields = ("text",)
    default = "assign"
    forms = {"assign": ClassListForm, **dict.fromkeys(OF_ACCOUNT, AccountForm)}
    beside = {"assign": "text", **dict.fromkeys(OF_ACCOUNT, "username")}

    def do_assign(self) -> HttpResponse | str:
        text = self.typed()["text"]
        try:
            done = assign_teams(text=text, seen=self.seen, **self.who)
        except LookFirst as first:
            problems = isinstance(first.preview, ClassPlan) and first.preview.problems
            status = 422 if problems else 200
            self.bound = ClassListForm(initial={"text": text}, auto_id=self.auto_id("assign"))
            return self.show(looked_at=self.verb, found=first.preview, status=status)
        if done.new:
            return self._passwords(done)
        said = ngettext(
            "%(n)d person was moved to another team and notified.",
            "%(n)d people were moved to other teams and notified.",
            len(done.going),
        )
        return said % {"n": len(done.going)}

    def _passwords(self, done: ClassPlan) -> HttpResponse:
        """In this very answer: nothing keeps the passwords that a second request could ask for."""
        columns = ("username", "name", "team", "password")
        slips = [[getattr(line, name) for name in columns] for line in done.new]
        address = reverse("submit", args=[self.competition.slug])
        shown = {
            **self.around(),
            "done": done,
            "way_in": self.request.build_absolute_uri(address),
            "csv": base64.b64encode(csv_file({}, columns, slips)).decode(),
        }
        answer = render(self.request, "desk/enrolled.html", shown)
        add_never_cache_headers(answer)
        return answer

    @property
    def of_account(self) -> dict[str, Any]:
        return {**self.who, "username": self.typed()["username"]}

    def do_password_link(self) -> HttpResponse:
        token = make_class_password_link(**self.of_account)
        answer = self.show(link=link_address(token), person=self.typed()["username"])
        add_never_cache_headers(answer)
        return answer

    def do_export(self) -> HttpResponseBase:
        person = export_class_account(**self.of_account)
        packed = own_data(person, self.at, without=["sessions"])  # addresses are the person's own
        return FileResponse(packed, as_attachment=True, filename="data.zip")

    def do_close(self) -> HttpResponse | str:
        if not self.typed()["sure"]:
            return self.at_field("sure", _("Tick this to close the account."))
        close_class_account(**self.of_account)
        return _("The account was closed: {name}").format(name=self.typed()["username"])

    def context(self) -> dict[str, Any]:
        return {
            "form": self.form("assign"),
            "account": self.form(self.verb if self.verb in OF_ACCOUNT else OF_ACCOUNT[0]),
            "most": MAX_LINES,
            "limit": MAX_BYTES,
            "most_members": self.competition.max_team_size,
        }
