"""The desk's first page. A 404 for everybody but owners and editors."""

from typing import Any

from django.http import HttpResponseBase
from django.utils.translation import gettext_lazy

from leaderboard.boards.models import Figures
from leaderboard.community.forum import waiting
from leaderboard.competitions.schedule import day
from leaderboard.evaluation.failures import kept_failures
from leaderboard.evaluation.models import Evaluation
from leaderboard.evaluation.queries import scoring
from leaderboard.references.queries import opening_steps
from leaderboard.submissions.ledger import taken_by_day
from leaderboard.teams.membership import waiting_requests
from leaderboard.teams.queries import headcount
from leaderboard.web.contest.forum import bylines, thread_lines
from leaderboard.web.contest.overview import stall_alone
from leaderboard.web.page import DeskPage, page
from leaderboard.web.page_chrome import OVERVIEW, Entry

# What the codes mean that we give ourselves; any other is the name of an exception.
FAILURES = {
    "worker_lost": gettext_lazy("The worker stopped responding"),
    Evaluation.TEXT_TIME_LIMIT: gettext_lazy("One text took the tokenizer too long"),
    Evaluation.IDS_CHANGED: gettext_lazy("Lacks ids of the new golds"),
}


UNANSWERED = 5  # of the questions and inquiries that wait, the oldest


@page("desk/", "desk", Entry(OVERVIEW, gettext_lazy("At a glance"), 10))
class Desk(DeskPage):
    """`/c/<slug>/desk/`: how the contest stands, at a glance.

    Asked by a page of the desk itself (htmx) it answers only whether scoring stands still.
    """

    template = "desk/overview.html"

    def respond(self) -> HttpResponseBase:
        if self.request.htmx:
            return stall_alone(self.request, rehearsals=True)
        return super().respond()

    def context(self) -> dict[str, Any]:
        competition = self.competition
        state = scoring(competition)
        today = day(competition, self.at).date
        version = self.viewer.version
        kept = None if version is None else Figures.kept(version, self.at)
        taken = taken_by_day(competition) if kept is None else kept.days
        opening = opening_steps(competition, self.at)
        # One more tells whether there are more.
        unanswered = list(waiting(competition)[: UNANSWERED + 1])
        by = bylines(self.viewer, [thread.author for thread in unanswered])
        return {
            "unanswered": thread_lines(unanswered[:UNANSWERED], by),
            "more_unanswered": len(unanswered) > UNANSWERED,
            "opening": opening,
            "may_open": all(step.done for step in opening if step.required),
            "headcount": headcount(competition),
            "requests_waiting": waiting_requests(competition),
            "taken_at": kept.made_at if kept else None,
            "taken": sum(taken.values()),
            "taken_today": taken.get(today, 0),
            "scoring": state,
            "version_failures": {kept.work for kept in kept_failures(state["versions"])},
            "failures": [(one, FAILURES.get(one["code"], "")) for one in state["failures"]],
        }
