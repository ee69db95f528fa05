"""A team's own submissions: the list, one of them, its progress and its file, two compared."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.actions import submissions as actions
from leaderboard.boards import results
from leaderboard.boards.columns import change
from leaderboard.boards.results import ResultCard, best_submission
from leaderboard.boards.visibility import Viewer
from leaderboard.competitions.schedule import Phase, lets_join, phase
from leaderboard.evaluation import queries as evaluation
from leaderboard.inbox.lines import read_about
from leaderboard.refusals import Refused
from leaderboard.submissions import ledger, queries
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import chosen, exclusions, for_user, of_team
from leaderboard.teams.models import Team
from leaderboard.web import errors, fragments, lookups, page_chrome
from leaderboard.web.charts import Drawing, Point, history
from leaderboard.web.forms import NoteForm
from leaderboard.web.page import ContestPage, TeamPage, page
from leaderboard.web.uploads import as_sent

PAGE = 50  # rows of texts on one page


@page("submissions", "submissions", on_team_page=gettext_lazy("My submissions"))
@page("submissions/<uuid:submission_id>/final", "final", does="final")
class OwnSubmissions(TeamPage):
    """`/c/<slug>/submissions`: what the team submitted, newest first; one tick makes a final."""

    template = "submissions.html"
    ticked: Submission

    def open(self, **address: UUID) -> None:
        if self.does:
            self.ticked = get_object_or_404(of_team(self.team), pk=address["submission_id"])

    def post_final(self) -> HttpResponse | str:
        """Choose this one, or no longer; the others stay. A script reads the box alone."""
        actions.choose_final(
            submission=self.ticked,
            user=self.user,
            ticked="final" in self.request.POST,
            at=self.at,
            now=self.request.now,
        )
        return self._box() if self.request.htmx else _("Your finals have changed.")

    def refuse(self, refusal: Refused) -> HttpResponse:
        if self.request.htmx:
            return errors.kept(self._box(refusal), refusal)
        return super().refuse(refusal)

    def _box(self, refusal: Refused | None = None) -> HttpResponse:
        """The box as it is stored, with why it is not as it was sent."""
        ctx = self.around() | {
            "submission": self.ticked,
            "finals": finals_of(self.viewer, self.team),
            "refusal": refusal,
            "answers": True,
        }
        return render(self.request, "parts/final_box.html", ctx)

    def address(self) -> str:
        return reverse("submissions", args=[self.competition.slug])

    def context(self) -> dict[str, Any]:
        own = list(of_team(self.team))
        best = best_submission(self.viewer)
        excluded = exclusions(submission.id for submission in own)
        states = evaluation.states(submission.id for submission in own)
        totals: dict[UUID, dict[str, str]] = {
            submission_id: {split.board: split.total for split in splits}
            for submission_id, splits in results.submission_scores(own, self.viewer).items()
        }
        lines = [
            {
                "submission": submission,
                "state": states.get(submission.id, "waiting"),
                "is_best": submission.id == best,
                "exclusion": excluded.get(submission.id),
                **totals.get(submission.id, {}),
            }
            for submission in own
        ]
        return {
            "lines": lines,
            "finals": finals_of(self.viewer, self.team),
            "shows_private": any("private" in line for line in lines),
        }


def finals_of(viewer: Viewer, team: Team) -> dict[str, Any]:
    """The team's finals, and whether its best public submission, once some are chosen, is not
    among them. `may_choose`: until the close, where they count at all."""
    finals, best = chosen(team.pk), best_submission(viewer)
    competition = viewer.competition
    counts = competition.finals_rule == competition.FinalsRule.FINALS
    return {
        "chosen": finals,
        "most": actions.FINALS,
        "best_left_out": bool(finals) and best is not None and best not in finals,
        "may_choose": counts and phase(competition, viewer.at) is Phase.OPEN,
    }


def drawings(viewer: Viewer, team: Team) -> tuple[Drawing, ...]:
    """The team's public totals in time, against first place and the best baseline."""
    own = of_team(team).filter(**queries.counted()).order_by("received_at")
    totals = results.submission_scores(own, viewer)
    points = [Point(one.received_at, totals[one.pk][0].total) for one in own if one.pk in totals]
    named = zip((_("1st place"), _("Baseline")), results.levels(viewer), strict=True)
    against = {name: total for name, total in named if total is not None}
    return history(points, viewer.competition.zoneinfo, against)


class OfOwnSubmission(ContestPage):
    """What is about one submission of one's own team; a 404 for all others."""

    tab = "submit"
    submission: Submission

    def open(self, **address: UUID) -> None:
        known = for_user(self.request.user).filter(team__competition=self.competition)
        self.submission = get_object_or_404(known, pk=address["submission_id"])

    def state(self) -> dict[str, Any]:
        """Where the submission stands, with its result once there is one."""
        state = evaluation.progress(self.submission, at=self.at)
        ctx = {
            "submission": self.submission,
            "progress": state,
            "now": self.at,
            "zone": self.competition.zoneinfo,
        }
        if not state["is_over"]:
            return ctx
        read_about(user=self.user, subject=self.submission.pk, at=self.at)
        ctx["earlier"] = results.earlier_results(self.submission, self.viewer)
        card = results.result(self.submission, self.viewer)
        return ctx if card is None else ctx | self._scored(card)

    def _scored(self, card: ResultCard) -> dict[str, Any]:
        """What the live version says of it, and how that was made."""
        found = self.submission
        version = self.viewer.version
        profile = version.profile() if version else None
        before = of_team(found.team).filter(received_at__lt=found.received_at)
        return {
            "card": card,
            "fragments": [
                make(self.request, self.viewer, found, card) for make in fragments.SUBMISSION
            ],
            "drawings": drawings(self.viewer, found.team),
            "finals": finals_of(self.viewer, found.team),
            "before": before.first(),
            # Else the card writes plus signs between the parts.
            "apart": not (profile and profile.metric_aggregation == "sum" and profile.scale == 1),
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
        return _("The submission was withdrawn, and the attempt was given back.")

    def address(self) -> str:
        return reverse("submission", args=[self.competition.slug, self.submission.pk])

    def context(self) -> dict[str, Any]:
        found = self.submission
        return {
            "exclusion": exclusions([found.pk]).get(found.pk),
            "form": self.form(
                "note", initial={"note": found.note, "method_name": found.method_name}
            ),
            **self.state(),
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
            "boards": results.compared(before, after, self.viewer),
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
