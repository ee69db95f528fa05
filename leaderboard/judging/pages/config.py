"""The desk's judge columns: all of them, a draft or a copy, and one with all it may do next."""

from functools import cached_property
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from leaderboard.actions.references import upload_dialogues
from leaderboard.celery import waking
from leaderboard.competitions.models import Competition
from leaderboard.judging import building, estimate, queries, signs
from leaderboard.judging.actions import configs, items, running
from leaderboard.judging.actions.judgings import rejudge
from leaderboard.judging.identity import MOST_SECTIONS, RUNNING, as_written, settings_of
from leaderboard.judging.models import JudgeConfig, Judging
from leaderboard.judging.pages.forms import JudgeForm, SectionForm, initial_of
from leaderboard.judging.plan import ids_to_build, planned_ids
from leaderboard.judging.queries import endpoint_names
from leaderboard.judging.tasks import judge_next
from leaderboard.references.queries import covering_sets, live_version
from leaderboard.submissions.queries import Upload
from leaderboard.web import errors
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import SCORING, Entry
from leaderboard.web.templatetags.formatting import digest, written

MOST_DRY = 500  # submissions of a dry run: each one's texts are read


@page("desk/judge", "desk_judge", Entry(SCORING, pgettext_lazy("desk", "Judge columns")))
class JudgeList(DeskPage):
    """`/c/<slug>/desk/judge`: the columns with their state; POST drafts one."""

    template = "judging/columns.html"
    default = "create"
    before: JudgeConfig | None = None

    def do_dialogues(self) -> str:
        """Take the dialogues from a data file of the contest."""
        file = get_object_or_404(self.competition.data_files, pk=self.key("file"))
        with file.file.open("rb") as opened:
            upload_dialogues(upload=Upload(file.name, opened.read()), **self.who)
        return _("The dialogues were copied.")

    @cached_property
    def new(self) -> JudgeForm:
        sent = self.request.POST if self.verb != "dialogues" else None
        return judge_form(self.competition, sent or None)

    def do_estimate(self) -> HttpResponse:
        if not self.new.is_valid():
            return self.show(status=422)
        self.before = settings_of(self.new.wanted(), competition=self.competition)
        return self.show()

    def do_create(self) -> HttpResponse:
        if not self.new.is_valid():
            return self.show(status=422)
        try:
            config = configs.create_judge_config(wanted=self.new.wanted(), **self.who)
        except ValidationError as invalid:
            self.new.add_error(None, invalid)
            return self.show(status=422)
        said = _("The draft was created. Nothing is asked or shown yet.")
        if self.verb == "start":
            said = _("The judge is making its questions. The column appears when they are ready.")
            begun: dict[str, Any] = {"config_id": config.pk, "user": self.user, "at": self.at}
            with waking(judge_next):
                items.begin_judge_review(switches_on=True, **begun)
        messages.success(self.request, said)
        return redirect("desk_judge_config", slug=self.competition.slug, judge_id=config.pk)

    do_start = do_create

    def context(self) -> dict[str, Any]:
        rows = JudgeConfig.objects.filter(competition=self.competition)
        return {
            "configs": rows.select_related("created_by"),
            "obstacle": configs.why_no_judge(self.competition),
            "data_files": self.competition.data_files.filter(name__iendswith=".csv"),
            "form": self.new,
            "before": self.before,
            **estimated(self.before, self.request.POST.get("n", "")),
        }


def judge_form(competition: Competition, data: Any, config: JudgeConfig | None = None) -> JudgeForm:
    stored = initial_of(config)
    form = JudgeForm.over(data, stored) if data and config else JudgeForm(data, initial=stored)
    names = ((one, one) for one in endpoint_names())
    sets = []
    for one in covering_sets(competition, live_version(competition)):
        day = written(one.uploaded_at, competition.zoneinfo)
        sets.append((str(one.pk), f"{one.file_name} · {digest(one.sha256)} · {day}"))
    form.offer(config, endpoint=names, dialogue_set_id=sets)
    return form


def config_of(competition: Competition, judge_id: UUID) -> JudgeConfig:
    rows = JudgeConfig.objects.select_related("dialogue_set", "created_by", "copied_from")
    config = get_object_or_404(rows, competition=competition, pk=judge_id)
    config.competition = competition
    return config


def estimated(config: JudgeConfig | None, asked: str) -> dict[str, Any]:
    """The dry run of as many submissions as are `asked` for, on the public rows, for the page."""
    if config is None or not (
        asked.isascii() and asked.isdecimal() and 0 < int(asked[:7]) <= MOST_DRY
    ):
        return {"dry_most": MOST_DRY}
    public = planned_ids(config, "public")
    return {
        "dry_most": MOST_DRY,
        "dry": estimate.dry_run(config, submissions=int(asked), example_ids=public),
        "building": estimate.building(config, example_ids=ids_to_build(config)[1:]),
    }


class JudgePage(DeskPage):
    tab = "desk_judge"
    config: JudgeConfig

    def open(self, **address: UUID) -> None:
        self.config = config_of(self.competition, address["judge_id"])

    @property
    def who(self) -> dict[str, Any]:
        return {"config_id": self.config.pk, "user": self.user, "at": self.at}

    def show(self, *, status: int = 200, **shown: Any) -> HttpResponse:
        return super().show(status=status, config=self.config, **shown)


State = JudgeConfig.State
LISTED = 50
BLANK_SECTIONS = 2
SHOWN = gettext_lazy("This judge column is now shown on the leaderboard, for reference.")


