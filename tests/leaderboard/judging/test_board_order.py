"""A board laid out by a judge's column: complete before partial, none last; ranks as they were."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.boards.queries import BoardPage, page
from leaderboard.competitions.models import Competition
from leaderboard.judging.models import JudgeConfig
from leaderboard.submissions.models import Submission
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user, viewer_of
from tests.leaderboard.judging.judged import give, judge
from tests.leaderboard.material import GOLDS, NOON, REVEALS

pytestmark = pytest.mark.django_db

PERFECT = {name: texts[0] for name, texts in GOLDS.items()}
POOR = dict.fromkeys(GOLDS, "눈이 온다.")
TEAMS = ("alice", "bob", "charlie", "dora", "erin")


@pytest.fixture
def contest() -> Competition:
    return open_competition()


@pytest.fixture
def handed_in(contest: Competition) -> dict[str, Submission]:
    """Alice's file is perfect; each next one misses a word more."""
    found = {}
    for missing, name in enumerate(TEAMS):
        texts = {
            key: " ".join(golds[0].split()[missing:]) or "없다" for key, golds in GOLDS.items()
        }
        found[name] = hand_in(team(contest, name), texts, at=NOON)
    score_all()
    return found


@pytest.fixture
def config(contest: Competition, handed_in: dict[str, Submission]) -> JudgeConfig:
    config = judge(contest)
    values = {
        "alice": (0.2, 4, 4),
        "bob": (0.9, 3, 4),  # the best so far, but partial
        "charlie": (0.7, 4, 4),
        "dora": (None, 0, 0),  # nothing could be asked
    }
    for name, value in values.items():
        give(config, handed_in[name], {"alignment": value})
    return config


def seen(
    contest: Competition, sort: str, *, who: str = "frank", board: str = "public"
) -> BoardPage:
    shown = page(viewer_of(contest, user(who), REVEALS), board, sort=sort)
    assert shown is not None
    return shown


def names(shown: BoardPage) -> list[str]:
    return [row.team_name for row in shown.rows]


@pytest.mark.usefixtures("config")
def test_complete_comes_before_partial_and_none_last_while_ranks_stay(
    contest: Competition,
) -> None:
    by_total = seen(contest, "")
    alice, bob, charlie, dora, erin = names(by_total)
    by_judge = seen(contest, "judge-alignment")
    assert by_judge.sort == "judge-alignment"
    assert names(by_judge) == [charlie, alice, bob, dora, erin]
    ranks = {row.team_name: row.rank for row in by_total.rows}
    assert {row.team_name: row.rank for row in by_judge.rows} == ranks


@pytest.mark.usefixtures("config")
def test_the_own_rows_page_is_found_in_this_order(
    contest: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.boards.queries.PAGE", 1)
    pages = {who: seen(contest, "judge-alignment", who=who).own_page for who in TEAMS}
    assert pages == {"charlie": 1, "alice": 2, "bob": 3, "dora": 4, "erin": 5}


def test_a_frozen_boards_own_row_of_today_stands_where_its_value_puts_it() -> None:
    contest = open_competition(freezes_at=NOON + timedelta(hours=1))
    later = NOON + timedelta(hours=2)
    teams = [team(contest, name) for name in TEAMS[:3]]
    first = [hand_in(one, POOR, at=NOON) for one in teams]
    risen = hand_in(teams[0], PERFECT, at=later)
    score_all()
    config = judge(contest)
    for submission, mean in zip([*first, risen], (0.1, 0.5, 0.7, 0.6), strict=True):
        give(config, submission, {"alignment": (mean, 4, 4)})

    def order(who: str) -> list[UUID]:
        shown = page(viewer_of(contest, user(who), later), "public", sort="judge-alignment")
        assert shown.instant == contest.freezes_at
        return [row.team_id for row in shown.rows]

    alice, bob, charlie = (one.pk for one in teams)
    assert order("frank") == [charlie, bob, alice]
    assert order("alice") == [charlie, alice, bob]


def test_only_public_rows_lay_out_the_public_board(
    contest: Competition, config: JudgeConfig, handed_in: dict[str, Submission]
) -> None:
    before = names(seen(contest, "judge-alignment"))
    for place, name in enumerate(TEAMS):
        give(config, handed_in[name], {"alignment": (place / 10, 4, 4)}, board="private")
    assert names(seen(contest, "judge-alignment")) == before
    private = seen(contest, "judge-alignment", board="private")
    assert names(private) == names(seen(contest, ""))[::-1]


@pytest.mark.usefixtures("config")
def test_an_order_nobody_may_see_is_the_boards_own(contest: Competition) -> None:
    # A submission's own page shows it, a board does not.
    assert seen(contest, "judge-conciseness").sort == "total"
    Competition.objects.update(shows_other_columns=False)
    contest.refresh_from_db()
    with CaptureQueriesContext(connection) as off:
        assert seen(contest, "judge-alignment").sort == "total"
    assert not any("judging_" in query["sql"] for query in off)
