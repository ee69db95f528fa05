"""The columns of this app on a board."""

import html
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from leaderboard.boards import exports
from leaderboard.boards.queries import page, whole
from leaderboard.insight.models import BoardBands
from leaderboard.insight.rank_range import make_next_bands
from leaderboard.insight.reliability import said_of_board
from tests.leaderboard.builders import user, viewer_of
from tests.leaderboard.insight.alike import ANYONE, SOON, contest_of_three, shown
from tests.leaderboard.insight.test_trust import make_all
from tests.leaderboard.material import NOON

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("language", ["ko", "en"])
def test_each_column_is_explained_once_behind_the_ranking(client: Client, language: str) -> None:
    contest, _ = contest_of_three()
    make_all(SOON)
    text = client.get(f"/c/{contest.slug}/reliability", headers={"Accept-Language": language}).text
    begin = text.index('id="columns"')
    words = html.unescape(text[begin : text.index("</section>", begin)])
    board = shown(contest)
    assert {"range", "way", "lift", "length"} <= {column.key for column in board.columns}
    assert [column.key for column in board.columns if not column.about] == []
    with override(language), CaptureQueriesContext(connection) as asked:
        meanings = shown(contest).meanings
        before = len(asked)
        assert [words.count(said) for _, said in meanings] == [1] * len(meanings)
    assert before == len(asked)
    assert words.count("<dt>") >= len(meanings) > len(board.columns)  # it may be another day there


def test_the_board_of_now_asks_for_nothing_of_this_app() -> None:
    contest, _ = contest_of_three()
    make_all(SOON)
    with CaptureQueriesContext(connection) as asked:
        page(viewer_of(contest, user("alice"), SOON), "public", sort="entries")
    sql = " ".join(query["sql"] for query in asked.captured_queries)
    assert "boards_standing" in sql
    assert "boards_boardbands" not in sql
    assert "boards_filelift" not in sql


def test_below_the_board_stands_how_many_may_be_first(client: Client) -> None:
    contest, _ = contest_of_three()
    viewer = viewer_of(contest, ANYONE, SOON)
    assert said_of_board(viewer, "public") == ""
    make_all(SOON)
    BoardBands.objects.update(facts={"leaders": 2})
    with CaptureQueriesContext(connection) as asked:
        assert "2" in said_of_board(viewer, "public")
    assert len(asked) == 1
    board = f"/c/{contest.slug}/leaderboard"
    assert said_of_board(viewer, "public") in client.get(board).text
    past = client.get(f"{board}?at={NOON + timedelta(days=1):%Y-%m-%d}")
    assert (past.context["page"].instant is None, past.context["said"]) == (False, [])
    BoardBands.objects.update(facts={"leaders": 1})
    assert said_of_board(viewer, "public") == ""


def test_the_reasons_are_shown_while_no_trivial_baseline_is_made(client: Client) -> None:
    contest, _ = contest_of_three()
    while make_next_bands(SOON):
        pass
    answer = client.get(f"/c/{contest.slug}/reliability")
    assert answer.status_code == 200
    assert 'class="strip' in answer.text


def test_files_carry_the_columns_and_what_made_them() -> None:
    contest, _ = contest_of_three()
    make_all(SOON)
    board = whole(viewer_of(contest, ANYONE, SOON), "public")
    names = ("best_rank", "worst_rank", "way_percent", "lift_percent", "length")
    assert [[row[name] for name in names] for row in exports.board_json(board)["rows"]] == [
        [1, 1, 370, 53, 13.2],
        [2, 2, 128, 63, 7.2],
        [3, 3, -217, 0, 7.0],
    ]
    data = exports.board_csv(board).decode("utf-8-sig").splitlines()
    assert "rank,team,best_rank,worst_rank,total" in data[-4]
    assert "# lift,shuffles5" in data
    assert any(line.startswith("# bands,band:range|") for line in data)
    assert any(line.startswith("# lines,rouge:") and "|floors:" in line for line in data)
