"""Ranks, ties, filters, and what a board costs."""

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.boards.models import FOREVER, Standing, StandingDay
from leaderboard.boards.queries import contest_header, page
from leaderboard.boards.results import result, submission_scores
from leaderboard.boards.standings import place_everywhere
from leaderboard.competitions.models import Competition
from leaderboard.references.queries import live_version
from leaderboard.teams.models import Membership, Team
from tests.leaderboard.builders import hand_in, open_competition, score_all, team, user, viewer_of
from tests.leaderboard.cells import text
from tests.leaderboard.material import GOLDS, NOON, REVEALS
from tests.leaderboard.web.stage import stop_clock

pytestmark = pytest.mark.django_db
PERFECT = {name: texts[0] for name, texts in GOLDS.items()}
POOR = dict.fromkeys(GOLDS, "아무 말이나 적었다.")
DAY = timedelta(days=1)
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
    board = page(viewer_of(contest, ANYONE, NOON), "public")
    assert [(row.rank, row.team_name, row.tied) for row in board.rows] == [
        (1, "alice", False),
        (2, "bob", True),
        (2, "charlie", True),
        (4, "dana", False),
    ]
    assert text(board.rows[0]) == "3.0000"
    metrics = [text(board.rows[0], key) for key in ("rouge1", "rouge2", "rougeL")]
    assert metrics == ["1.0000", "1.0000", "1.0000"]


def test_members_stand_in_the_order_they_came() -> None:
    contest = open_competition()
    alices = team(contest, "dana", "alice", "bob", "charlie", called="넷")
    # Against the order of the rows and of the names, a microsecond and a whole second apart.
    came = {"dana": 3_000_000, "alice": 1, "bob": 0, "charlie": 2_000_000}
    for name, later in came.items():
        joined = NOON + timedelta(microseconds=later)
        Membership.objects.filter(user=user(name)).update(joined_at=joined)
    hand_in(alices, PERFECT)
    hand_in(team(contest, "erin"), POOR)
    score_all()
    for viewer in (ANYONE, user("erin"), user("bob")):
        board = page(viewer_of(contest, viewer, NOON), "public")
        lines = [*board.rows, *([board.own] if board.own else [])]
        shown = {line.team_name: line.members for line in lines}
        assert shown == {"넷": ("bob", "alice", "charlie", "dana"), "erin": ("erin",)}


def test_a_filter_keeps_the_ranks() -> None:
    contest, _ = four_teams()
    board = page(viewer_of(contest, ANYONE, NOON), "public", query="DAN")
    assert [(row.rank, row.team_name) for row in board.rows] == [(4, "dana")]


def test_private_scores_open_at_the_reveal_for_all_and_before_for_editors() -> None:
    contest, (alices, *_) = four_teams()
    mine = list(alices.submissions.all())
    tick = timedelta(microseconds=1)

    def boards(name: str, at: datetime) -> list[str]:
        seen = submission_scores(mine, viewer_of(contest, user(name), at))
        return [split.board for split in seen[mine[0].pk]]

    assert boards("alice", REVEALS - tick) == ["public"]
    assert boards("alice", REVEALS) == ["public", "private"]
    assert boards("olivia", NOON) == ["public", "private"]


def test_header_and_result_card_agree_with_the_board() -> None:
    contest, (_, bobs, *_) = four_teams()
    header = contest_header(viewer_of(contest, user("bob"), NOON))
    card = result(bobs.submissions.get(), viewer_of(contest, user("bob"), NOON))
    board = page(viewer_of(contest, user("bob"), NOON), "public")
    assert header.rank == card.rank_now == board.own.rank == 2
    assert card.splits[0].total == text(board.own)
    assert header.gap_to_next == card.gap_to_next == card.gap_to_first


def test_from_the_reveal_on_the_strip_shows_the_final_rank() -> None:
    """Bob is first in public and last in private; Alice the other way round."""
    contest = open_competition()
    splits = {
        row.example_id: row.split for row in live_version(contest).reference_set.examples.all()
    }

    def good_at(split: str) -> dict[str, str]:
        return {name: GOLDS[name][0] if splits[name] == split else POOR[name] for name in GOLDS}

    hand_in(team(contest, "alice"), good_at("private"), at=NOON)
    hand_in(team(contest, "bob"), good_at("public"), at=NOON)
    score_all()
    tick = timedelta(microseconds=1)
    ranks = [
        contest_header(viewer_of(contest, user(name), at)).rank
        for name in ("alice", "bob")
        for at in (REVEALS - tick, REVEALS)
    ]
    assert ranks == [2, 1, 1, 2]


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("past", ["", "&at=2026-11-21"])
@pytest.mark.parametrize(("number", "shown"), [(1, 100), (3, 4), (99, 4)])
def test_a_members_page_costs_eleven_queries(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    shown: int,
    past: str,
    frozen: bool,
) -> None:
    """Of a signed-in member whose row stands on the last page; a page beyond it is the last one."""
    contest, (*_, danas) = four_teams()
    charlies = Standing.objects.get(team__name="charlie", board="public")
    crowd(contest, 200, below=charlies)
    place_everywhere(team=danas)
    if frozen:
        Competition.objects.update(freezes_at=NOON + timedelta(hours=1))
    client.force_login(user("dana"))
    stop_clock(monkeypatch, NOON + DAY)
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(f"/c/talk/leaderboard?page={number}{past}")
    assert len(queries) <= 11, "\n".join(query["sql"][:160] for query in queries)
    page = answer.context["page"]
    assert (page.teams, page.pages, page.own_page) == (204, 3, 3)
    assert (page.page, len(page.rows)) == (min(number, 3), shown)
    assert (page.instant is not None) == bool(past or frozen)


def crowd(contest: Competition, number: int, *, below: Standing) -> None:
    """So many teams just below that row, now and ever since."""
    teams = Team.objects.bulk_create(
        Team(competition=contest, name=f"팀 {n}", captain=user("dana"), created_at=NOON)
        for n in range(number)
    )
    for model, more in ((Standing, {}), (StandingDay, {"stands_until": FOREVER})):
        model.objects.bulk_create(
            model(
                scoring_version_id=below.scoring_version_id,
                board="public",
                team=other,
                printed=below.printed - n,
                metrics=below.metrics,
                submission_id=below.submission_id,
                received_at=NOON,
                entries=1,
                last_submission_at=NOON,
                **more,
            )
            for n, other in enumerate(teams, start=1)
        )
