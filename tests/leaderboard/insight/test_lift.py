"""What each file owes to its own rows, and its length: what of, for whom, in which order."""

from datetime import timedelta

import numpy as np
import pytest

from leaderboard.boards.models import Standing
from leaderboard.boards.queries import BoardPage
from leaderboard.evaluation.run import prepared_references
from leaderboard.insight.models import FileLift
from leaderboard.insight.specificity import make_next_lifts, without_lift
from leaderboard.references.queries import live_version
from leaderboard.worker.sweep import steps_of_a_loop
from scoring.insight.specificity import lifts
from scoring.pipeline import score
from tests.leaderboard.builders import hand_in, open_competition, score_all, team
from tests.leaderboard.cells import cell, text
from tests.leaderboard.insight.alike import (
    ANSWERS,
    CONSTANT,
    PERFECT,
    SOON,
    SPLIT,
    contest_of_three,
    shown,
)
from tests.leaderboard.material import NOON, REVEALS, texts_csv
from tests.leaderboard.web.stage import derive

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


def keys(board: BoardPage) -> list[str]:
    return [column.key for column in board.columns]


def test_it_is_that_of_scoring_over_the_public_rows() -> None:
    contest, _ = contest_of_three()
    assert "lift" not in keys(shown(contest))
    assert make_next_lifts(SOON)
    assert not make_next_lifts(SOON)
    version = live_version(contest)
    prepared = prepared_references(version.reference_set_id, version.profile())
    kept = FileLift.objects.order_by("evaluation__received_at")
    for one, rows in zip(kept, (PERFECT, ANSWERS, CONSTANT), strict=True):
        expected = lifts(rows, score(rows, prepared), prepared)["public"]
        assert (one.ratio, one.signature) == (expected.ratio, expected.signature)
        assert one.length == np.mean([len(prepared.tokenizer(text)) for text in rows.values()])


def test_a_constant_is_marked_and_honest_files_are_not() -> None:
    contest, _ = contest_of_three()
    make_next_lifts(SOON)
    board = shown(contest)
    assert [text(row, "lift") for row in board.rows] == ["53\xa0%", "63\xa0%", "▲ 0\xa0%"]
    red = [cell(row, "lift").column.css(cell(row, "lift").value) for row in board.rows]
    assert red == ["lift green", "lift green", "lift red"]
    assert [row.rank for row in board.rows] == [1, 2, 3]
    assert [text(row, "length") for row in board.rows] == ["13.2", "7.2", "7.0"]


def test_a_column_that_no_ranked_team_fills_is_left_out() -> None:
    contest, (_, _, charlies) = contest_of_three()
    make_next_lifts(SOON)
    Standing.objects.filter(team=charlies).update(ranked=False)
    # A past board: of its files only those of baselines stand still, and so have a lift.
    FileLift.objects.exclude(evaluation__submission__team=charlies).delete()
    assert keys(shown(contest, query="charlie"))[-2:] == ["lift", "length"]
    assert {"lift", "length"}.isdisjoint(keys(shown(contest)))
    Standing.objects.update(ranked=True)
    FileLift.objects.update(ratio=None)
    assert keys(shown(contest))[-1:] == ["length"]
    assert "lift" not in keys(shown(contest))


@pytest.mark.parametrize("by", ["", "olivia"])
def test_that_of_private_rows_is_made_at_the_reveal(by: str) -> None:
    contest, _ = contest_of_three()
    while make_next_lifts(REVEALS - timedelta(microseconds=1)):
        pass
    assert set(FileLift.objects.values_list("board", flat=True)) == {"public"}
    assert without_lift(REVEALS) is not None
    while make_next_lifts(REVEALS):
        pass
    assert FileLift.objects.filter(board="private").count() == 3
    assert "lift" in keys(shown(contest, REVEALS, by, board="private"))
    if by:  # whatever is kept, before the reveal nobody sees it
        assert "lift" not in keys(shown(contest, SOON, by, board="private"))


def test_other_texts_on_private_rows_change_nothing_before_the_reveal() -> None:
    _, (alices, *_) = contest_of_three()
    make_next_lifts(SOON)
    told = FileLift.objects.get(evaluation__submission__team=alices).ratio
    other = {name: one if SPLIT[name] == "public" else "비" for name, one in PERFECT.items()}
    hand_in(alices, data=texts_csv(other), at=NOON - timedelta(minutes=5))
    score_all()
    make_next_lifts(SOON)
    newest = FileLift.objects.filter(evaluation__submission__team=alices).latest("pk")
    assert FileLift.objects.filter(evaluation__submission__team=alices).count() == 2
    assert newest.ratio == told


def test_files_without_lift_are_looked_for_after_a_score_and_now_and_then() -> None:
    by = team(open_competition(), "alice")
    hand_in(by, {"talk_1": "다른 말"}, at=NOON - timedelta(minutes=5))
    score_all(at=NOON - timedelta(minutes=4))
    derive()
    step, every = dict(steps_of_a_loop())["derived"], timedelta(minutes=5)
    assert step(NOON) == 0

    FileLift.objects.all().delete()
    assert step(NOON + 15 * SECOND) == 0
    assert step(NOON + every) == 1
    assert step(NOON + every + SECOND) == 1, "until it is made"

    derive()
    later = NOON + timedelta(minutes=20)
    assert step(later) == 0
    hand_in(by, at=later + SECOND)  # a better file, which stands from now on
    score_all(at=later + SECOND)
    for seconds in (15, 30):
        assert step(later + seconds * SECOND) == 1, "until it is made"
    derive()
    assert step(later + 45 * SECOND) == 0
