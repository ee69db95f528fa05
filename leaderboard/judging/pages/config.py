"""One judge column on the desk: settings, sections, progress, spend, and what it may do next."""

from functools import cached_property
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.actions.refusals import Refused
from leaderboard.celery import waking
from leaderboard.judging import answerers, building, queries
from leaderboard.judging.actions import items
from leaderboard.judging.actions.configs import (
    copy_judge_config,
    edit_judge_config,
    set_judge_sections,
    why_outdated,
)
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
from leaderboard.judging.drafting import MOST_SECTIONS, RUNNING, sections_of, settings_of
from leaderboard.judging.models import JudgeConfig, Judging
from leaderboard.judging.pages.columns import JudgePage, estimated, judge_form
from leaderboard.judging.pages.forms import BudgetForm, JudgeForm, SectionForm
from leaderboard.judging.plan import ids_to_build
from leaderboard.judging.tasks import judge_next
from leaderboard.web import errors
from leaderboard.web.page import page

State = JudgeConfig.State
LISTED = 50
BLANK_SECTIONS = 2


@page("desk/judge/<uuid:judge_id>/copy", "desk_judge_copy", does="copy")
@page("desk/judge/<uuid:judge_id>", "desk_judge_config")
class JudgeConfigPage(JudgePage):
    """`/c/<slug>/desk/judge/<id>`: all about one; POST with `verb` decides about it."""

    template = "judging/config.html"
    forms = {"grant": BudgetForm}

    def address(self) -> str:
        return reverse("desk_judge_config", args=[self.competition.slug, self.config.pk])

    def auto_id(self, verb: str) -> str:
        return f"{verb}_%s"

    def answer(self) -> HttpResponseBase:
        try:
            return super().answer()
        except ValidationError:
            return errors.bad_request(self.request)

    def unknown(self) -> HttpResponse:
        return self.done()

    @cached_property
    def settings(self) -> JudgeForm:
        """Every field of a draft; later only those that change no answer."""
        data = self.request.POST if self.verb == "edit" else None
        form = judge_form(self.competition, data, self.config)
        if self.config.state != State.DRAFT:
            for name in set(form.fields) - set(RUNNING):
                del form.fields[name]
        return form

    def do_edit(self) -> HttpResponse | str:
        form = self.settings
        if not form.is_valid():
            return self.show(status=422)
        if self.config.state == State.DRAFT:
            wanted = form.wanted()
        else:
            wanted = settings_of(self.config, **{name: form.cleaned_data[name] for name in RUNNING})
        try:
            edit_judge_config(wanted=wanted, **self.decided)
        except ValidationError as invalid:
            form.add_error(None, invalid)
            return self.show(status=422)
        return _("Saved.")

    @cached_property
    def section_forms(self) -> list[SectionForm]:
        """Those that were sent with a name, or those that are there and some empty ones."""
        if self.verb == "sections":
            sent = (
                SectionForm(self.request.POST, prefix=f"section{n}") for n in range(MOST_SECTIONS)
            )
            return [form for form in sent if form["name"].data]
        initial: list[dict[str, Any]] = [
            {**one.__dict__, "allowed_values": "\n".join(one.allowed_values)}
            for one in sections_of(self.config)
        ]
        initial += [{}] * (min(len(initial) + BLANK_SECTIONS, MOST_SECTIONS) - len(initial))
        return [SectionForm(prefix=f"section{n}", initial=one) for n, one in enumerate(initial)]

    def do_sections(self) -> HttpResponse | str:
        forms = self.section_forms
        if not all(form.is_valid() for form in forms):
            return self.show(status=422)
        set_judge_sections(sections=[form.section() for form in forms], **self.decided)
        return _("Sections and instructions are saved.")

    def do_grant(self) -> str:
        form = self.form("grant")
        assert isinstance(form, BudgetForm)
        with waking(judge_next):
            grant_judge_budget(more=form.more(), reason=form.cleaned_data["reason"], **self.decided)
        return _("The limits are raised. Judgings that waited for budget go on.")

    def do_build(self) -> str:
        with waking(judge_next):
            n = items.begin_judge_review(**self.decided).carried_items
        if not n:
            return _("The items are being made. The judge worker makes them one by one.")
        taken = ngettext("Items taken over: %(n)d.", "Items taken over: %(n)d.", n) % {"n": n}
        rest = _("The judge's worker makes only what is missing.")
        return f"{taken} {rest}"

    def do_freeze(self) -> str:
        accept = self.request.POST.get("accept_failed") == "on"
        with waking(judge_next):
            freeze_judge_config(accept_failed=accept, **self.decided)
        return _("Frozen. It can be switched on now.")

    def do_activate(self) -> str:
        with waking(judge_next):
            activate_judge_config(**self.decided)
        return _("This judge column is now shown on the leaderboard, for reference.")

    def do_retire(self) -> str:
        retire_judge_config(reason=self.request.POST.get("reason", ""), **self.decided)
        return _("This judge config is no longer used.")

    def do_close(self) -> str:
        with waking(judge_next):
            close_judge_circuit(**self.decided)
        return _("The judge server is asked again from now on.")

    def post_copy(self) -> HttpResponse:
        try:
            self.config = copy_judge_config(**self.decided)
        except Refused as refusal:
            messages.error(self.request, errors.whole(refusal))
            return self.done()
        said = _("The draft is made. Change and save what is to differ, then begin the review.")
        return self.done(said)

    def do_rejudge(self) -> str:
        judging = get_object_or_404(Judging, config=self.config, pk=self.key("judging"))
        with waking(judge_next):
            rows = rejudge(
                judging_id=judging.pk,
                user=self.user,
                everything=self.request.POST.get("everything") == "on",
                reason=self.request.POST.get("reason", ""),
                at=self.at,
            )
        said = ngettext("%(n)d row is judged again.", "%(n)d rows are judged again.", rows)
        return said % {"n": rows}

    def context(self) -> dict[str, Any]:
        config = self.config
        spent = queries.spent(config)
        circuit = queries.circuit_of(config)
        answered = answerers.of_config(config)
        can_be_shown = config.state in (State.FROZEN, State.RETIRED)
        is_asked = config.state in (State.FROZEN, State.ACTIVE)
        return {
            "form": self.settings,
            "section_forms": self.section_forms,
            "sections": sections_of(config),
            "grant": self.form("grant"),
            "not_active": why_not_active(config) if can_be_shown else None,
            "outdated": why_outdated(config) if is_asked else None,
            "progress": queries.progress(config),
            "statuses": queries.statuses(config),
            "judgings": queries.judgings(config)[:LISTED],
            "spent": spent[:LISTED],
            "spent_calls": sum(row["calls"] for row in spent),
            "spent_micros": sum(row["micros"] for row in spent),
            "unsettled": queries.unsettled(config)[:LISTED],
            "answered": answered if answerers.has_changed(answered) else [],
            "circuit": circuit,
            "is_shut": queries.is_shut(circuit, self.at),
            **self._making(),
            **estimated(config, self.request.GET.get("n", "")),
        }

    def _making(self) -> dict[str, Any]:
        """How far the items are, and for a draft which of them come from another config."""
        config = self.config
        places = ids_to_build(config)
        carried = building.carried(config) if config.state == State.DRAFT else None
        return {
            "counts": items.counts(config),
            "to_build": len(places),
            # Of these: items of dialogues that no reference names are kept, and asked of nobody.
            "built": len(places) - len(items.unbuilt(config, places)),
            "carried": carried,
            "to_make": len(set(places[1:]) - carried.example_ids) if carried else 0,
            "not_frozen": why_not_frozen(config) if config.state == State.REVIEWING else None,
        }
