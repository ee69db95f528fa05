"""A team's own submissions: the list, one of them, its progress and its file, two compared."""

from collections.abc import Collection
from itertools import zip_longest
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from leaderboard.actions import submissions as actions
from leaderboard.boards import results
from leaderboard.boards.columns import change
from leaderboard.boards.results import best_submission
from leaderboard.competitions.schedule import lets_join
from leaderboard.evaluation import queries as evaluation
from leaderboard.submissions import ledger, queries
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import chosen, exclusions, for_user, of_team
from leaderboard.web import fragments, lookups, page_chrome
from leaderboard.web.charts import Point, history
from leaderboard.web.forms import NoteForm
from leaderboard.web.page import ContestPage, TeamPage, page
from leaderboard.web.uploads import as_sent

PAGE = 50  # rows of texts on one page


@page("submissions", "submissions", on_team_page=gettext_lazy("My submissions"))
@page("submissions/finals", "finals", does="finals")
class OwnSubmissions(TeamPage):
    """`/c/<slug>/submissions`: everything the team handed in, newest first."""

    template = "submissions.html"
    ticked: Collection[UUID] | None = None  # the finals as they were chosen, taken or not

    def post_finals(self) -> str:
        """Exactly the ticked ones are the team's finals."""
        self.ticked = [lookups.key(text) for text in self.request.POST.getlist("final")]
        actions.choose_finals(submission_ids=self.ticked, now=self.request.now, **self.who)
        return _("Your finals have changed.")

    def address(self) -> str:
        return reverse("submissions", args=[self.competition.slug])

    def context(self) -> dict[str, Any]:
        lines = self._lines()
        # As `submissions.queries.counted` says what may stand on a board.
        counted = [
            line
            for line in reversed(lines)
            if not line["exclusion"] and not line["submission"].is_late
        ]
        points = [
            Point(line["submission"].received_at, line["public"])
            for line in counted
            if line["public"]
        ]
        return {
            "lines": lines,
            "finals_chosen": sum(line["is_ticked"] for line in lines),
            "drawings": history(points, self.competition.zoneinfo),
            "finals_limit": actions.FINALS,
            "shows_private": any(line["private"] for line in lines),
        }

    def _lines(self) -> list[dict[str, Any]]:
        """Each submission with the totals that its reader may see. `is_ticked`: in the form of the
        finals, which shows what was sent even where it was refused."""
        finals = chosen(self.team.id)
        ticked = finals if self.ticked is None else self.ticked
        own = list(of_team(self.team))
        best = best_submission(self.viewer)
        excluded = exclusions(submission.id for submission in own)
        states = evaluation.states(submission.id for submission in own)
        totals: dict[UUID, dict[str, str]] = {
            submission_id: {split.board: split.total for split in splits}
            for submission_id, splits in results.submission_scores(own, self.viewer).items()
        }
        return [
            {
                "submission": submission,
                "state": states.get(submission.id, "waiting"),
                "public": totals.get(submission.id, {}).get("public"),
                "private": totals.get(submission.id, {}).get("private"),
                "is_best": submission.id == best,
                "is_final": submission.id in finals,
                "is_ticked": submission.id in ticked,
                "exclusion": excluded.get(submission.id),
                "previous": earlier.pk if earlier else None,
            }
            for submission, earlier in zip_longest(own, own[1:])
        ]


class OfOwnSubmission(ContestPage):
    """What is about one submission of one's own team; a 404 for all others."""

    tab = "submit"
    submission: Submission

    def open(self, **address: UUID) -> None:
        known = for_user(self.request.user).filter(team__competition=self.competition)
        self.submission = get_object_or_404(known, pk=address["submission_id"])

    def state(self) -> dict[str, Any]:
        """Where the submission stands, with its result card once there is one."""
        state = evaluation.progress(self.submission, at=self.at)
        card = results.result(self.submission, self.viewer) if state["is_over"] else None
        version = self.viewer.version if card else None
        profile = version.profile() if version else None
        return {
            "submission": self.submission,
            "progress": state,
            "steps": _steps(state["stage"]),
            "card": card,
            "told": [
                make(self.request, self.viewer, self.submission, card) for make in fragments.RESULT
            ]
            if card
            else [],
            # Else the card writes plus signs between the parts.
            "apart": not (profile and profile.metric_aggregation == "sum" and profile.scale == 1),
            "now": self.at,
            "zone": self.competition.zoneinfo,
        }


