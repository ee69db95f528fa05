"""One judge column on the desk: settings, sections, progress, spend, and what it may do next."""

from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from leaderboard.actions.refusals import Refused
from leaderboard.celery import waking
from leaderboard.competitions.models import Competition
from leaderboard.judging import queries, spending
from leaderboard.judging.actions.configs import edit_judge_config, set_judge_sections, why_outdated
from leaderboard.judging.actions.items import begin_judge_review
from leaderboard.judging.actions.judgings import rejudge
from leaderboard.judging.actions.running import (
    activate_judge_config,
    close_judge_circuit,
    freeze_judge_config,
    grant_judge_budget,
    retire_judge_config,
    why_not_active,
    why_not_frozen,
)
from leaderboard.judging.drafting import MOST_SECTIONS, ConfigSettings, sections_of
from leaderboard.judging.items import carrying, review
from leaderboard.judging.models import JudgeConfig, Judging
from leaderboard.judging.pages.columns import config_of, estimated, judge_form
from leaderboard.judging.pages.config_form import RUNNING_FIELDS, JudgeForm
from leaderboard.judging.pages.forms import BudgetForm, SectionForm
from leaderboard.judging.plan import ids_to_build
from leaderboard.judging.signs import answerers
from leaderboard.judging.tasks import judge_next
from leaderboard.web import errors, find, frame
from leaderboard.web.find import WebRequest

