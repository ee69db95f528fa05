"""The columns of this app on a board."""

import html

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from leaderboard.boards.queries import page
from tests.leaderboard.builders import viewer_of
from tests.leaderboard.insight.alike import contest_of_three
from tests.leaderboard.insight.test_trust import ANYONE, SOON, make_all


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["ko", "en"])
def test_each_shown_column_is_explained_once_below_the_board(client: Client, language: str) -> None:
    contest, _ = contest_of_three()
    make_all(SOON)
    text = client.get(f"/c/{contest.slug}/leaderboard", headers={"Accept-Language": language}).text
    begin = text.index('id="columns"')
    shown = html.unescape(text[begin : text.index("</details>", begin)])
    board = page(viewer_of(contest, ANYONE, SOON), "public")
    assert board is not None
    assert {"range", "way", "lift", "length"} <= {column.key for column in board.columns}
    assert [column.key for column in board.columns if not column.about] == []
    with override(language), CaptureQueriesContext(connection) as asked:
        meanings = page(viewer_of(contest, ANYONE, SOON), "public").meanings  # type: ignore[union-attr]
        before = len(asked)
        assert [shown.count(said) for _, said in meanings] == [1] * len(meanings)
    assert before == len(asked)
    assert shown.count("<dt>") >= len(meanings) > len(board.columns)  # it may be another day there
