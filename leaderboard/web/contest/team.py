"""The team's own pages (팀관리): members, invitations, leaving."""

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
from leaderboard.submissions.queries import of_team
from leaderboard.teams import invitations
from leaderboard.teams.queries import members, open_questions
from leaderboard.web.forms import once_field
from leaderboard.web.page import TeamPage, page, team_links


class PersonForm(forms.Form):
    username = once_field(label=pgettext_lazy("account", "Username"), max_length=150)


def said_of(comes_alone: bool) -> str:
    """What a captain reads after inviting somebody who may come by themselves, or may not."""
    if comes_alone:
        return _("The invitation was sent to their inbox.")
    return _(
        "Invited. But this person's team has used attempts or has other members, so an invitation "
        "is not enough. The two captains must merge the teams (Team, “Merge with another team”)."
    )


class ChangingPage(TeamPage):
    """A page on which people come into one's team or leave it."""

    tab = "team"

    def preview(self, act: Callable[..., object], field: str, said: str) -> HttpResponse | str:
        chosen = {field: self.request.POST.get(field, "")}
        return self.second_step(act, said, **self.who, **chosen)

    def context(self) -> dict[str, Any]:
        people = members(self.team)
        leads = self.team.captain_id == self.user.pk
        stays = schedule.is_late(self.competition, self.at) or self.team.disqualified_at
        grows = not stays and schedule.lets_teams_grow(self.competition, self.at)
        free = self.competition.max_team_size - len(people)
        return {
            "people": people,
            "others": [one for one in people if one.user_id != self.user.pk],
            "leads": leads,
            "changes": not stays,
            "grows": grows,
            "free": free,
            "invites": leads and grows and free > 0,
        }


@page("team", "team")
class OwnTeam(ChangingPage):
    """`/c/<slug>/team`: who is in the team, its name, and a link that invites others."""

    template = "team.html"
    default = "rename"

    def do_rename(self) -> str:
        rename_team(name=self.request.POST.get("name", ""), **self.who)
        return _("Team renamed.")

    def do_invite_by_code(self) -> HttpResponse:
        _made, code = invite_by_code(**self.who)
        link = self.request.build_absolute_uri(reverse("join_by_code", args=[code]))
        return self.show(link=link)

    def do_remove(self) -> HttpResponse | str:
        said = _("The member was removed from the team and notified.")
        return self.preview(membership.remove_member, "username", said)

    def do_hand_over(self) -> HttpResponse | str:
        said = _("The team has a new captain.")
        return self.preview(membership.hand_over, "username", said)

    def context(self) -> dict[str, Any]:
        shared = super().context()
        own = of_team(self.team).filter(cancellation=None)
        entries = Counter(own.values_list("submitted_by", flat=True))
        alone = not shared["others"]
        return shared | {
            "lines": [{"member": one, "entries": entries[one.user_id]} for one in shared["people"]],
            "asked": invitations.of_person(self.user, self.competition, self.at) if alone else [],
            "questions": open_questions(self.team),
            "links": team_links,
        }


@page("team/invitations", "team_invitations")
class Invitations(ChangingPage):
    """`/c/<slug>/team/invitations`: the open invitations, and one for somebody by name."""

    template = "team/invitations.html"
    forms = {"invite_person": PersonForm}
    beside = {"invite_person": "username"}

    def do_invite_person(self) -> str:
        return said_of(invite_person(**self.typed(), **self.who))

    def do_revoke(self) -> str:
        revoke(invitation=self.key(), **self.who)
        return _("The invitation was withdrawn.")

    def context(self) -> dict[str, Any]:
        shared = super().context()
        return shared | {
            "grows_until": schedule.teams_grow_until(self.competition),
            "invitations": invitations.of_team(self.team, self.at) if shared["leads"] else [],
            "form": self.form("invite_person"),
        }


@page("team/leave", "team_leave")
class Leaving(ChangingPage):
    """`/c/<slug>/team/leave`: what leaving means, and the button for it."""

    template = "team/leave.html"
    default = "leave"

    def do_leave(self) -> HttpResponse | str:
        said = _("You left the team and now have a team of your own.")
        return self.preview(membership.leave, "captain", said)

    def address(self) -> str:
        return reverse("team", args=[self.competition.slug])
