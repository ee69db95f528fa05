"""Two teams that become one: asking, the arithmetic, and the answer of the other captain."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from leaderboard.accounts.names import TEAM_LENGTH
from leaderboard.actions.merging import (
    Sum,
    Union,
    accept_merge,
    ask_to_merge,
    decline_merge,
    union_of,
    withdraw_merge,
)
from leaderboard.competitions.schedule import lets_teams_grow, teams_grow_until
from leaderboard.teams.models import Merge
from leaderboard.teams.queries import merges_of, open_questions, participants
from leaderboard.web.page import TeamPage, page

LABELS: dict[str, str | Promise] = {
    "today": gettext_lazy("Submissions today"),
    "total": gettext_lazy("Submissions in total"),
    "members": pgettext_lazy("of a team", "People"),
    "finals": gettext_lazy("Finals chosen"),
}


class AskForm(forms.Form):
    """Which team is to become a part of one's own."""

    name = forms.CharField(
        label=gettext_lazy("Name of the other team"),
        max_length=TEAM_LENGTH,
        help_text=gettext_lazy("As shown on the leaderboard."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "list": "other_teams"}),
    )


OFFERED = 200  # names to choose from: of more teams a part is typed anyway, and each costs a line


def sums(found: Union, *, with_finals: bool) -> Iterator[tuple[str | Promise, Sum]]:
    """The lines of the arithmetic; what another team chose is shown to whom it asks alone."""
    for name, label in LABELS.items():
        if name != "finals" or with_finals:
            yield label, getattr(found, name)


@page("team/merge", "team_merge")
class Merging(TeamPage):
    """`/c/<slug>/team/merge`: what is open, what was, and the captain's question to another."""

    tab = "team"
    template = "team/merging.html"
    forms = {"ask": AskForm}
    beside = {"ask": "name"}

    def do_ask(self) -> HttpResponse | str:
        name = self.typed()["name"]
        said = _("The request was sent. The captain of the other team decides.")
        return self.second_step(ask_to_merge, said, name=name, **self.who)

    def show(self, *, status: int = 200, **shown: Any) -> HttpResponse:
        if "found" in shown:
            shown["sums"] = list(sums(shown["found"], with_finals=False))
        return super().show(status=status, **shown)

    def context(self) -> dict[str, Any]:
        merges = merges_of(self.team)
        return {
            "open": [merge for merge in merges if merge.state == Merge.State.ASKED],
            "done": [merge for merge in merges if merge.state != Merge.State.ASKED],
            "leads": self.team.captain_id == self.user.pk,
            "may": lets_teams_grow(self.competition, self.at) and not self.team.disqualified_at,
            "until": teams_grow_until(self.competition),
            "form": self.form("ask"),
            "offered": self._offered(),
        }

    def _offered(self) -> list[str]:
        """The names of teams that may be asked, in a contest of few."""
        others = participants(self.competition).filter(disqualified_at=None)
        names = list(others.exclude(pk=self.team.pk).values_list("name", flat=True)[: OFFERED + 1])
        return names if len(names) <= OFFERED else []


@page("team/merge/<uuid:merge_id>", "team_merge_question")
class MergeQuestion(TeamPage):
    """`/c/<slug>/team/merge/<id>`: what both would be as one, and the captain's answer."""

    tab = "team"
    about = "merge"
    template = "team/merge_question.html"
    verbs = {
        "decline": (
            decline_merge,
            gettext_lazy("You declined, and the other team was notified."),
        ),
        "withdraw": (withdraw_merge, gettext_lazy("The request was withdrawn.")),
    }
    merge: Merge

    def open(self, **address: UUID) -> None:
        self.merge = get_object_or_404(open_questions(self.team), pk=address["merge_id"])
        for team in (self.merge.survivor, self.merge.absorbed):
            team.competition = self.competition

    def do_accept(self) -> str:
        accept_merge(seen=self.seen, now=self.request.now, **self.who)
        return _("The two teams are now one.")

    def address(self) -> str:
        return reverse("team_merge", args=[self.competition.slug])

    def context(self) -> dict[str, Any]:
        merge, asked = self.merge, self.merge.absorbed_id == self.team.pk
        found = union_of(merge.survivor, merge.absorbed, self.at)
        return {
            "merge": merge,
            "asked": asked,
            "found": found,
            "sums": list(sums(found, with_finals=asked)),
            "leads": self.team.captain_id == self.user.pk,
            "may": lets_teams_grow(self.competition, self.at),
            "until": teams_grow_until(self.competition),
        }
