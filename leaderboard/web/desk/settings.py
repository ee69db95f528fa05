"""A contest itself: making one; its pages with a preview, its rules with before and after."""

from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.forms import Form
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from leaderboard.actions import competition as actions
from leaderboard.actions.decisions import Change
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition, validate_zone
from leaderboard.competitions.roles import may_create
from leaderboard.competitions.schedule import suggested_dates
from leaderboard.web import errors
from leaderboard.web.contest import explanation
from leaderboard.web.desk.forms import NewContestForm, SettingsForm, zones
from leaderboard.web.navigation import CONTEST, Entry
from leaderboard.web.page import DeskPage, PersonPage, page
from leaderboard.web.templatetags.formatting import spoken

TEXTS = ("introduction", "introduction_en", "rules", "rules_en")


@dataclass(frozen=True)
class ShownChange:
    """A value before and after, in words. Texts are shown below, as they will look."""

    label: str
    before: str
    after: str
    is_text: bool


@dataclass(frozen=True)
class ShownText:
    """A page as it would look; one that changes is open."""

    label: str
    text: str
    changed: bool


@page("desk/settings", "desk_settings", Entry(CONTEST, pgettext_lazy("contest", "Settings"), 10))
class SettingsPage(DeskPage):
    """`/c/<slug>/desk/settings`: look at what would change, or save it."""

    template = "desk/settings.html"
    forms = {"preview": SettingsForm, "save": SettingsForm}

    def do_preview(self) -> HttpResponse | str:
        return self._edit(save=False)

    def do_save(self) -> HttpResponse | str:
        return self._edit(save=True)

    def _edit(self, *, save: bool) -> HttpResponse | str:
        wanted = {**self.who, "wanted": actions.Settings(**self.typed())}
        try:
            edit = actions.preview_edit(**wanted)
            if not save or (edit.announced is not None and self.seen != edit.digest):
                return self._look(edit, asked_to_look=save)
            actions.edit_competition(seen=self.seen, **wanted)
        except Refused as refusal:
            return self.at_field(None, spoken(refusal), refusal.status)
        except ValidationError as invalid:
            return self.at_field(None, invalid)
        said = _("Saved, and announced to everybody.") if edit.announced else _("Saved.")
        return said if edit.changes else _("Nothing has changed.")

    def _look(self, edit: actions.Edit, *, asked_to_look: bool) -> HttpResponse:
        assert self.bound is not None
        return self.show(
            edit=edit,
            asked_to_look=asked_to_look,
            changes=[_shown(change, self.bound) for change in edit.changes],
            texts=_texts(edit, self.bound),
        )

    def context(self) -> dict[str, Any]:
        return {"form": self.bound or self.form("save")}

    def stored(self, verb: str) -> dict[str, Any]:
        return {name: getattr(self.competition, name) for name in actions.NAMES}


def _texts(edit: actions.Edit, form: Form) -> list[ShownText]:
    changed = {change.name for change in edit.changes}
    return [
        ShownText(str(form[name].label), form.cleaned_data[name], name in changed) for name in TEXTS
    ]


def _shown(change: Change, form: Form) -> ShownChange:
    label = str(form[change.name].label)
    before, after = (_word(change.name, value) for value in (change.before, change.after))
    return ShownChange(label, before, after, is_text=change.name in TEXTS)


CHOICES = {
    "finals_rule": dict(Competition.FinalsRule.choices),
    "forum_readers": dict(Competition.ForumReaders.choices),
}
NO_LIMIT = gettext_lazy("No limit")


def _word(name: str, value: object) -> str:
    if isinstance(value, bool):
        return pgettext("yes or no", "yes") if value else pgettext("yes or no", "no")
    if name in CHOICES:
        return str(CHOICES[name].get(str(value), value))
    if value is None:
        return str(NO_LIMIT)
    return str(value) or "–"


DEFAULTS = ("zone", "preset", "tokenizer", "daily_limit", "max_waiting")


class NewContest(PersonPage):
    """`/contests/new`: what a contest cannot be without; the desk asks for the rest."""

    template = "new_contest.html"
    forms = {"create": NewContestForm}
    default = "create"

    def enter(self, **address: Any) -> HttpResponse | None:
        if may_create(self.user):
            return None
        return errors.refused(self.request, Refused("not_a_creator"))

    def respond(self) -> HttpResponseBase:
        # The dates are typed in the zone that is chosen beside them.
        with timezone.override(_zone(self.request.POST.get("zone", ""))):
            return super().respond()

    def do_create(self) -> HttpResponse:
        try:
            made = actions.create_competition(owner=self.user, at=self.at, **self.typed())
        except ValidationError as invalid:
            return self.at_field(None, invalid)
        said = _("The competition is made. It can open when the rest of the list below is done.")
        messages.success(self.request, said)
        return redirect("desk", slug=made.slug)

    def refuse(self, refusal: Refused) -> HttpResponse:
        places = {"slug_taken": "slug", "date_in_the_past": "closes_at"}
        return self.at_field(places.get(refusal.code), spoken(refusal))

    def context(self) -> dict[str, Any]:
        blank = Competition()
        initial = {name: getattr(blank, name) for name in DEFAULTS}
        initial |= suggested_dates(blank.zoneinfo, self.at)
        form = self.form("create", initial=initial)
        return {"form": form, "zones": zones(), "presets": explanation.presets()}


def _zone(name: str) -> ZoneInfo:
    try:
        validate_zone(name)
    except ValidationError:
        name = Competition().zone
    return ZoneInfo(name)
