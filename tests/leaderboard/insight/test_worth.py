"""What a result card says of how far its totals can be believed."""

from datetime import timedelta

import pytest

from leaderboard.boards.columns import EXPORTED
from leaderboard.boards.queries import page
from leaderboard.boards.results import Final, ResultCard, result
from leaderboard.boards.visibility import Viewer, board_view
from leaderboard.insight.board_columns import Worth, final, worth
from leaderboard.insight.rank_range import make_next_bands
from leaderboard.insight.reliability import trust
from leaderboard.insight.specificity import make_next_lifts
from leaderboard.insight.trivial_baselines import make_next_lines
from leaderboard.submissions.models import Submission
from tests.leaderboard.boards.test_result_card import MINUTE
from tests.leaderboard.builders import hand_in, score_all, user, viewer_of
from tests.leaderboard.cells import text
from tests.leaderboard.insight.alike import ANSWERS, contest_of_three
from tests.leaderboard.material import CLOSES, NOON, REVEALS, texts_csv

pytestmark = pytest.mark.django_db


def worth_of(one: Submission, viewer: Viewer, card: ResultCard) -> Worth:
    return worth(one, card.splits[0].printed[0], viewer, stands=card.is_best)


def test_it_says_how_far_the_total_can_be_believed_as_the_board_does() -> None:
    contest, [_, bobs, _] = contest_of_three()
    stands = bobs.submissions.get()
    viewer = viewer_of(contest, user("bob"), CLOSES)
    before = result(stands, viewer)
    assert worth_of(stands, viewer, before) == Worth(), "nothing is made yet"
    make_next_lines()
    make_next_bands(NOON + 5 * MINUTE)
    make_next_lifts(NOON + 5 * MINUTE)
    viewer = viewer_of(contest, user("bob"), NOON + 5 * MINUTE)
    board = page(viewer, "public", sources=EXPORTED)
    card = result(stands, viewer)
    [row] = [row for row in board.rows if row.team_name == "bob"]
    told, found = trust(viewer, board_view(viewer, board.board)), worth_of(stands, viewer, card)
    assert found == Worth(
        noise=told.noise.figure,
        ranks=text(row, "range"),
        way=text(row, "way"),
        lift=text(row, "lift"),
    )
    assert all((found.noise, found.ranks, found.way, found.lift))


def test_after_the_reveal_it_says_what_the_private_total_is_worth_too() -> None:
    contest, [_, bobs, _] = contest_of_three()
    stands = bobs.submissions.get()
    before = result(stands, viewer_of(contest, user("bob"), REVEALS - timedelta(microseconds=1)))
    assert before.final is None
    while make_next_lines() or make_next_bands(REVEALS):
        pass
    viewer = viewer_of(contest, user("bob"), REVEALS)
    board, card = page(viewer, "private", sources=EXPORTED), result(stands, viewer)
    [row] = [row for row in board.rows if row.team_name == "bob"]
    told, found = trust(viewer, board_view(viewer, board.board)), final(stands, viewer)
    assert card.final == Final(row.rank)
    assert (found.noise, found.ranks) == (told.noise.figure, text(row, "range"))
    assert all((found.noise, found.ranks))
    assert found.noise != worth_of(stands, viewer, card).noise, "each board has its own"


def test_a_file_that_stands_for_nobody_has_no_rank_range() -> None:
    contest, [_, bobs, _] = contest_of_three()
    rows = ANSWERS | {"row_0": "아니다"}
    worse = hand_in(bobs, data=texts_csv(rows), at=NOON + 4 * MINUTE)
    score_all()
    make_next_bands(NOON + 5 * MINUTE)
    viewer = viewer_of(contest, user("bob"), NOON + 5 * MINUTE)
    card = result(worse, viewer)
    assert not card.is_best
    found = worth_of(worse, viewer, card)
    assert (found.noise != "", found.ranks) == (True, "")
