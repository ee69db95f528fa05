"""Ranks, ties, filters, and what a board costs."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import CommandError, call_command

from leaderboard.boards.models import Standing
from leaderboard.boards.queries import header_strip, on_board, page, ranks_of, submission_scores
from leaderboard.boards.results import result
from leaderboard.competitions.models import Competition
from leaderboard.references.queries import live_version
from leaderboard.teams.models import Team
from tests.leaderboard.builders import (
    GOLDS,
    NOON,
    REVEALS,
    hand_in,
    open_competition,
    score_all,
    team,
    user,
)

pytestmark = pytest.mark.django_db
PERFECT = {name: texts[0] for name, texts in GOLDS.items()}
POOR = dict.fromkeys(GOLDS, "아무 말이나 적었다.")
ANYONE = AnonymousUser()


def four_teams() -> tuple[Competition, list[Team]]:
    """Alice first, Bob and Charlie equal with Bob earlier, Dana last."""
    contest = open_competition()
    teams = [team(contest, name) for name in ("alice", "bob", "charlie", "dana")]
    middle = {**POOR, "talk_1": GOLDS["talk_1"][0], "talk_2": GOLDS["talk_2"][0]}
    for number, (by, texts) in enumerate(zip(teams, (PERFECT, middle, middle, POOR), strict=True)):
        hand_in(by, texts, at=NOON + timedelta(minutes=number))
    score_all()
    return contest, teams


def test_ties_share_a_rank_and_the_earlier_is_listed_first() -> None:
    contest, _ = four_teams()
    board = page(contest, "public", ANYONE, NOON)
    assert board is not None
    assert [(row.rank, row.team_name, row.tied) for row in board.rows] == [
        (1, "alice", False),
        (2, "bob", True),
        (2, "charlie", True),
        (4, "dana", False),
    ]
    assert board.rows[0].total == "3.0000"
    assert board.rows[0].metrics == ("1.0000", "1.0000", "1.0000")


def test_a_worse_second_file_changes_entries_but_not_the_total() -> None:
    contest, (alices, *_) = four_teams()
    hand_in(alices, POOR, at=NOON + timedelta(hours=1))
    score_all()
    board = page(contest, "public", user("alice"), NOON)
    assert board is not None
    assert board.own is not None
    assert (board.own.rank, board.own.total, board.own.entries) == (1, "3.0000", 2)
    assert board.own.last_submission_at == NOON + timedelta(hours=1)


def test_a_filter_keeps_the_ranks() -> None:
    contest, _ = four_teams()
    board = page(contest, "public", ANYONE, NOON, query="DAN")
    assert board is not None
    assert [(row.rank, row.team_name) for row in board.rows] == [(4, "dana")]


def test_the_private_board_is_the_private_score_of_the_best_public_file() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    public_only = {**POOR, "talk_1": GOLDS["talk_1"][0], "talk_4": GOLDS["talk_4"][0]}
    hand_in(alices, public_only, at=NOON)
    hand_in(alices, {**POOR, "talk_2": GOLDS["talk_2"][0]}, at=NOON + timedelta(minutes=1))
    score_all()
    best = Standing.objects.get(board="private")
    assert best.submission.received_at == NOON
    assert page(contest, "private", ANYONE, NOON) is None
    revealed = page(contest, "private", ANYONE, REVEALS)
    assert revealed is not None
    assert revealed.rows[0].total == f"{best.printed / 10**4:.4f}"


def test_private_scores_open_at_the_reveal_for_all_and_before_for_editors() -> None:
    _contest, (alices, *_) = four_teams()
    mine = list(alices.submissions.all())
    tick = timedelta(microseconds=1)

    def boards(name: str, at: object) -> list[str]:
        seen = submission_scores(mine, user(name), at)  # type: ignore[arg-type]
        return [split.board for split in seen[mine[0].pk]]

    assert boards("alice", REVEALS - tick) == ["public"]
    assert boards("alice", REVEALS) == ["public", "private"]
    assert boards("olivia", NOON) == ["public", "private"]


def test_header_and_result_card_agree_with_the_board() -> None:
    contest, (_, bobs, *_) = four_teams()
    strip = header_strip(contest, user("bob"), NOON)
    card = result(bobs.submissions.get(), user("bob"), NOON)
    board = page(contest, "public", user("bob"), NOON)
    assert card is not None
    assert board is not None
    assert board.own is not None
    assert strip.rank == card.rank_now == board.own.rank == 2
    assert card.splits[0].total == board.own.total
    assert strip.gap_to_next == card.gap_to_next == card.gap_to_first
    assert sum(bin_.teams for bin_ in card.histogram.bins) == 4
    assert sum(bin_.has_own for bin_ in card.histogram.bins) == 1


def test_a_second_file_shows_what_it_changed() -> None:
    contest = open_competition()
    alices, bobs = team(contest, "alice"), team(contest, "bob")
    hand_in(alices, POOR, at=NOON)
    hand_in(bobs, {**POOR, "talk_1": GOLDS["talk_1"][0]}, at=NOON)
    better = hand_in(alices, PERFECT, at=NOON + timedelta(minutes=1))
    score_all()
    card = result(better, user("alice"), NOON)
    assert card is not None
    assert (card.rank_before, card.rank_now, card.is_best) == (2, 1, True)
    assert card.difference is not None
    assert card.difference.startswith("+")


def test_the_board_costs_the_same_with_four_and_with_two_hundred_teams(
    django_assert_max_num_queries: object,
) -> None:
    contest, (alices, *_) = four_teams()
    model = Standing.objects.get(team=alices, board="public")
    version = live_version(contest)
    for number in range(200):
        other = Team.objects.create(
            competition=contest, name=f"팀 {number}", captain=user("dana"), created_at=NOON
        )
        Standing.objects.create(
            scoring_version=version,
            board="public",
            team=other,
            printed=model.printed - number,
            metrics=model.metrics,
            submission=model.submission,
            received_at=NOON,
            entries=1,
            last_submission_at=NOON,
        )
    with django_assert_max_num_queries(8):  # type: ignore[operator]
        board = page(contest, "public", user("alice"), NOON)
    assert board is not None
    assert (board.teams, board.pages, len(board.rows)) == (204, 3, 100)


def test_ranks_count_the_better_totals() -> None:
    contest, _ = four_teams()
    version = live_version(contest)
    assert version is not None
    everyone = on_board(version, "public")
    worse_than_all = ranks_of([0, 10**6], everyone)
    assert (worse_than_all[0].rank, worse_than_all[10**6].rank) == (5, 1)


def test_check_finds_a_changed_row_and_rebuild_mends_it() -> None:
    four_teams()
    call_command("rebuild_standings", "--check")
    Standing.objects.filter(team__name="dana", board="private").update(printed=1)
    with pytest.raises(CommandError, match="1 of 4"):
        call_command("rebuild_standings", "--check")
    call_command("rebuild_standings")
    call_command("rebuild_standings", "--check")
