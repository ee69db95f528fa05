"""The desk's baselines: the organizers' own files on the board, without a rank."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from leaderboard.actions.teams import (
    add_baseline,
    remove_baseline,
    rename_baseline,
    restore_baseline,
)
from leaderboard.celery import waking
from leaderboard.evaluation import overview
from leaderboard.teams.models import Team
from leaderboard.teams.queries import baselines
from leaderboard.web.desk.page import DeskPage, desk_page
from leaderboard.web.desk.submissions import SubmissionLine, lines_of_submissions
from leaderboard.web.forms import BaselineForm
from leaderboard.web.navigation import SCORING, Menu
from leaderboard.web.uploads import PREDICTIONS_BYTES
from leaderboard.worker.tasks import evaluate_next
from scoring.findings import InvalidSubmission


@dataclass(frozen=True)
class BaselineLine:
    """One baseline with its files, newest first. Removed: none of them is on the board."""

    team: Team
    files: tuple[SubmissionLine, ...]

    @property
    def removed(self) -> bool:
        return all(getattr(one.submission, "exclusion", None) for one in self.files)


@desk_page(
    "desk/baselines", "desk_baselines", Menu(SCORING, pgettext_lazy("desk", "Baselines"), 40)
)
class Baselines(DeskPage):
    """`/c/<slug>/desk/baselines`: add one, rename, remove or restore it."""

    tab = "desk_baselines"
    template = "desk/baselines.html"
    forms = {"add": BaselineForm}
    beside = {"add": "name"}
    upload_bytes = PREDICTIONS_BYTES

    def do_add(self) -> HttpResponse | str:
        files = self.files("file")
        if not files:
            return self.at_field("name", _("Choose a file."))
        try:
            with waking(evaluate_next):
                add_baseline(upload=files[0], **self.typed(), **self.who)
        except InvalidSubmission as invalid:
            return self.show(invalid=invalid, status=422)
        return _("Baseline added. It appears on the board once it is scored.")

    def do_rename(self) -> str:
        name = self.request.POST.get("name", "")
        rename_baseline(team=self._baseline(), user=self.user, name=name, at=self.at)
        return _("Baseline renamed.")

    def do_remove(self) -> str:
        remove_baseline(team=self._baseline(), user=self.user, at=self.at)
        return _("The baseline is off the boards.")

    def do_restore(self) -> str:
        restore_baseline(team=self._baseline(), user=self.user, at=self.at)
        return _("The baseline is back on the boards.")

    def unknown(self) -> HttpResponse:
        return self.done()

    def context(self) -> dict[str, Any]:
        handed_in = overview.of_competition(self.competition)
        files: dict[UUID, list[SubmissionLine]] = {}
        for line in lines_of_submissions(
            list(handed_in.filter(team__kind=Team.Kind.BASELINE)), self.visit
        ):
            files.setdefault(line.submission.team_id, []).append(line)
        return {
            "lines": [
                BaselineLine(team, tuple(files.get(team.pk, ())))
                for team in baselines(self.competition)
            ],
            "form": self.form("add"),
            "limit": PREDICTIONS_BYTES,
        }

    def _baseline(self) -> Team:
        return get_object_or_404(baselines(self.competition), pk=self.key("baseline"))
