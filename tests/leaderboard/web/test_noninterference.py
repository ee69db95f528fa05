"""Before the reveal, nothing that a person below editor sees holds or depends on private scores.

The same site is walked twice with the same clock, the private scores handed round and what is
private in the forum written anew in between: every answer must be the same, byte for byte, but for
tokens and the time a check took. In those of the first walk no private number, no gold and no
private post is found; test_canary shows what would be. The second walk asks again what looked up
any of these in the first one: no list says which addresses those are.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django import shortcuts
from django.http import HttpRequest, HttpResponse

from leaderboard.accounts.models import User
from leaderboard.boards import listing
from leaderboard.boards.listing import BoardRow
from leaderboard.boards.models import Standing
from leaderboard.boards.visibility import Viewer
from leaderboard.evaluation.queries import rows_in_order
from leaderboard.insight import flattery, pairs
from leaderboard.web import frame
from leaderboard.web.contest import board, submissions
from tests.leaderboard.builders import CLOSES, NOON
from tests.leaderboard.web import private_posts
from tests.leaderboard.web.comparison import differences, that_read_secrets, walk, walk_again
from tests.leaderboard.web.crawl import Probe, send
from tests.leaderboard.web.parts import parts
from tests.leaderboard.web.stage import (
    BELOW_EDITOR,
    CANARY,
    EDITORS,
    Stage,
    build,
    clients,
    crawls,
    permute_private_scores,
    stop_clock,
)
from tests.leaderboard.web.test_canary import leaks, show_lines_of_private_rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]
PRIVATE_BOARD = Probe("/c/talk/leaderboard?board=private")


@pytest.mark.parametrize(("role", "whole"), crawls(*BELOW_EDITOR, at_once=("visitor", "alice")))
def test_no_answer_holds_or_depends_on_private_scores(
    role: str, whole: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    walk_twice(role, NOON, monkeypatch, caplog, whole=whole)


@pytest.mark.parametrize(("role", "whole"), crawls("visitor", "alice", at_once=()))
def test_nor_between_the_end_and_the_reveal(
    role: str, whole: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    walk_twice(role, CLOSES + timedelta(hours=1), monkeypatch, caplog, whole=whole)


def walk_twice(
    role: str,
    at: datetime,
    patch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    whole: bool,
) -> None:
    """No gold and no private number is in an answer or the log, and none changes an answer.

    The same holds of what is private in the forum, which everybody may read here; but organizers
    read all of it.
    """
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.INFO, "django")
    stop_clock(patch, at)
    stage = build()
    browser = clients()[role]
    outside = role != "ada"
    reads_only = not whole and role not in ("visitor", "alice")  # the others' forms are refused
    more = private_posts.fill(stage) if outside else []
    before = walk(stage, role, browser, whole=whole, reads_only=reads_only, more=more)
    pages = list(before.values())
    assert leaks(stage, pages) == []
    assert private_posts.found(pages) == []
    assert [page.asked for page in pages if page.status >= 500] == []
    assert {200, 302, 404, 405} <= {page.status for page in pages}
    assert not whole or role != "alice" or {413, 422} <= {page.status for page in pages}
    assert "/c/talk/leaderboard" in caplog.text  # a 404 of the private board: the log is read
    assert CANARY not in caplog.text
    permute_private_scores()
    if outside:
        private_posts.change(at + timedelta(minutes=1))
    changed = walk_again(
        before, stage, role, browser, whole=whole, reads_only=reads_only, more=more
    )
    assert changed == []
    assert len(before) > (150 if reads_only else 250)
    assert len(that_read_secrets(before)) > (10 if role == "visitor" else 20)


def test_a_page_that_begins_to_look_scores_up_is_walked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stop_clock(monkeypatch, NOON)
    build()
    alice, settings = clients()["alice"], Probe("/settings")
    assert not send("alice", alice, settings).reads_secrets
    honest = frame.unread_count

    def by_scores(user: User) -> int:
        return honest(user) + Standing.objects.filter(board="private").count()

    monkeypatch.setattr(frame, "unread_count", by_scores)
    assert send("alice", alice, settings).reads_secrets


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
    def by_private(row: BoardRow) -> tuple[int, int]:
        private = Standing.objects.filter(board="private", team=row.team_id)
        return -row.printed, -max(private.values_list("printed", flat=True), default=0)

    patch.setattr(listing, "_place_on_board", by_private)


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


def _compare_row_by_row(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(pairs, "may_see", lambda viewer, board: True)


@pytest.mark.parametrize(
    "plant",
    [
        _break_ties_by_private_totals,
        show_lines_of_private_rows,
        *(
            pytest.param(fault, marks=pytest.mark.again)
            for fault in (
                _compare_row_by_row,
                _tag_pages_by_all_rows,
                _mark_the_best_by_private_total,
                *(fault for part in parts() for fault in part.FAULTS),
            )
        ),
    ],
)
def test_a_planted_dependence_is_found(plant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()
    addresses = ("/c/talk/leaderboard", "/c/talk/submissions", own_pair(stage))
    assert differing(addresses) == []
    plant(monkeypatch)
    assert differing(addresses) != []


def test_luck_from_all_rows_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, CLOSES + timedelta(hours=1))
    build()
    assert "여럿 가운데 최고는 운이" in clients()["alice"].get("/c/talk/team").text
    assert differing(["/c/talk/team"]) == []

    def all_public(reference_set_id: UUID) -> list[tuple[str, str]]:
        return [(name, "public") for name, _ in rows_in_order(reference_set_id)]

    monkeypatch.setattr(flattery, "rows_in_order", all_public)
    assert differing(["/c/talk/team"]) != []


def differing(addresses: Sequence[str]) -> list[str]:
    """Over all steps of handing the scores round: one step may leave one order as it was."""
    alice, walks = clients()["alice"], []
    for _ in range(6):
        walks.append({where: send("alice", alice, Probe(where)) for where in addresses})
        permute_private_scores()
    return [line for after in walks[1:] for line in differences(walks[0], after)]
