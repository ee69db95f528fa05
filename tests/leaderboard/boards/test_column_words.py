"""What the columns of a board mean, below it: of every column, in plain words, for nothing."""

import html
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from leaderboard.boards.column_words import ABOUT, about
from leaderboard.boards.queries import page
from scoring.metrics import NAMES
from tests.leaderboard.builders import viewer_of
from tests.leaderboard.insight.alike import contest_of_three
from tests.leaderboard.insight.test_trust import ANYONE, JARGON, SOON, make_all, sentences


@pytest.mark.parametrize("language", ["ko", "en"])
def test_all_words_are_short_and_plain(language: str) -> None:
    with override(language):
        said = [about(key) for key in ABOUT]
    assert [one for one in said for part in sentences(one) if len(part.split()) > 20] == []
    assert [one for one in said if any(word in one.casefold() for word in JARGON)] == []
    hangul = [bool(re.search("[가-힣]", one)) for one in said]
    assert all(hangul) if language == "ko" else not any(hangul)
    assert not any("{" in one for one in said)


def test_every_metric_is_said_something_of() -> None:
    assert set(NAMES) <= ABOUT.keys()


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
