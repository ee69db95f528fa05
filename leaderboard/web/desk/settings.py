"""The desk's settings: pages with a preview, limits and rules with before and after."""

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext
from django.views.decorators.http import require_http_methods

from leaderboard.actions.competition import (
    NAMES,
    Edit,
    Settings,
    edit_competition,
    preview_edit,
)
from leaderboard.actions.decisions import Change
from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition
from leaderboard.web import errors, find, frame
from leaderboard.web.desk.forms import SettingsForm
from leaderboard.web.find import WebRequest
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


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_settings(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/desk/settings`: look at what would change, or save it."""
    competition = find.competition_to_run(request, slug)
    if request.method != "POST":
        form = SettingsForm(initial={name: getattr(competition, name) for name in NAMES})
        return _page(request, competition, form)
    verb = request.POST.get("verb")
    if verb not in ("preview", "save"):
        return errors.bad_request(request)
    form = SettingsForm(request.POST)
    if not form.is_valid():
        return _page(request, competition, form, status=422)
    try:
        return _edit(request, competition, form, save=verb == "save")
    except Refused as refusal:
        form.add_error(None, spoken(refusal))
        return _page(request, competition, form, status=refusal.status)
    except ValidationError as invalid:
        form.add_error(None, invalid)
        return _page(request, competition, form, status=422)


def _edit(
    request: WebRequest, competition: Competition, form: SettingsForm, *, save: bool
) -> HttpResponse:
    user, at = find.person(request), request.received_at
    wanted = Settings(**form.cleaned_data)
    edit = preview_edit(competition=competition, user=user, wanted=wanted, at=at)
    seen = request.POST.get("seen", "")
    if not save or (edit.announced is not None and seen != edit.digest):
        return _page(request, competition, form, edit=edit, asked_to_look=save)
    edit_competition(competition=competition, user=user, wanted=wanted, seen=seen, at=at)
    said = _("Saved, and announced to everybody.") if edit.announced else _("Saved.")
    messages.success(request, said if edit.changes else _("Nothing has changed."))
    return redirect("desk_settings", slug=competition.slug)


def _page(
    request: WebRequest,
    competition: Competition,
    form: SettingsForm,
    *,
    edit: Edit | None = None,
    asked_to_look: bool = False,
    status: int = 200,
) -> HttpResponse:
    ctx = {
        "frame": frame.around(request, competition, tab="desk_settings"),
        "form": form,
        "edit": edit,
        "asked_to_look": asked_to_look,
        "changes": [_shown(change, form) for change in edit.changes] if edit else [],
        "texts": _texts(edit, form) if edit else [],
    }
    return render(request, "desk/settings.html", ctx, status=status)


def _texts(edit: Edit, form: SettingsForm) -> list[ShownText]:
    changed = {change.name for change in edit.changes}
    return [
        ShownText(str(form[name].label), form.cleaned_data[name], name in changed) for name in TEXTS
    ]


def _shown(change: Change, form: SettingsForm) -> ShownChange:
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
