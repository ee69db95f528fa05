"""Judge columns on a board: shown for reference, never ranked, and not asked for when off."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.boards.exports import board_csv, board_json
from leaderboard.boards.queries import BoardPage, page, whole
from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Submission
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user, viewer_of
from tests.leaderboard.cells import text
from tests.leaderboard.judging.judged import cells_of, give, judge, judge_again
from tests.leaderboard.kept_rows import built_once
from tests.leaderboard.material import GOLDS, NOON, REVEALS

pytestmark = pytest.mark.django_db

PERFECT = {name: texts[0] for name, texts in GOLDS.items()}
POOR = dict.fromkeys(GOLDS, "아무 말이나 적었다.")


@built_once
def two_teams() -> tuple[Competition, Submission, Submission]:
    contest = open_competition()
    good = hand_in(team(contest, "alice"), PERFECT, at=NOON)
    poor = hand_in(team(contest, "bob"), POOR, at=NOON)
    score_all()
    return contest, good, poor


def seen(contest: Competition, board: str = "public") -> BoardPage:
    shown = page(viewer_of(contest, user("charlie"), REVEALS), board)
    assert shown is not None
    return shown


def test_values_stand_beside_the_rank_and_never_move_it() -> None:
    contest, good, poor = two_teams()
    before = [(row.rank, row.team_name, text(row)) for row in seen(contest).rows]
    config = judge(contest)
    give(config, good, {"alignment": (0.0, 4, 4), "coverage": (None, 0, 0)})
    give(config, poor, {"alignment": (0.98765, 2, 4)}, state="waiting")
    shown = seen(contest)
    assert [(row.rank, row.team_name, text(row)) for row in shown.rows] == before
    (alignment, coverage), (better, none_yet) = (cells_of(row) for row in shown.rows)
    assert (alignment.mean, alignment.state) == ("0.000", "complete")
    assert (coverage.mean, coverage.state) == ("", "na")
    assert (better.mean, better.scored, better.rows, better.state) == ("0.988", 2, 4, "partial")
    assert (none_yet.mean, none_yet.state) == ("", "waiting")


def test_another_configs_values_and_a_private_judging_are_not_shown_in_public() -> None:
    contest, good, poor = two_teams()
    config = judge(contest)
    retired = judge_again(config)
    give(retired, good, {"alignment": (0.5, 4, 4)})
    give(config, poor, {"alignment": (0.7, 4, 4)}, board="private")
    before = page(
        viewer_of(contest, user("olivia"), REVEALS - timedelta(microseconds=1)), "private"
    )
    assert not any(column.is_reference for column in before.columns)  # not even for the owner
    assert {cell.state for row in seen(contest).rows for cell in cells_of(row)} == {"none"}
    private = seen(contest, "private").rows
    assert [cells_of(row)[0].mean for row in private] == ["", "0.700"]


def test_without_the_flag_no_judging_table_is_asked() -> None:
    contest, good, _ = two_teams()
    give(judge(contest), good, {"alignment": (0.5, 4, 4)})
    seen(contest)  # Charlie signs up
    with CaptureQueriesContext(connection) as on:
        seen(contest)
    Competition.objects.update(shows_other_columns=False)
    contest.refresh_from_db()
    with CaptureQueriesContext(connection) as off:
        assert not any(column.is_reference for column in seen(contest).columns)
    assert len(on) - len(off) == 3
    assert not any("judging_" in query["sql"] for query in off)


def test_files_of_a_board_hold_the_columns_with_their_rows() -> None:
    contest, good, _ = two_teams()
    give(judge(contest), good, {"alignment": (0.25, 3, 4)})
    shown = whole(viewer_of(contest, user("charlie"), REVEALS), "public")
    assert shown is not None
    lines = board_csv(shown).decode("utf-8-sig").splitlines()
    assert f"# judge,시험 심사 j1 {'ab' * 32}" in lines
    assert lines[-3].endswith(",judge_alignment,judge_alignment_rows")
    assert lines[-2].endswith(",0.250,3/4")
    assert lines[-1].endswith(",,0/0")
    rows = json.loads(json.dumps(board_json(shown)))["rows"]
    assert rows[0]["judge"][0]["mean"] == "0.250"
