"""That nothing depends on private posts, test_noninterference walks; here, that it would notice."""

from datetime import timedelta

import pytest
from django.db.models import QuerySet

from leaderboard.community import reading
from leaderboard.community.models import Thread
from leaderboard.competitions.models import Competition
from leaderboard.competitions.roles import Anyone
from tests.leaderboard.builders import NOON
from tests.leaderboard.web import private_posts
from tests.leaderboard.web.comparison import differences
from tests.leaderboard.web.crawl import Page, Probe, send
from tests.leaderboard.web.private_posts import FORUM, OTHER, SECRET
from tests.leaderboard.web.stage import Stage, clients

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]


def test_who_may_read_it_is_answered_otherwise(stage: Stage) -> None:
    private_posts.fill(stage)
    ada = clients()["ada"]
    assert SECRET in send("ada", ada, Probe("/c/talk/desk/forum")).text
    private_posts.change(NOON + timedelta(minutes=1))
    assert OTHER in send("ada", ada, Probe("/c/talk/desk/forum")).text


def test_a_list_with_everybodys_threads_is_found(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = reading.threads_for

    def all_of_them(competition: Competition, user: Anyone, *, runs_it: bool) -> QuerySet[Thread]:
        return honest(competition, user, runs_it=True)

    private_posts.fill(stage)
    alice = clients()["alice"]

    def asked() -> dict[str, Page]:
        return {FORUM: send("alice", alice, Probe(FORUM))}

    assert private_posts.found(asked().values()) == []
    monkeypatch.setattr(reading, "threads_for", all_of_them)
    before = asked()
    assert private_posts.found(before.values()) != []
    private_posts.change(NOON + timedelta(minutes=1))
    assert differences(before, asked()) != []
