"""From the freeze to the reveal, no answer to a participant depends on the others' later scores."""

from datetime import timedelta
from typing import Any

import pytest

from leaderboard.boards.listing import Listing
from leaderboard.boards.models import Standing
from leaderboard.boards.standings import place_everywhere
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import SplitScore
from leaderboard.teams.models import Team
from scoring.ranking import printed
from tests.leaderboard import builders
from tests.leaderboard.builders import CLOSES, NOON
from tests.leaderboard.web.comparison import differences, walk, walk_again
from tests.leaderboard.web.crawl import Probe, send
from tests.leaderboard.web.stage import (
    FAIR,
    GOOD,
    WATCHERS,
    Stage,
    build,
    clients,
    crawls,
    stop_clock,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]
FREEZE = NOON - timedelta(minutes=6, seconds=30)  # Fay and Gil came later


def frozen_stage() -> Stage:
    """The stage with a freeze, and with files of Erin, Fay and Gil received after it."""
    stage = build()
    for name, texts in (("erin", GOOD), ("fay", {**GOOD, "talk_4": "환자"}), ("gil", FAIR)):
        team = Team.objects.get(competition=stage.contest, captain__username=name)
        builders.hand_in(team, texts, at=NOON - timedelta(seconds=30))
    builders.score_all(at=NOON - timedelta(seconds=20))
    Competition.objects.filter(pk=stage.contest.pk).update(freezes_at=FREEZE)
    return stage


def permute_later_scores(stage: Stage) -> None:
    """Hand round the public scores that other teams than Alice's and Bob's got since the freeze."""
    later = SplitScore.objects.filter(
        split="public",
        evaluation__state="done",
        evaluation__received_at__gte=FREEZE,
        evaluation__submission__team__competition=stage.contest,
    ).exclude(evaluation__submission__team=stage.alices)
    rows = list(later.order_by("evaluation__received_at", "evaluation"))
    metrics = [dict(row.metrics) for row in rows]
    for row, values in zip(rows, [*metrics[1:], metrics[0]], strict=True):
        row.metrics, row.total = values, sum(values.values())
        row.printed = printed(row.total)
        row.save()
    for team in Team.objects.filter(competition=stage.contest):
        place_everywhere(team=team)


def compared(stage: Stage, role: str, *, whole: bool) -> list[str]:
    """What differs between two walks, the later scores handed round in between."""
    browser = clients()[role]
    before = walk(stage, role, browser, whole=whole, reads_only=True)
    assert len(before) > 20
    standings = list(Standing.objects.order_by("pk").values_list("printed", flat=True))
    permute_later_scores(stage)
    # The permutation moved something, or this test would show nothing.
    assert standings != list(Standing.objects.order_by("pk").values_list("printed", flat=True))
    return walk_again(before, stage, role, browser, whole=whole, reads_only=True)


@pytest.mark.parametrize(("role", "whole"), crawls(*WATCHERS, at_once=("alice",)))
def test_no_answer_depends_on_the_others_later_scores(
    role: str, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, NOON)
    assert compared(frozen_stage(), role, whole=whole) == []


@pytest.mark.parametrize(("role", "whole"), crawls("visitor", "alice", at_once=()))
def test_nor_between_the_end_and_the_reveal(
    role: str, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, CLOSES + timedelta(hours=1))
    assert compared(frozen_stage(), role, whole=whole) == []


def test_editors_and_everybody_after_the_reveal_see_the_permutation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stop_clock(monkeypatch, NOON)
    stage = frozen_stage()
    board = Probe("/c/talk/leaderboard.json")
    olivia, charlie = clients()["olivia"], clients()["charlie"]
    before = send("olivia", olivia, board).body
    revealed = stage.contest.reveals_at + timedelta(seconds=1)
    stop_clock(monkeypatch, revealed)
    open_before = send("charlie", charlie, board).body
    permute_later_scores(stage)
    assert send("charlie", charlie, board).body != open_before
    stop_clock(monkeypatch, NOON)
    assert send("olivia", olivia, board).body != before


def test_a_planted_look_past_the_freeze_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The strip counts ranks in the totals of now: one number on every page."""
    stop_clock(monkeypatch, NOON)
    stage = frozen_stage()

    def of_now(seen: Listing) -> Any:
        return Standing.objects.filter(scoring_version=seen.version, board=seen.view.board)

    monkeypatch.setattr(Listing, "others", property(of_now))
    alice = clients()["alice"]
    addresses = ("/c/talk/", "/c/talk/leaderboard", "/c/talk/submissions")
    before = {where: send("alice", alice, Probe(where)) for where in addresses}
    permute_later_scores(stage)
    after = {where: send("alice", alice, Probe(where)) for where in addresses}
    assert differences(before, after) != []
