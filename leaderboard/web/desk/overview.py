"""The organizers' first page: what to do next, and how the contest stands."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.boards.columns import decimals
from leaderboard.boards.listing import standings_of
from leaderboard.boards.models import Figures
from leaderboard.boards.visibility import opening_board
from leaderboard.community.forum import waiting
from leaderboard.competitions.models import Competition, Organizer
from leaderboard.competitions.schedule import Phase, day, phase
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queries import scoring
from leaderboard.evaluation.run import kept_failures
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.ledger import taken_by_day
from leaderboard.submissions.queries import found_teams
from leaderboard.teams.membership import waiting_requests
from leaderboard.teams.models import Team
from leaderboard.teams.queries import baselines, headcount
from leaderboard.web import fragments
from leaderboard.web.contest.overview import stall_alone
from leaderboard.web.fragments import Step
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import OVERVIEW, Entry
from scoring.ranking import ranks

# What the codes mean that we give ourselves; any other is the name of an exception.
FAILURES = {
    "worker_lost": gettext_lazy("The worker stopped responding"),
    Evaluation.TEXT_TIME_LIMIT: gettext_lazy("One text took the tokenizer too long"),
    Evaluation.IDS_CHANGED: gettext_lazy("Has no summary for some ids of the new references"),
}
SHOWN = 5  # teams of each list


@page("desk/", "desk", Entry(OVERVIEW, OVERVIEW, 10))
class Desk(DeskPage):
    """`/c/<slug>/desk/`: the next step, what waits for a decision, and the contest in figures.

    Asked by a page of the desk itself (htmx) it answers only whether scoring stands still.
    """

    template = "desk/overview.html"

    def respond(self) -> HttpResponseBase:
        if self.request.htmx:
            return stall_alone(self.request, rehearsals=True)
        return super().respond()

    def context(self) -> dict[str, Any]:
        competition, version = self.competition, self.viewer.version
        self.phase = phase(competition, self.at)
        self.people = headcount(competition)
        state = scoring(competition)
        kept = None if version is None else Figures.kept(version, self.at)
        taken = taken_by_day(competition) if kept is None else kept.days
        found = [step for find in fragments.TO_DO for step in find(self.viewer)]
        waits, ends = self._waiting(), self._ending()
        steps = [*self._broken(state), *waits, *found, *self._opening(), *ends]
        left = [step for step in steps if not step.done]
        silent = found_teams(competition, only="silent")
        return {
            "next": next((one for one in left if one.required), left[0] if left else None),
            "steps": steps if self.phase is Phase.UPCOMING else left,
            "headcount": self.people,
            "taken_at": kept.made_at if kept else None,
            "taken": sum(taken.values()),
            "taken_today": taken.get(day(competition, self.at).date, 0),
            "scoring": state,
            "failed": sum(one["number"] for one in state["failures"]),
            "silent": silent[:SHOWN] if taken else (),
            "silent_number": silent.count() if taken else 0,
            "top": _first(version, opening_board(self.viewer)) if version else (),
        }

    def _broken(self, state: dict[str, Any]) -> Iterator[Step]:
        """What keeps files from being scored."""
        if state["unsupported"]:
            said = _("This server cannot score %(versions)s: upload the same references again")
            names = ", ".join(version.label for version in state["unsupported"])
            yield Step("desk_golds", said % {"versions": names}, required=True)
        work = {kept.work for kept in kept_failures(state["versions"])}
        if "golds" in work:
            yield Step("desk_golds", _("References could not be analyzed"), required=True)
        elif work:
            yield Step("desk_golds", _("Some values of a version could not be computed"))
        if codes := [one["code"] for one in state["failures"]]:
            why = ", ".join(str(FAILURES.get(code, code)) for code in codes)
            said = _("Review the submissions that could not be scored: %(why)s")
            yield Step("desk_submissions", said % {"why": why}, part="?kind=failed")

    def _opening(self) -> Iterator[Step]:
        """What the contest needs before people can submit, in the order of the work."""
        contest, live = self.competition, self.viewer.version is not None
        if live and self.phase in (Phase.CLOSED, Phase.REVEALED):
            return
        drafted = live or ScoringVersion.objects.filter(competition=contest).exists()
        written = bool(contest.introduction.strip() and contest.rules.strip())
        yield Step("desk_data", _("Upload the dialogues"), contest.data_files.exists())
        yield Step("desk_golds", _("Upload the references"), drafted, required=True)
        yield Step("desk_golds", _("Make the references live"), live, required=True)
        yield Step("desk_settings", _("Write the introduction and rules"), written)
        if self.phase is Phase.UPCOMING:
            joined = self.people["people"] > 0
            limited = contest.registration != Competition.Registration.OPEN
            yield Step("desk_people", _("Choose who can join"), joined or limited)
            yield Step("desk_enrol", _("Enrol a class"), joined)
        yield Step("desk_baselines", _("Add a baseline"), baselines(contest).exists())
        yield Step("desk_schedule", _("Set the dates"), contest.closes_at > self.at, required=True)

    def _waiting(self) -> Iterator[Step]:
        """Who waits for an organizer."""
        if number := waiting_requests(self.competition):
            said = ngettext(
                "%(n)d request to join is waiting", "%(n)d requests to join are waiting", number
            )
            yield Step("desk_people", said % {"n": number}, part="#requests")
        if number := waiting(self.competition).count():
            said = ngettext(
                "%(n)d question is waiting for an answer",
                "%(n)d questions are waiting for an answer",
                number,
            )
            yield Step("desk_forum", said % {"n": number}, part="#waiting")

    def _ending(self) -> Iterator[Step]:
        """What is left between the close and the archive."""
        contest = self.competition
        if self.phase is Phase.CLOSED:
            told = contest.announcements.filter(at__gte=contest.closes_at).exists()
            yield Step("desk_announcements", _("Announce what happens until the reveal"), told)
            if contest.reveal_held:
                yield Step("desk_schedule", _("Release the reveal"))
        is_owner = self.viewer.role == Organizer.Role.OWNER
        if self.phase is Phase.REVEALED and is_owner and contest.is_active:
            yield Step("desk_ending", _("Archive the competition"))


def _first(version: ScoringVersion, board: str) -> list[tuple[int, Team, str]]:
    """The first teams of a board: rank, team and total."""
    rows = standings_of(version, board, None).filter(ranked=True)
    found: list[Any] = list(rows.select_related("team")[:SHOWN])
    rank = ranks([row.printed for row in found])
    return [(rank[n], row.team, decimals(row.printed)) for n, row in enumerate(found)]
