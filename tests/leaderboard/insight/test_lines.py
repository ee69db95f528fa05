"""What a total is worth: which lines a board has, who sees them, and that they move no rank."""

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.actions.references import upload_dialogues
from leaderboard.boards.queries import BoardPage
from leaderboard.evaluation.models import KeptFailure
from leaderboard.evaluation.run import by_code, prepared_references
from leaderboard.insight.trivial_baselines import Lines, make_next_lines, without_lines
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version
from leaderboard.submissions.queries import Upload
from scoring.insight.trivial_baselines import floors
from tests.leaderboard.builders import (
    competition,
    hand_in,
    live,
    score_all,
    team,
    uploaded,
    user,
    viewer_of,
)
from tests.leaderboard.cells import text
from tests.leaderboard.evaluation.test_failures import CODE, POISONED, as_before
from tests.leaderboard.insight.alike import ANYONE, GOLD, SPLIT, contest_of_three, shown
from tests.leaderboard.material import NOON, REVEALS, gold_csv, texts_csv

pytestmark = pytest.mark.django_db


def lines(board: BoardPage, by: str = "") -> Lines | None:
    """Those of this board as somebody sees them."""
    viewer = viewer_of(board.competition, user(by) if by else ANYONE, board.as_of)
    return Lines.of(viewer, board.board)


def test_they_are_those_of_scoring_over_the_public_rows() -> None:
    contest, _ = contest_of_three()
    assert lines(shown(contest)) is None  # nothing made yet
    assert make_next_lines()
    assert not make_next_lines()
    version = live_version(contest)
    prepared = prepared_references(version.reference_set_id, version.profile())
    expected = floors(prepared).totals("public")
    found = lines(shown(contest))
    assert found.totals == expected
    assert [line.total for line in found.rows] == sorted(
        (f"{total:.4f}" for total in expected.values() if total is not None), reverse=True
    )
    assert found.rows[0].is_human
    assert [row.way for row in found.rows[:2]] == ["100\xa0%", "0\xa0%"]
    assert all(row.way.startswith("−") for row in found.rows[2:])


def test_a_total_stands_on_its_way_and_beyond_it() -> None:
    contest, _ = contest_of_three()
    assert "way" not in [column.key for column in shown(contest).columns]
    make_next_lines()
    board = shown(contest)
    assert [text(row, "way") for row in board.rows] == ["370\xa0%", "128\xa0%", "−217\xa0%"]
    assert [row.rank for row in board.rows] == [1, 2, 3]


@pytest.mark.parametrize("by", ["", "alice", "olivia"])
def test_those_of_private_rows_are_shown_from_the_reveal_on(by: str) -> None:
    contest, _ = contest_of_three()
    make_next_lines()
    if by == "olivia":  # who sees the board already
        before = shown(contest, REVEALS - timedelta(microseconds=1), by, board="private")
        assert before.rows
        assert lines(before, by) is None
        assert "way" not in [column.key for column in before.columns]
    after = lines(shown(contest, REVEALS, by, board="private"), by)
    public = lines(shown(contest, REVEALS, by), by)
    assert after.totals != public.totals


def test_with_one_reference_people_have_no_line() -> None:
    contest = competition()
    live(contest, gold_csv({name: golds[:1] for name, golds in GOLD.items()}, SPLIT))
    hand_in(team(contest, "alice"), data=texts_csv(dict.fromkeys(GOLD, "비가 온다")))
    score_all()
    make_next_lines()
    board = shown(contest)
    found = lines(board)
    assert found.human is None
    assert "way" not in [column.key for column in board.columns]


def test_dialogues_that_come_later_bring_their_lines() -> None:
    contest, _ = contest_of_three()
    make_next_lines()
    talks = {name: f"가: {golds[0]}\n나: 그래.\n가: 좋아." for name, golds in GOLD.items()}
    upload = Upload("talks.csv", texts_csv(talks, "dialogue"))
    upload_dialogues(competition=contest, user=user("olivia"), upload=upload, at=NOON)
    assert lines(shown(contest)) is None
    assert make_next_lines()
    found = lines(shown(contest))
    assert found.floor == max(
        round(total * 10_000)
        for name, total in found.totals.items()
        if name != "human" and total is not None
    )
    assert {"lead1", "lead3"} < {line.name for line in found.rows}


def test_a_draft_has_none() -> None:
    uploaded(competition(), gold_csv(GOLD, SPLIT))
    assert without_lines() is None
    ScoringVersion.objects.update(state=ScoringVersion.State.REHEARSING)
    assert make_next_lines()
    assert without_lines() is None
    kept = ScoringVersion.objects.get().self_check
    assert {"totals", "mean", "full_mark", "lines"} <= kept.keys()


def test_no_reference_is_kept_among_them() -> None:
    contest, _ = contest_of_three()
    make_next_lines()
    kept = str(live_version(contest).self_check)
    assert not any(gold in kept for golds in GOLD.values() for gold in golds)


@pytest.mark.java
def test_another_contest_gets_its_lines_and_the_failure_is_tried_again() -> None:
    poisoned = as_before(live(competition("bad"), gold_csv(POISONED), tokenizer="komoran"))
    good = live(competition("good"))
    assert make_next_lines()  # the oldest first: it fails
    [kept] = KeptFailure.objects.all()
    assert (kept.scoring_version, kept.work, kept.code) == (poisoned, "golds", CODE)
    assert make_next_lines()
    good.refresh_from_db()
    assert good.self_check is not None
    assert "lines" in good.self_check
    assert not make_next_lines()
    assert without_lines() is None  # so the sweeper wakes nobody for it
    KeptFailure.objects.update(again_at=timezone.now() - timedelta(seconds=1))
    assert without_lines() == poisoned
    assert make_next_lines()
    assert by_code() == {f"golds:{CODE}": 1}