@page("desk/judge/<uuid:judge_id>/copy", "desk_judge_copy", does="copy")
@page("desk/judge/<uuid:judge_id>", "desk_judge_config")
class JudgeConfigPage(JudgePage):
    """`/c/<slug>/desk/judge/<id>`: all about one; POST with `verb` decides about it."""

    template = "judging/config.html"
    changing = ("edit", "sections")
    verbs = {
        "switch_on": (running.switch_on_judge_config, SHOWN),
        "activate": (running.activate_judge_config, SHOWN),
        "close": (
            running.close_judge_circuit,
            gettext_lazy("Calls to the judge server have resumed."),
        ),
    }

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

    def call(self) -> HttpResponse | str:
        with waking(judge_next):
            return super().call()

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
        self.tell_kept(form.kept)
        if not form.is_valid():
            return self.show(status=422)
        if self.config.state == State.DRAFT:
            wanted = form.wanted()
        else:
            wanted = settings_of(self.config, **{name: form.cleaned_data[name] for name in RUNNING})
        try:
            with waking(judge_next):
                configs.edit_judge_config(wanted=wanted, **self.who)
        except ValidationError as invalid:
            form.add_error(None, invalid)
            return self.show(status=422)
        return _("Saved.")

    @cached_property
    def section_forms(self) -> list[SectionForm]:
        """Those that were sent with a name, or those that are there and some empty ones."""
        initial: list[dict[str, Any]] = [
            {**as_written(one), "allowed_values": "\n".join(one.allowed_values)}
            for one in self.config.sections.all()
        ]
        if self.verb == "sections":
            initial += [{}] * (MOST_SECTIONS - len(initial))
            sent = [
                SectionForm.over(self.request.POST, one, prefix=f"section{n}")
                for n, one in enumerate(initial)
            ]
            return [form for form in sent if form["name"].data]
        initial += [{}] * (min(len(initial) + BLANK_SECTIONS, MOST_SECTIONS) - len(initial))
        return [SectionForm(prefix=f"section{n}", initial=one) for n, one in enumerate(initial)]

    def do_sections(self) -> HttpResponse | str:
        forms = self.section_forms
        self.tell_kept({name for form in forms for name in form.kept})
        if not all(form.is_valid() for form in forms):
            return self.show(status=422)
        configs.set_judge_sections(sections=[form.section() for form in forms], **self.who)
        return _("Sections and instructions were saved.")

    def do_build(self) -> str:
        with waking(judge_next):
            n = items.begin_judge_review(**self.who).carried_items
        if not n:
            return _("The items are being made. The judge worker makes them one by one.")
        taken = ngettext("Items copied: %(n)d.", "Items copied: %(n)d.", n) % {"n": n}
        rest = _("The judge worker makes only the missing items.")
        return f"{taken} {rest}"

    def do_freeze(self) -> str:
        accept = self.request.POST.get("accept_failed") == "on"
        with waking(judge_next):
            running.freeze_judge_config(accept_failed=accept, **self.who)
        return _("Frozen. It can be switched on now.")

    def do_retire(self) -> str:
        running.retire_judge_config(reason=self.request.POST.get("reason", "")[:300], **self.who)
        return _("This judge config is no longer used.")

    def post_copy(self) -> HttpResponse:
        self.config = configs.copy_judge_config(**self.who)
        said = _(
            "The draft was created. Change what should differ and save it, then start the review."
        )
        return self.done(said)

    def do_rejudge(self) -> str:
        judging = get_object_or_404(Judging, config=self.config, pk=self.key("judging"))
        with waking(judge_next):
            rows = rejudge(
                judging_id=judging.pk,
                user=self.user,
                everything=self.request.POST.get("everything") == "on",
                reason=self.request.POST.get("reason", "")[:300],
                at=self.at,
            )
        said = ngettext("%(n)d row is judged again.", "%(n)d rows are judged again.", rows)
        return said % {"n": rows}

    def context(self) -> dict[str, Any]:
        config = self.config
        spent = queries.spent(config)
        circuit = queries.circuit_of(config)
        answered = signs.answerers_of_config(config)
        can_be_shown = config.state in (State.FROZEN, State.RETIRED)
        is_asked = config.state in (State.FROZEN, State.ACTIVE)
        return {
            "form": self.settings,
            "section_forms": self.section_forms,
            "not_active": running.why_not_active(config) if can_be_shown else None,
            "outdated": configs.why_outdated(config) if is_asked else None,
            "progress": queries.progress(config),
            "judgings": queries.judgings(config)[:LISTED],
            "spent": spent[:LISTED],
            "spent_calls": sum(row["calls"] for row in spent),
            "spent_micros": sum(row["micros"] for row in spent),
            "answered": answered if signs.has_changed(answered) else [],
            "circuit": circuit,
            "is_shut": queries.is_shut(circuit, self.at),
            **self._making(),
            **estimated(config, self.request.GET.get("n", "")),
        }

    def _making(self) -> dict[str, Any]:
        config = self.config
        places = ids_to_build(config)
        carried = building.carried(config) if config.state == State.DRAFT else None
        is_reviewed = config.state == State.REVIEWING
        return {
            "counts": items.counts(config),
            "to_build": len(places),
            # Of these: items of dialogues that no reference names are kept, and asked of nobody.
            "built": len(places) - len(items.unbuilt(config, places)),
            "carried": carried,
            "to_make": len(set(places[1:]) - carried.example_ids) if carried else 0,
            "not_frozen": running.why_not_frozen(config) if is_reviewed else None,
        }
