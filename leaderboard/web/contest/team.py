"""The team's own page (팀관리)."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from leaderboard.actions import membership
from leaderboard.actions.invitations import invite_by_code, invite_person, revoke
from leaderboard.actions.teams import rename_team
from leaderboard.competitions import schedule
from leaderboard.submissions.queries import handed_in
from leaderboard.teams import invitations
from leaderboard.teams.queries import members, open_questions
from leaderboard.web.page import TeamPage, page, team_links


class PersonForm(forms.Form):
    username = forms.CharField(
        label=pgettext_lazy("account", "Username"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


def said_of(comes_alone: bool) -> str:
    """What a captain reads after inviting somebody who may come by themselves, or may not."""
    if comes_alone:
        return _("Invited. They read it in their inbox.")
    return _(
        "Invited. But they are in a team that has used attempts or has other members, so they "
        "cannot come by the invitation alone: the two captains merge the teams (Team, “Merge with "
        "another team”)."
    )


@page("team", "team")
class OwnTeam(TeamPage):
    """`/c/<slug>/team`: who is in it, what it did, who may come, and what its people decide."""

    tab = "team"
    template = "team.html"
    default = "rename"
    forms = {
        "invite_person": PersonForm,
    }
    beside = {"invite_person": "username"}
    ids = "{verb}_%s"

    def do_rename(self) -> str:
        rename_team(name=self._sent("name"), **self.who)
        return _("Team renamed.")

    def do_invite_by_code(self) -> HttpResponse:
        _made, code = invite_by_code(**self.who)
        link = self.request.build_absolute_uri(reverse("join_by_code", args=[code]))
        return self.show(link=link)

    def do_invite_person(self) -> str:
        return said_of(invite_person(**self.typed(), **self.who))

    def do_revoke(self) -> str:
        revoke(invitation=self.key(), **self.who)
        return _("The invitation was taken back.")

    def do_leave(self) -> HttpResponse | str:
        said = _("You left the team and are in a team of your own now.")
        return self._previewed(membership.leave, said, captain=self._sent("captain"))

    def do_remove(self) -> HttpResponse | str:
        said = _("Removed from the team, and told.")
        return self._previewed(membership.remove_member, said, username=self._sent("username"))

    def do_hand_over(self) -> HttpResponse | str:
        said = _("The team has another captain now.")
        return self._previewed(membership.hand_over, said, username=self._sent("username"))

    def _sent(self, name: str) -> str:
        return self.request.POST.get(name, "")

    def _previewed(
        self, act: Callable[..., object], said: str, **chosen: str
    ) -> HttpResponse | str:
        return self.second_step(act, said, **self.who, **chosen)

    def context(self) -> dict[str, Any]:
        people = members(self.team)
        entries = Counter(one.submitted_by_id for one in handed_in(self.team))
        leads = self.team.captain_id == self.user.pk
        changes = (
            not schedule.is_late(self.competition, self.at) and self.team.disqualified_at is None
        )
        grows = changes and schedule.lets_teams_grow(self.competition, self.at)
        alone = len(people) == 1
        return {
            "lines": [{"member": one, "entries": entries[one.user_id]} for one in people],
            "others": [one for one in people if one.user_id != self.user.pk],
            "leads": leads,
            "alone": alone,
            "changes": changes,
            "over": not schedule.lets_join(self.competition, self.at),
            "grows": grows,
            "grows_until": schedule.teams_grow_until(self.competition),
            "invites": leads and grows and len(people) < self.competition.max_team_size,
            "invitations": invitations.of_team(self.team, self.at) if leads else [],
            "asked": invitations.of_person(self.user, self.competition, self.at) if alone else [],
            "questions": open_questions(self.team),
            "links": team_links,
            "forms": {verb: self.form(verb) for verb in self.forms},
        }
