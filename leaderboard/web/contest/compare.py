"""Two of a team's own submissions side by side: the texts that differ and the whole scores."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.boards.results import ComparedBoard, compared
from leaderboard.boards.visit import Visit
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queries import (
    DifferingRow,
    differing_ids,
    differing_row,
    of_team,
    texts,
)
from leaderboard.web import find, frame, pieces
from leaderboard.web.find import WebRequest
from leaderboard.web.pager import PageLink, pager

PAGE = 50  # rows of texts on one page


@dataclass(frozen=True)
class Comparison:
    """Two submissions; `rows` is one page of the `differing` ones out of `of`."""

    before: Submission
    after: Submission
    boards: tuple[ComparedBoard, ...]
    rows: tuple[DifferingRow, ...]
    differing: int
    of: int
    pager: tuple[PageLink, ...]


@require_safe
def compare(request: WebRequest, slug: str) -> HttpResponse:
    """`/c/<slug>/submissions/compare?a=…&b=…`; without both, the page asks which."""
    visit = find.visit(request, slug)
    team = find.team_or_way_in(request, visit.competition)
    if isinstance(team, HttpResponse):
        return team
    own = {submission.pk: submission for submission in of_team(team)}
    before, after = (_chosen(request, name, own) for name in ("a", "b"))
    ctx: dict[str, Any] = {
        "frame": frame.around(request, visit.competition, tab="submit"),
        "own": list(own.values()),
        "before": before,
        "after": after,
        "zone": visit.competition.zoneinfo,
    }
    if before and after and before != after:
        ctx["found"] = comparison(before, after, visit, find.page_number(request))
        ctx["pieces"] = [make(request, visit, before, after) for make in pieces.COMPARISON]
    return render(request, "compare.html", ctx)


def comparison(before: Submission, after: Submission, visit: Visit, page: int = 0) -> Comparison:
    """Both, with one page of the rows whose texts differ, by id; without them for page 0."""
    left, right = texts(before.pk), texts(after.pk)
    changed = differing_ids(left, right)
    pages = max(1, -(-len(changed) // PAGE))
    page = min(page, pages)
    asked = urlencode({"a": before.pk, "b": after.pk})
    return Comparison(
        before=before,
        after=after,
        boards=compared(before, after, visit),
        rows=tuple(
            differing_row(example_id, left, right)
            for example_id in changed[max(page - 1, 0) * PAGE : page * PAGE]
        ),
        differing=len(changed),
        of=len(left.keys() | right.keys()),
        pager=tuple(pager(page, pages, f"?{asked}&page={{}}".format)),
    )


def _chosen(request: WebRequest, name: str, own: dict[UUID, Submission]) -> Submission | None:
    """The submission that the address names; a 404 for any that is not the team's own."""
    text = request.GET.get(name, "")
    if not text:
        return None
    try:
        return own[UUID(text)]
    except (ValueError, KeyError):
        raise Http404 from None
