"""How far a board can be believed: what of, when made, and what no page may tell by it."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from leaderboard.boards.queries import BoardPage
from leaderboard.boards.results import result
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import ExampleScores
from leaderboard.evaluation.run import prepared_references
from leaderboard.insight.board_columns import worth
from leaderboard.insight.models import BoardBands
from leaderboard.insight.rank_range import due, make_next_bands
from leaderboard.references.models import ScoringVersion
from leaderboard.references.queries import live_version
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.worker.tasks import make_derived
from scoring.pipeline import Report, read_example_blob, score
from scoring.statistics.bands import bands
from tests.leaderboard.builders import competition, hand_in, live, score_all, team, user, viewer_of
from tests.leaderboard.cells import cell, text
from tests.leaderboard.insight.alike import SOON, shown
from tests.leaderboard.kept_rows import built_once
from tests.leaderboard.material import CLOSES, GOLDS, NOON, REVEALS, gold_csv, texts_csv

pytestmark = pytest.mark.django_db

ROWS = 60
GOLD = {f"row_{n}": GOLDS[f"talk_{(1, 2, 4, 5)[n % 4]}"] for n in range(ROWS)}
SPLIT = {name: ("public", "private")[n // 4 % 2] for n, name in enumerate(GOLD)}
PUBLIC = [name for name, split in SPLIT.items() if split == "public"]
PERFECT = {name: golds[0] for name, golds in GOLD.items()}
POOR = dict.fromkeys(GOLD, "눈이 온다.")
NEARLY = {**PERFECT, PUBLIC[0]: "눈이 온다."}
MINUTE = timedelta(minutes=1)


@built_once
def contest_of_three(**fields: object) -> tuple[Competition, list[Team]]:
    """Alice is perfect, Bob misses one public row, Charlie misses all."""
    contest = competition(**fields)
    live(contest, gold_csv(GOLD, SPLIT))
    teams = [team(contest, name) for name in ("alice", "bob", "charlie")]
    for number, (by, rows) in enumerate(zip(teams, (PERFECT, NEARLY, POOR), strict=True)):
        hand_in(by, data=texts_csv(rows), at=NOON + number * MINUTE)
    score_all()
    return contest, teams


def ranges(board: BoardPage) -> dict[str, tuple[int, int]] | None:
    """The best and the worst rank of each team; None where the board says nothing of them."""
    if "range" not in [column.key for column in board.columns]:
        return None
    values = {row.team_name: cell(row, "range").value for row in board.rows}
    return {name: (value.best, value.worst) for name, value in values.items()}


def test_near_totals_share_a_range_and_a_clear_one_does_not() -> None:
    contest, _ = contest_of_three()
    assert ranges(shown(contest)) is None  # nothing made yet
    assert make_next_bands(SOON)
    assert not make_next_bands(SOON)
    board = shown(contest)
    assert ranges(board) == {"alice": (1, 2), "bob": (1, 2), "charlie": (3, 3)}
    assert [cell(row, "range").value.leads for row in board.rows] == [True, True, False]
    assert [text(row, "range") for row in board.rows] == ["1–2위", "1–2위", "3위"]
    assert [row.rank for row in board.rows] == [1, 2, 3]  # the rank stays the total's


def test_they_are_those_of_scoring_over_the_public_rows() -> None:
    contest, _ = contest_of_three()
    make_next_bands(SOON)
    version = live_version(contest)
    prepared = prepared_references(version.reference_set_id, version.profile())
    places = [place for place, name in enumerate(GOLD) if SPLIT[name] == "public"]
    reports: list[Report] = [score(rows, prepared) for rows in (PERFECT, NEARLY, POOR)]
    # The sum of the three F1 of each row, as the profile says.
    totals = np.array([report.examples[places].sum(axis=1) for report in reports])
    expected = bands(totals, seed=int(version.reference_set.sha256[:8], 16))
    kept = BoardBands.objects.get()
    assert kept.threshold == round((expected.threshold or 0) * 10_000)
    assert (kept.signature, kept.rows, kept.board) == (expected.signature, len(PUBLIC), "public")
    board = shown(contest)
    values = [cell(row, "range").value for row in board.rows]
    assert [(value.best, value.worst) for value in values] == list(
        zip(expected.best_ranks, expected.worst_ranks, strict=True)
    )


def test_they_are_made_anew_only_when_a_standing_changed() -> None:
    contest, (alices, *_) = contest_of_three()
    make_next_bands(SOON)
    first = BoardBands.objects.get()
    assert due(SOON + MINUTE) is None  # looked, and nothing had changed
    hand_in(alices, data=texts_csv(POOR), at=SOON)  # worse: her standing stays
    score_all(SOON)
    assert due(SOON + 3 * MINUTE) is None
    hand_in(Team.objects.get(name="charlie"), data=texts_csv(NEARLY), at=SOON)
    score_all(SOON)
    assert due(SOON + 3 * MINUTE + timedelta(seconds=59)) is None  # not more than once a minute
    assert make_next_bands(SOON + 4 * MINUTE)
    assert BoardBands.objects.get().stamp != first.stamp
    assert ranges(shown(contest)) == {"alice": (1, 3), "bob": (1, 3), "charlie": (1, 3)}


def test_a_range_that_the_rank_has_left_is_not_shown() -> None:
    """Of a large board ranges are made once an hour; ranks are of this moment."""
    contest, (*_, charlies) = contest_of_three()
    make_next_bands(SOON)
    hand_in(charlies, data=texts_csv(PERFECT), at=SOON)
    score_all(SOON)
    board = shown(contest)
    assert [(row.team_name, row.rank) for row in board.rows] == [
        ("alice", 1),
        ("charlie", 1),
        ("bob", 3),
    ]
    found = [cell(row, "range").value for row in board.rows]
    assert [value and (value.best, value.worst) for value in found] == [(1, 2), (1, 2), None]
    bobs, viewer = Submission.objects.get(team__name="bob"), viewer_of(contest, user("bob"), SOON)
    card = result(bobs, viewer)
    assert card.rank_now == 3
    assert worth(bobs, card.splits[0].printed[0], viewer, stands=card.is_best).ranks == ""
    make_next_bands(SOON + 2 * MINUTE)
    assert ranges(shown(contest)) == {"alice": (1, 3), "bob": (1, 3), "charlie": (1, 3)}


def test_what_another_method_made_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    contest_of_three()
    assert make_next_bands(SOON)
    assert not make_next_bands(SOON + 2 * MINUTE)
    monkeypatch.setattr("leaderboard.insight.rank_range.VERSION", 0)
    assert make_next_bands(SOON + 4 * MINUTE)


def test_a_past_board_has_none() -> None:
    contest, _ = contest_of_three()
    make_next_bands(SOON)
    tomorrow = NOON + timedelta(days=1)
    midnight = datetime.fromisoformat("2026-11-21T00:00:00+09:00")
    assert ranges(shown(contest, tomorrow)) is not None
    assert ranges(shown(contest, tomorrow, instant=midnight)) is None


def test_in_a_freeze_they_stand_still_with_the_rows() -> None:
    freeze = NOON + timedelta(hours=2)
    contest, (_, _, charlies) = contest_of_three(freezes_at=freeze)
    make_next_bands(SOON)
    hand_in(charlies, data=texts_csv(PERFECT), at=freeze)
    score_all(freeze)
    assert make_next_bands(freeze + MINUTE)
    assert not make_next_bands(freeze + 2 * MINUTE)
    still = {"alice": (1, 2), "bob": (1, 2), "charlie": (3, 3)}
    assert ranges(shown(contest, freeze + 2 * MINUTE)) == still
    assert ranges(shown(contest, freeze + 2 * MINUTE, by="olivia")) is None  # her rows move on
    own = shown(contest, freeze + 2 * MINUTE, by="charlie").own
    assert text(own, "range") == "1–2위"  # today's own row among the others of the freeze


def private_values_turned_around(version: ScoringVersion) -> None:
    """Every file's values of private rows in another order of rows."""
    places = [place for place, name in enumerate(GOLD) if SPLIT[name] == "private"]
    for kept in ExampleScores.objects.all():
        values = read_example_blob(bytes(kept.blob))
        values[places] = values[places[::-1]] / 2
        report = Report(version.signature, len(values), {}, values, (), ())
        kept.blob = report.example_blob()
        kept.save()