@page("submissions/<uuid:submission_id>", "submission")
@page("submissions/<uuid:submission_id>/note", "note", does="note")
@page("submissions/<uuid:submission_id>/cancel", "cancel", does="cancel")
class OwnSubmission(OfOwnSubmission):
    """`/c/<slug>/submissions/<id>`: progress while it runs, the result card afterwards."""

    template = "submission.html"
    forms = {"note": NoteForm}

    def post_note(self) -> str:
        actions.edit_note(submission=self.submission, user=self.user, **self.typed())
        return _("The note was changed.")

    def post_cancel(self) -> str:
        actions.cancel(submission=self.submission, user=self.user, at=self.at, now=self.request.now)
        return _("Cancelled; the attempt was given back.")

    def address(self) -> str:
        return reverse("submission", args=[self.competition.slug, self.submission.pk])

    def context(self) -> dict[str, Any]:
        found, state = self.submission, self.state()
        ended = state["card"] is not None
        before = of_team(found.team).filter(received_at__lt=found.received_at)
        earlier = before.first() if ended else None
        return {
            "before": earlier,
            "exclusion": exclusions([found.pk]).get(found.pk),
            "fragments": [make(self.request, self.viewer, found) for make in fragments.SUBMISSION]
            if ended
            else [],
            "earlier": results.earlier_results(found, self.viewer),
            "form": self.form(
                "note", initial={"note": found.note, "method_name": found.method_name}
            ),
            **state,
        }


@page("submissions/<uuid:submission_id>/progress", "progress")
class Progressing(OfOwnSubmission):
    """The part of the submission's page that htmx asks for each second until it is over."""

    def respond(self) -> HttpResponseBase:
        ctx = {"competition": self.competition, **self.state()}
        if ctx["progress"]["is_over"]:
            # Rank and slots changed with the result: the last fragment brings the header along.
            ctx["frame"] = page_chrome.Frame(self.request, self.competition, tab=self.tab)
        return render(self.request, "parts/state.html", ctx)


@page("submissions/<uuid:submission_id>/file", "submission_file")
class OwnFile(OfOwnSubmission):
    def respond(self) -> HttpResponseBase:
        return as_sent(self.submission.file, self.submission.file_name)


def _steps(stage: str) -> list[tuple[str, str]]:
    """The road of a submission: its steps with `past`, `here` or nothing."""
    names = {
        "received": pgettext("state", "Received"),
        "queued": _("Waiting"),
        "prepare": _("Preparing golds"),
        "cut": _("Cutting morphemes"),
        "score": pgettext("step", "Scoring"),
        "rank": _("Ranking"),
    }
    order = list(names)
    # A worker that has just taken it has not named its stage yet.
    here = order.index(stage if stage in order else "prepare")
    return [
        (name, "past" if place < here else "here" if place == here else "")
        for place, name in enumerate(names.values())
    ]


@page("submissions/compare", "compare")
class Compare(TeamPage):
    """`/c/<slug>/submissions/compare?a=…&b=…`; without both, the page asks which."""

    template = "compare.html"

    def context(self) -> dict[str, Any]:
        own = {submission.pk: submission for submission in of_team(self.team)}
        before, after = (self._chosen(name, own) for name in ("a", "b"))
        ctx: dict[str, Any] = {"own": list(own.values()), "before": before, "after": after}
        if not before or not after or before == after:
            return ctx
        by_rows = results.compared_rows(before, after, self.viewer) or {}
        texts = queries.texts_by_submission([before.pk, after.pk])
        left, right = texts[before.pk], texts[after.pk]
        differing = queries.differing_ids(left, right)
        shown = lookups.page_of(self.request, differing, PAGE)
        return ctx | {
            "found": {"before": before, "after": after},
            "boards": fragments.with_noise(
                results.compared(before, after, self.viewer), self.viewer
            ),
            "of": len(left.keys() | right.keys()),
            "shows_rows": bool(by_rows),
            "rows": [
                {
                    "texts": queries.differing_row(name, left, right),
                    "totals": change(*by_rows[name]) if name in by_rows else None,
                }
                for name in shown
            ],
            "shown": shown,
            "zone": self.competition.zoneinfo,
            "fragments": [
                make(self.request, self.viewer, before, after) for make in fragments.COMPARISON
            ],
        }

    def _chosen(self, name: str, own: dict[UUID, Submission]) -> Submission | None:
        """The submission that the address names; a 404 for any that is not the team's own."""
        text = self.request.GET.get(name, "")
        if text and (key := lookups.key(text)) not in own:
            raise Http404
        return own[key] if text else None


@page("ledger", "ledger")
class Ledger(TeamPage):
    template = "ledger.html"

    def context(self) -> dict[str, Any]:
        return {
            "allowance": ledger.allowance(self.team, self.competition, self.at),
            "over": not lets_join(self.competition, self.at),
            "days": ledger.by_day(self.team),
        }
