"""Before the reveal, nothing that a person below editor can see depends on private scores.

The same site is walked twice with the same clock, the private scores handed round in between:
every answer must be the same, byte for byte, but for tokens and the time a check took.
"""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django import shortcuts
from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse

from leaderboard.boards.listing import Order
from leaderboard.boards.models import Standing
from leaderboard.boards.visibility import Viewer
from leaderboard.web.contest import board, submissions
from tests.leaderboard.builders import CLOSES, NOON
from tests.leaderboard.web.comparison import differences, walk
from tests.leaderboard.web.crawl import Probe, send
from tests.leaderboard.web.parts import parts
from tests.leaderboard.web.stage import (
    BELOW_EDITOR,
    EDITORS,
    WATCHERS,
    Stage,
    build,
    clients,
    permute_private_scores,
    stop_clock,
)

pytestmark = [
    pytest.mark.crawl,
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]
PRIVATE_BOARD = Probe("/c/talk/leaderboard?board=private")


def before_and_after(stage: Stage, roles: tuple[str, ...]) -> tuple[Any, Any]:
    """Both walks. The private scores are put back."""
    browsers = {role: browser for role, browser in clients().items() if role in roles}
    before = walk(stage, browsers)
    with transaction.atomic():
        permute_private_scores()
        after = walk(stage, browsers)
        transaction.set_rollback(True)
    return before, after


@pytest.mark.parametrize(
    ("at", "roles"),
    [
        (NOON, WATCHERS),
        pytest.param(NOON, BELOW_EDITOR, marks=pytest.mark.slow),
        (CLOSES + timedelta(hours=1), ("visitor", "alice")),
    ],
    ids=["open", "open to all", "closed"],
)
def test_no_answer_depends_on_private_scores(
    at: datetime, roles: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, at)
    stage = build()
    before, after = before_and_after(stage, roles)
    print(f"{len(before)} answers to {len(roles)} roles compared")
    assert differences(before, after) == []
    assert len(before) > 60 * len(roles)


def test_editors_do_see_the_permutation(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    build()
    browsers = clients()
    before = {role: send(role, browsers[role], PRIVATE_BOARD) for role in EDITORS}
    public = _rows("public")
    permute_private_scores()
    after = {role: send(role, browsers[role], PRIVATE_BOARD) for role in EDITORS}
    assert len(differences(before, after)) == len(EDITORS)
    assert _rows("public") == public


def own_pair(stage: Stage) -> str:
    """The page that compares the two submissions of Alice that are scored."""
    earlier = stage.alices.submissions.filter(evaluations__state="done").exclude(pk=stage.best.pk)
    return f"/c/talk/submissions/compare?a={earlier.get().pk}&b={stage.best.pk}"


def _rows(which: str) -> list[tuple[Any, ...]]:
    return list(Standing.objects.filter(board=which).order_by("pk").values_list())


# --- Each of these faults is found ---------------------------------------------------------------


def _break_ties_by_private_totals(patch: pytest.MonkeyPatch) -> None:
    def by_private(_: Order, rows: QuerySet[Standing]) -> QuerySet[Standing]:
        private = Standing.objects.filter(board="private", team=OuterRef("team"))
        secret = Subquery(private.values("printed")[:1])
        return rows.order_by("-printed", secret.desc())

    patch.setattr(Order, "of", by_private)


def _tag_pages_by_all_rows(patch: pytest.MonkeyPatch) -> None:
    honest = shortcuts.render

    def tagged(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = honest(request, *args, **kwargs)
        rows = Standing.objects.order_by("team", "board").values_list("printed", flat=True)
        response["ETag"] = f'"{hash(tuple(rows))}"'
        return response

    patch.setattr(board, "render", tagged)


def _mark_the_best_by_private_total(patch: pytest.MonkeyPatch) -> None:
    def best(viewer: Viewer) -> Any:
        assert viewer.team is not None
        scored = viewer.team.submissions.filter(evaluations__scores__split="private")
        return scored.order_by("-evaluations__scores__printed").values_list("pk", flat=True)[0]

    patch.setattr(submissions, "best_submission", best)


@pytest.mark.parametrize(
    "plant",
    [
        _break_ties_by_private_totals,
        _tag_pages_by_all_rows,
        _mark_the_best_by_private_total,
        *(fault for part in parts() for fault in part.FAULTS),
    ],
)
def test_a_planted_dependence_is_found(plant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()
    alice = clients()["alice"]
    addresses = ("/c/talk/leaderboard", "/c/talk/submissions", own_pair(stage))

    def differing() -> list[str]:
        """Over all steps of handing the scores round: one step may leave one order as it was."""
        walks = []
        for _ in range(6):
            walks.append({where: send("alice", alice, Probe(where)) for where in addresses})
            permute_private_scores()
        return [line for after in walks[1:] for line in differences(walks[0], after)]

    assert differing() == []
    plant(monkeypatch)
    assert differing() != []