def test_private_rows_tell_nothing_before_the_reveal() -> None:
    contest, _ = contest_of_three()
    make_next_bands(SOON)
    told = BoardBands.objects.values("threshold", "signature", "totals", "rows").get()
    version = live_version(contest)
    private_values_turned_around(version)
    BoardBands.objects.all().delete()
    assert make_next_bands(REVEALS - timedelta(microseconds=1))
    assert not make_next_bands(REVEALS - timedelta(microseconds=1))
    assert BoardBands.objects.values("threshold", "signature", "totals", "rows").get() == told


def test_the_private_board_has_its_own_from_the_reveal_on() -> None:
    contest, _ = contest_of_three()
    for at in (SOON, CLOSES, REVEALS):
        while make_next_bands(at):
            pass
    assert sorted(BoardBands.objects.values_list("board", flat=True)) == ["private", "public"]
    # Alice and Bob are equal on the private rows.
    found = ranges(shown(contest, REVEALS, board="private"))
    assert found == {"alice": (1, 2), "bob": (1, 2), "charlie": (3, 3)}


def test_files_that_wait_come_first() -> None:
    """A worker's two children once made lines and lifts while a killed child's file waited."""
    _, teams = contest_of_three()
    hand_in(teams[0], data=texts_csv(POOR), at=SOON)
    assert not make_derived()
    assert not BoardBands.objects.exists()
    score_all()
    while make_derived():
        pass
    assert BoardBands.objects.exists()


def test_one_team_or_few_rows_make_none() -> None:
    contest = competition()
    live(contest)  # two public rows
    for name in ("alice", "bob"):
        hand_in(team(contest, name))
    score_all()
    while make_next_bands(SOON):
        pass
    assert BoardBands.objects.get().threshold is None
    assert ranges(shown(contest)) is None
