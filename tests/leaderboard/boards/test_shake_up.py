"""The shake-up: ranks on both boards, what moved, and which submission counted."""

import csv
import io
from datetime import timedelta
from random import Random

import pytest
from django.contrib.auth.models import AnonymousUser

from leaderboard.actions.submissions import choose_finals
from leaderboard.actions.teams import add_baseline
from leaderboard.boards.exports import shake_up_csv
from leaderboard.boards.models import Standing
from leaderboard.boards.queries import page
from leaderboard.boards.shake_up import shake_up
from leaderboard.competitions.models import Competition
from leaderboard.submissions.queries import Upload
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user, viewer_of
from tests.leaderboard.kept_rows import built_once
from tests.leaderboard.material import GOLDS, NOON, REVEALS, prediction_csv

pytestmark = pytest.mark.django_db
ANYONE = AnonymousUser()
MINUTE = timedelta(minutes=1)
POOR = dict.fromkeys(GOLDS, "zzz")  # shares no morpheme with any gold


def rows_right(*names: str) -> dict[str, str]:
    """A gold for these dialogues, rubbish for the others; 1 and 4 are public, 2 and 5 private."""
    return {**POOR, **{f"talk_{n}": GOLDS[f"talk_{n}"][0] for n in names}}


@built_once
def shaken() -> Competition:
    """Alice overfits the public rows; Bob is even; Charlie is right on the private ones alone."""
    contest = open_competition()
    for number, (name, texts) in enumerate(
        [
            ("alice", rows_right("1", "4")),
            ("bob", rows_right("1", "2")),
            ("charlie", rows_right("2", "5")),
        ]
    ):
        hand_in(team(contest, name), texts, at=NOON + number * MINUTE)
    score_all()
    return contest


def test_both_ranks_of_a_team_are_those_of_the_boards() -> None:
    contest = shaken()
    seen = viewer_of(contest, ANYONE, REVEALS)
    found = shake_up(seen)
    # The whole gold gives 3.0000 on a side, one row of two half of it, rubbish 0.0000.
    assert [
        (move.rank, move.team_name, move.total, move.public_total, move.public_rank, move.climbed)
        for move in found.rows
    ] == [
        (1, "charlie", "3.0000", "0.0000", 3, 2),
        (2, "bob", "1.5000", "1.5000", 2, 0),
        (3, "alice", "0.0000", "3.0000", 1, -2),
    ]
    assert [move.gap for move in found.rows] == ["+3.0000", "0.0000", "−3.0000"]
    for board, ranks in (
        ("private", {move.team_name: move.rank for move in found.rows}),
        ("public", {move.team_name: move.public_rank for move in found.rows}),
    ):
        shown = page(seen, board)
        assert {row.team_name: row.rank for row in shown.rows} == ranks


def test_the_summary_is_that_of_all_lines() -> None:
    """With shared ranks and teams on one board alone, beside the same counted line by line."""
    contest = shaken()
    model = Standing.objects.get(team__name="bob", board="private")
    chance = Random(7)
    for number in range(110):
        other = team(contest, f"t{number}")
        for board in ("public", "private") if number % 10 else ("private",):
            printed = chance.randrange(0, 400_000, 10_000)
            columns = {"id": None, "team_id": other.pk, "board": board, "printed": printed}
            Standing.objects.create(**{**_columns(model), **columns})
    seen = viewer_of(contest, ANYONE, REVEALS)
    whole, second = shake_up(seen, page=None), shake_up(seen, page=2)
    placed = [move for move in whole.rows if move.climbed is not None]
    assert len(placed) == 102
    climbed = [move.climbed or 0 for move in placed]
    for found in (whole.summary, second.summary):
        assert found.moved == pytest.approx(sum(map(abs, climbed)) / len(placed))
        top = [move for move in placed if move.public_rank in range(11)]
        assert found.top == len(top)
        assert found.stayed == sum(move.rank in range(11) for move in top)


def _columns(row: Standing) -> dict[str, object]:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_before_the_reveal_only_owners_and_editors_have_one() -> None:
    contest = shaken()
    for name, at in (("alice", NOON), ("alice", REVEALS - timedelta(microseconds=1))):
        assert shake_up(viewer_of(contest, user(name), at)) is None
    assert shake_up(viewer_of(contest, user("olivia"), NOON)) is not None
    assert shake_up(viewer_of(contest, user("alice"), REVEALS)) is not None
    Competition.objects.update(reveal_held=True)
    contest.refresh_from_db()
    assert shake_up(viewer_of(contest, user("alice"), REVEALS)) is None
    assert shake_up(viewer_of(contest, user("olivia"), REVEALS)) is not None


def test_a_contest_without_scores_has_an_empty_one() -> None:
    found = shake_up(viewer_of(open_competition(), ANYONE, REVEALS))
    assert (found.rows, found.summary, found.pages) == ((), None, 1)


def test_a_baseline_has_a_row_without_ranks() -> None:
    contest = shaken()
    add_baseline(
        competition=contest,
        user=user("olivia"),
        name="KoBART",
        upload=Upload("baseline.csv", prediction_csv(rows_right("1", "5"))),
        at=NOON,
    )
    score_all()
    found = shake_up(viewer_of(contest, ANYONE, REVEALS))
    middle = next(move for move in found.rows if move.team_name == "KoBART")
    assert (middle.rank, middle.public_rank, middle.climbed) == (None, None, None)
    assert [move.rank for move in found.rows if move is not middle] == [1, 2, 3]


def test_the_own_line_names_the_submission_that_counted() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    public, even, private = (
        hand_in(alices, rows_right(*right), at=NOON + number * MINUTE)
        for number, right in enumerate((("1", "4"), ("1", "2"), ("2", "5")))
    )
    score_all()

    def own() -> object:
        contest.refresh_from_db()
        found = shake_up(viewer_of(contest, user("alice"), REVEALS))
        assert found.own is not None
        return found.own.submission_id

    assert own() == public.pk
    alice = user("alice")
    choose_finals(team=alices, user=alice, submission_ids=[even.pk], at=NOON)
    assert own() == even.pk
    choose_finals(team=alices, user=alice, submission_ids=[even.pk, private.pk], at=NOON)
    assert own() == private.pk


def test_the_difference_is_that_of_one_submission() -> None:
    """Alice's final is another submission than the one that gives her public rank."""
    contest = shaken()
    alices = contest.teams.get(name="alice")
    final = hand_in(alices, rows_right("2", "5"), at=NOON + 5 * MINUTE)
    score_all()
    choose_finals(team=alices, user=user("alice"), submission_ids=[final.pk], at=NOON)
    found = shake_up(viewer_of(contest, ANYONE, REVEALS))
    [own] = [move for move in found.rows if move.team_name == "alice"]
    assert (own.total, own.public_total, own.gap) == ("3.0000", "0.0000", "+3.0000")
    assert own.public_rank == 1


def test_the_file_holds_the_table() -> None:
    contest = shaken()
    seen = viewer_of(contest, ANYONE, REVEALS)
    found = shake_up(seen, page=None)
    text = shake_up_csv(found, REVEALS).decode("utf-8-sig")
    heading, table = text.split("rank,", 1)
    assert f"signature,{found.signature}" in heading
    lines = list(csv.DictReader(io.StringIO("rank," + table)))
    assert [(line["team"], line["rank"], line["public_rank"]) for line in lines] == [
        ("charlie", "1", "3"),
        ("bob", "2", "2"),
        ("alice", "3", "1"),
    ]
    assert (lines[2]["gap"], lines[2]["climbed"], lines[2]["rouge1"]) == ("-3.0000", "-2", "0.0000")
