"""A contest itself: making one; its pages with a preview, its rules with before and after."""

from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy
from django.views.decorators.http import require_http_methods

from leaderboard.actions import competition as actions
from leaderboard.actions.decisions import Change
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition, validate_zone
from leaderboard.competitions.roles import may_create
from leaderboard.competitions.schedule import suggested_dates
from leaderboard.web import errors, find
from leaderboard.web.contest import explanation
from leaderboard.web.desk.forms import NewContestForm, SettingsForm, zones
from leaderboard.web.find import WebRequest
from leaderboard.web.navigation import CONTEST, Menu
from leaderboard.web.page import DeskPage, page
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


@page("desk/settings", "desk_settings", Menu(CONTEST, pgettext_lazy("contest", "Settings"), 10))
class SettingsPage(DeskPage):
    """`/c/<slug>/desk/settings`: look at what would change, or save it."""

    tab = "desk_settings"
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
        initial = {name: getattr(self.competition, name) for name in actions.NAMES}
        return {"form": self.bound or SettingsForm(initial=initial)}


def _texts(edit: actions.Edit, form: Form) -> list[ShownText]:
    changed = {change.name for change in edit.changes}
    return [
        ShownText(str(form[name].label), form.cleaned_data[name], name in changed) for name in TEXTS
    ]


def _shown(change: Change, form: Form) -> ShownChange:
    label = str(form[change.name].label)
    before, after = (_word(change.name, value) for value in (change.before, change.after))
    return ShownChange(label, before, after, is_text=change.name in TEXTS)


FINALS = dict(Competition.FinalsRule.choices)
NO_LIMIT = gettext_lazy("No limit")


def _word(name: str, value: object) -> str:
    if isinstance(value, bool):
        return pgettext("yes or no", "yes") if value else pgettext("yes or no", "no")
    if name == "finals_rule":
        return str(FINALS.get(str(value), value))
    if value is None:
        return str(NO_LIMIT)
    return str(value) or "–"


DEFAULTS = ("zone", "preset", "tokenizer", "daily_limit", "max_waiting")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_contest(request: WebRequest) -> HttpResponse:
    """`/contests/new`: what a contest cannot be without; the desk asks for the rest."""
    if not may_create(request.user):
        return errors.refused(request, Refused("not_a_creator"))
    # The dates are typed in the zone that is chosen beside them.
    with timezone.override(_zone(request.POST.get("zone", ""))):
        blank = Competition()
        initial = {name: getattr(blank, name) for name in DEFAULTS}
        initial |= suggested_dates(blank.zoneinfo, request.received_at)
        form = NewContestForm(request.POST if request.method == "POST" else None, initial=initial)
        if request.method == "POST" and form.is_valid():
            made = _create(request, form)
            if made is not None:
                messages.success(
                    request,
                    _(
                        "The competition is made. It can open when the rest of the list below "
                        "is done."
                    ),
                )
                return redirect("desk", slug=made.slug)
        ctx = {"form": form, "zones": zones(), "presets": explanation.presets()}
        return render(request, "new_contest.html", ctx, status=422 if form.errors else 200)


def _create(request: WebRequest, form: NewContestForm) -> Competition | None:
    """The contest, or None with the reasons in the form."""
    fields: dict[str, Any] = form.cleaned_data
    try:
        return actions.create_competition(
            owner=find.person(request), at=request.received_at, **fields
        )
    except Refused as refusal:
        places = {"slug_taken": "slug", "date_in_the_past": "closes_at"}
        form.add_error(places.get(refusal.code), spoken(refusal))
    except ValidationError as invalid:
        form.add_error(None, invalid)
    return None


def _zone(name: str) -> ZoneInfo:
    try:
        validate_zone(name)
    except ValidationError:
        name = Competition().zone
    return ZoneInfo(name)
