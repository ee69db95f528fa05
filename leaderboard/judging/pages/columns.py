"""The desk's judge columns: all of them, why none can be made, a draft of a new one or a copy."""

from functools import cached_property
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from leaderboard.actions.refusals import Refused
from leaderboard.competitions.models import Competition
from leaderboard.judging import answerers, estimate
from leaderboard.judging.actions.configs import create_judge_config, why_no_judge
from leaderboard.judging.drafting import settings_of
from leaderboard.judging.models import JudgeConfig
from leaderboard.judging.pages.forms import JudgeForm, initial_of
from leaderboard.judging.plan import ids_to_build, planned_ids
from leaderboard.judging.queries import endpoint_names
from leaderboard.references.queries import covering_sets, live_version
from leaderboard.web import errors
from leaderboard.web.navigation import SCORING, Entry
from leaderboard.web.page import DeskPage, page
from leaderboard.web.templatetags.formatting import digest, written

MOST_DRY = 500  # submissions of a dry run: each one's texts are read


@page("desk/judge", "desk_judge", Entry(SCORING, pgettext_lazy("desk", "Judge columns")))
class JudgeList(DeskPage):
    """`/c/<slug>/desk/judge`: the columns with their state; POST drafts one (`?from=` copies)."""

    template = "judging/columns.html"
    default = "create"
    before: JudgeConfig | None = None

    @cached_property
    def new(self) -> JudgeForm:
        if self.request.method == "POST":
            return judge_form(self.competition, self.request.POST)
        asked = self.request.GET.get("from", "")
        try:
            config = config_of(self.competition, UUID(asked)) if asked else None
        except ValueError:
            raise Http404 from None
        return judge_form(self.competition, None, config)

    def do_estimate(self) -> HttpResponse:
        if not self.new.is_valid():
            return self.show(status=422)
        self.before = settings_of(self.new.wanted(), competition=self.competition)
        return self.show()

    def do_create(self) -> HttpResponse:
        if not self.new.is_valid():
            return self.show(status=422)
        try:
            config = create_judge_config(wanted=self.new.wanted(), **self.who)
        except Refused as refusal:
            self.new.add_error(None, errors.whole(refusal))
            return self.show(status=refusal.status)
        except ValidationError as invalid:
            self.new.add_error(None, invalid)
            return self.show(status=422)
        messages.success(self.request, _("The draft is made. Nothing is asked or shown yet."))
        return redirect("desk_judge_config", slug=self.competition.slug, judge_id=config.pk)

    def context(self) -> dict[str, Any]:
        rows = JudgeConfig.objects.filter(competition=self.competition)
        configs = list(rows.select_related("created_by"))
        changed = answerers.changed_configs(self.competition)
        return {
            "configs": configs,
            "changed": [config for config in configs if config.pk in changed],
            "obstacle": why_no_judge(self.competition),
            "form": self.new,
            "before": self.before,
            **estimated(self.before, self.request.POST.get("n", "")),
        }


def judge_form(competition: Competition, data: Any, config: JudgeConfig | None = None) -> JudgeForm:
    """The form with the servers and dialogues that this contest has now."""
    form = JudgeForm(data, initial=initial_of(config))
    names = ((one, one) for one in endpoint_names())
    sets = []
    for one in covering_sets(competition, live_version(competition)):
        day = written(one.uploaded_at, competition.zoneinfo)
        sets.append((str(one.pk), f"{one.file_name} · {digest(one.sha256)} · {day}"))
    form.offer(endpoint=names, dialogue_set_id=sets)
    return form


def config_of(competition: Competition, judge_id: UUID) -> JudgeConfig:
    """The contest's config under this id; a 404 for any other."""
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
    """A page about one config of the contest."""

    tab = "desk_judge"
    config: JudgeConfig

    def open(self, **address: UUID) -> None:
        self.config = config_of(self.competition, address["judge_id"])

    @property
    def decided(self) -> dict[str, Any]:
        """The arguments that actions about a config take."""
        return {"config_id": self.config.pk, "user": self.user, "at": self.at}

    def show(self, *, status: int = 200, **shown: Any) -> HttpResponse:
        return super().show(status=status, config=self.config, **shown)