State = JudgeConfig.State
LISTED = 50
BLANK_SECTIONS = 2
SAID = {
    "build": gettext_lazy("The items are being made. The judge worker makes them one by one."),
    "freeze": gettext_lazy("Frozen. It can be switched on now."),
    "activate": gettext_lazy("This judge column is now shown on the leaderboard, for reference."),
    "retire": gettext_lazy("This judge config is no longer used."),
    "close": gettext_lazy("The judge server is asked again from now on."),
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def desk_judge_config(request: WebRequest, slug: str, judge_id: UUID) -> HttpResponse:
    """`/c/<slug>/desk/judge/<id>`: all about one; POST with `verb` decides about it."""
    competition = find.competition_to_run(request, slug)
    config = config_of(competition, judge_id)
    if request.method != "POST":
        return _page(request, competition, config)
    verb = request.POST.get("verb", "")
    try:
        if verb == "edit":
            return _edit(request, competition, config)
        if verb == "sections":
            return _sections(request, competition, config)
        if verb == "grant":
            return _grant(request, competition, config)
        said = _decide(request, config, verb)
    except Refused as refusal:
        page = partial(_page, request, competition, config, **_typed(request, competition, config))
        return errors.refused(request, refusal, page)
    except ValidationError:
        return errors.bad_request(request)
    if said:
        messages.success(request, said)
    return redirect("desk_judge_config", slug=slug, judge_id=config.pk)


def _typed(request: WebRequest, competition: Competition, config: JudgeConfig) -> dict[str, Any]:
    """The form that was sent, as it was filled in, by the name that the page knows it under."""
    match request.POST.get("verb"):
        case "edit":
            return {"form": _settings_form(request, competition, config, request.POST)}
        case "sections":
            forms = _section_forms(config, request.POST)
            return {"sections": [form for form in forms if form["name"].data]}
        case "grant":
            return {"grant": BudgetForm(request.POST, auto_id="grant_%s")}
    return {}


def _decide(request: WebRequest, config: JudgeConfig, verb: str) -> str:
    """The verbs of single buttons; what to say afterwards, nothing for an unknown one."""
    user, at = find.person(request), request.received_at
    with waking(judge_next):
        match verb:
            case "build":
                return _begun(begin_judge_review(config_id=config.pk, user=user, at=at))
            case "freeze":
                accept = request.POST.get("accept_failed") == "on"
                freeze_judge_config(config_id=config.pk, user=user, accept_failed=accept, at=at)
            case "activate":
                activate_judge_config(config_id=config.pk, user=user, at=at)
            case "retire":
                reason = request.POST.get("reason", "")
                retire_judge_config(config_id=config.pk, user=user, reason=reason, at=at)
            case "close":
                close_judge_circuit(config_id=config.pk, user=user, at=at)
            case "rejudge":
                return _rejudge(request, config)
    return str(SAID.get(verb, ""))


def _begun(config: JudgeConfig) -> str:
    """The worker begins; what was taken over is neither made nor reviewed again."""
    if not config.carried_items:
        return str(SAID["build"])
    taken = ngettext("Items taken over: %(n)d.", "Items taken over: %(n)d.", config.carried_items)
    rest = _("The judge's worker makes only what is missing.")
    return f"{taken % {'n': config.carried_items}} {rest}"


def _rejudge(request: WebRequest, config: JudgeConfig) -> str:
    try:
        wanted = UUID(request.POST.get("judging", ""))
    except ValueError:
        raise Http404 from None
    judging = get_object_or_404(Judging, config=config, pk=wanted)
    rows = rejudge(
        judging_id=judging.pk,
        user=find.person(request),
        everything=request.POST.get("everything") == "on",
        reason=request.POST.get("reason", ""),
        at=request.received_at,
    )
    return ngettext("%(n)d row is judged again.", "%(n)d rows are judged again.", rows) % {
        "n": rows
    }


def _edit(request: WebRequest, competition: Competition, config: JudgeConfig) -> HttpResponse:
    form = _settings_form(request, competition, config, request.POST)
    if not form.is_valid():
        return _page(request, competition, config, form=form, status=422)
    try:
        edit_judge_config(
            config_id=config.pk,
            user=find.person(request),
            wanted=_wanted(config, form),
            at=request.received_at,
        )
    except ValidationError as invalid:
        form.add_error(None, invalid)
        return _page(request, competition, config, form=form, status=422)
    messages.success(request, _("Saved."))
    return redirect("desk_judge_config", slug=competition.slug, judge_id=config.pk)


def _settings_form(
    request: WebRequest, competition: Competition, config: JudgeConfig, data: Any = None
) -> JudgeForm:
    """Every field of a draft; later only those that change no answer."""
    form = judge_form(request, competition, data, config=config)
    if config.state != State.DRAFT:
        for name in set(form.fields) - set(RUNNING_FIELDS):
            del form.fields[name]
    return form


def _wanted(config: JudgeConfig, form: JudgeForm) -> ConfigSettings:
    if config.state == State.DRAFT:
        return form.wanted()
    now = ConfigSettings.of(config)
    return ConfigSettings(**{**now.__dict__, **{k: form.cleaned_data[k] for k in RUNNING_FIELDS}})


def _section_forms(config: JudgeConfig, data: Any = None) -> list[SectionForm]:
    now = sections_of(config)
    number = min(len(now) + BLANK_SECTIONS, MOST_SECTIONS)
    if data is not None:
        return [SectionForm(data, prefix=f"section{n}") for n in range(MOST_SECTIONS)]
    initial: list[dict[str, Any]] = [
        {**one.__dict__, "allowed_values": "\n".join(one.allowed_values)} for one in now
    ]
    initial += [{}] * (number - len(initial))
    return [SectionForm(prefix=f"section{n}", initial=one) for n, one in enumerate(initial)]


def _sections(request: WebRequest, competition: Competition, config: JudgeConfig) -> HttpResponse:
    forms = [form for form in _section_forms(config, request.POST) if form["name"].data]
    if not all(form.is_valid() for form in forms):
        return _page(request, competition, config, sections=forms, status=422)
    set_judge_sections(
        config_id=config.pk,
        user=find.person(request),
        sections=[form.section() for form in forms],
        at=request.received_at,
    )
    messages.success(request, _("Sections and instructions are saved."))
    return redirect("desk_judge_config", slug=competition.slug, judge_id=config.pk)


def _grant(request: WebRequest, competition: Competition, config: JudgeConfig) -> HttpResponse:
    form = BudgetForm(request.POST, auto_id="grant_%s")
    if not form.is_valid():
        return _page(request, competition, config, grant=form, status=422)
    with waking(judge_next):
        grant_judge_budget(
            config_id=config.pk,
            user=find.person(request),
            more=form.more(),
            reason=form.cleaned_data["reason"],
            at=request.received_at,
        )
    messages.success(request, _("The limits are raised. Judgings that waited for budget go on."))
    return redirect("desk_judge_config", slug=competition.slug, judge_id=config.pk)


def _page(
    request: WebRequest,
    competition: Competition,
    config: JudgeConfig,
    *,
    form: JudgeForm | None = None,
    sections: list[SectionForm] | None = None,
    grant: BudgetForm | None = None,
    status: int = 200,
) -> HttpResponse:
    spent = spending.spent(config)
    calls, micros = spending.in_all(spent)
    circuit = spending.circuit_of(config)
    answered = answerers.of_config(config)
    ctx = {
        "frame": frame.around(request, competition, tab="desk_judge"),
        "config": config,
        "form": form or _settings_form(request, competition, config),
        "section_forms": sections or _section_forms(config),
        "sections": sections_of(config),
        "grant": grant or BudgetForm(auto_id="grant_%s"),
        "not_active": _why_not_active(config),
        "outdated": why_outdated(config) if config.state in (State.FROZEN, State.ACTIVE) else None,
        "progress": spending.progress(config),
        "statuses": spending.statuses(config),
        "judgings": spending.judgings(config)[:LISTED],
        "spent": spent[:LISTED],
        "spent_calls": calls,
        "spent_micros": micros,
        "unsettled": queries.unsettled(config)[:LISTED],
        "answered": answered if answerers.has_changed(answered) else [],
        "circuit": circuit,
        "is_shut": spending.is_shut(circuit, request.received_at),
        **_making(config),
        **estimated(config, request.GET.get("n", "")),
    }
    return render(request, "judging/config.html", ctx, status=status)


def _making(config: JudgeConfig) -> dict[str, Any]:
    """How far the items are, and for a draft which of them come from another config."""
    places = ids_to_build(config)
    carried = carrying.carried(config) if config.state == State.DRAFT else None
    return {
        "counts": review.counts(config),
        "to_build": len(places),
        # Of these: items of dialogues that golds no longer name are kept, and asked of nobody.
        "built": len(places) - len(review.unbuilt(config, places)),
        "carried": carried,
        "to_make": len(set(places[1:]) - carried.example_ids) if carried else 0,
        "not_frozen": why_not_frozen(config) if config.state == State.REVIEWING else None,
    }


def _why_not_active(config: JudgeConfig) -> Refused | None:
    return why_not_active(config) if config.state in (State.FROZEN, State.RETIRED) else None
