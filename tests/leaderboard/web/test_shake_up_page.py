"""The page of the shake-up and its file."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.boards.models import Standing
from leaderboard.competitions.models import Competition
from leaderboard.teams.models import Team
from tests.leaderboard.boards.test_shake_up import shaken
from tests.leaderboard.builders import NOON, REVEALS, user
from tests.leaderboard.web.pages import browser
from tests.leaderboard.web.stage import stop_clock

pytestmark = pytest.mark.django_db
PAGE, FILE = "/c/talk/shake-up", "/c/talk/shake-up.csv"


@pytest.fixture
def revealed(monkeypatch: pytest.MonkeyPatch) -> Competition:
    contest = shaken()
    stop_clock(monkeypatch, REVEALS)
    return contest


def test_everybody_reads_it_after_the_reveal(revealed: Competition) -> None:
    text = browser().get(PAGE).text
    table = text[text.index("<table") :]
    assert table.index("charlie") < table.index("bob") < table.index("alice")
    assert "비공개(Private) 순위가 공개됐습니다" in text
    assert 'id="me"' not in text
    assert browser().get(FILE).headers["Content-Disposition"].endswith('"talk-shake-up.csv"')
    assert PAGE in browser().get("/c/talk/leaderboard").text


def test_a_member_reads_the_own_path(revealed: Competition) -> None:
    text = browser("alice").get(PAGE).text
    assert "공개(Public) 1위 → 비공개(Private) 3위." in text
    counted = Standing.objects.get(board="private", team__name="alice").submission_id
    assert f"/c/talk/submissions/{counted}" in text


def test_it_costs_fifteen_queries_with_two_hundred_teams(
    revealed: Competition, client: Client
) -> None:
    """Also for a member whose row stands on another page: a crowd is put above Alice.

    Of the lines that are not shown nothing is read but totals.
    """
    crowd(revealed, 230)
    client.force_login(user("alice"))
    client.get(PAGE)
    with CaptureQueriesContext(connection) as queries:
        shown = client.get(PAGE)
    assert len(queries) <= 15, [query["sql"] for query in queries]
    found = shown.context["found"]
    assert (found.teams, found.pages, len(found.rows), found.own_page) == (233, 3, 100, 3)
    last = client.get(f"{PAGE}?page=3")
    assert [move.team_name for move in last.context["found"].rows][-1] == "alice"
    assert client.get(f"{PAGE}?page=99").context["found"].page == 3
    assert len(client.get(FILE).text.splitlines()) == 4 + 1 + 233


def crowd(contest: Competition, number: int) -> None:
    """So many teams in the same order on both boards."""
    model = Standing.objects.get(team__name="bob", board="private")
    teams = Team.objects.bulk_create(
        Team(competition=contest, name=f"팀 {n}", captain=user("bob"), created_at=NOON)
        for n in range(number)
    )
    Standing.objects.bulk_create(
        Standing(
            scoring_version_id=model.scoring_version_id,
            board=board,
            team=other,
            printed=10 + n,
            metrics=model.metrics,
            submission_id=model.submission_id,
            received_at=NOON,
            entries=1,
            last_submission_at=NOON,
        )
        for n, other in enumerate(teams)
        for board in ("public", "private")
    )
