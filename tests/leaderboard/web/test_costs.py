"""Pages take as many queries for many teams, files, posts and notices as for few."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.actions.announcements import announce
from leaderboard.actions.forum import reply, report, start_thread
from leaderboard.community.models import Thread
from leaderboard.competitions.models import Competition
from tests.leaderboard import builders
from tests.leaderboard.web.pages import browser, hand_in, running

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("ignore:No directory at")]

# The most that each may take: who, contest and role or team, the frame around it, and its own.
PAGES = {
    ("olivia", "desk/"): 25,
    ("olivia", "desk/announcements"): 16,
    ("olivia", "desk/teams"): 16,
    ("olivia", "desk/submissions"): 22,
    ("olivia", "desk/export.zip"): 40,
    ("alice", "ledger"): 15,
    ("alice", "leaderboard"): 16,
    ("alice", "leaderboard.csv"): 12,
    ("alice", "submissions"): 16,
    ("alice", "/inbox"): 12,
    ("alice", "forum"): 12,
    ("alice", "forum?q=답"): 12,
    ("alice", "forum/FIRST"): 12,
    ("olivia", "forum/FIRST"): 12,
    ("olivia", "desk/forum"): 12,
}


def grow(contest: Competition, names: list[str]) -> None:
    """A team of each name that hands something in, and as much from Alice and the organizer."""
    now = timezone.now()
    alices = contest.teams.get(name="alice")
    for number, name in enumerate(names):
        hand_in(builders.team(contest, name), {"talk_1": f"{name}의 글"})
        at = now - timedelta(minutes=number + 1)
        # Of a day before, at any hour: how much the best flatters is asked of two such files.
        builders.hand_in(alices, {"talk_1": f"{name}보다"}, at=at - timedelta(days=1))
        announce(competition=contest, user=builders.user("olivia"), text=f"소식 {name}", at=at)
        said = {"competition": contest, "user": builders.user(name), "text": "답은?", "at": at}
        for kind in ("question", "inquiry"):
            report(
                post=start_thread(kind=kind, title=name, **said).all_posts.get(),
                user=builders.user("olivia"),
                reason="광고",
                at=at,
            )
        reply(thread=contest.threads.get(title="first"), user=said["user"], text="답", at=at)
    builders.score_all(now)


def taken(clients: dict[str, Client]) -> dict[tuple[str, str], int]:
    found = {}
    for who, page in PAGES:
        where = page if page.startswith("/") else f"/c/talk/{page}"
        where = where.replace("FIRST", str(Thread.objects.get(title="first").pk))
        for _ in range(2):  # the first look reads what is kept, such as the totals
            with CaptureQueriesContext(connection) as asked:
                answer = clients[who].get(where)
                assert answer.status_code == 200, where
                if answer.streaming:
                    b"".join(answer.streaming_content)
        found[who, page] = len(asked)
    return found


@pytest.mark.whole
def test_many_cost_what_few_cost() -> None:
    contest = running()
    builders.team(contest, "alice")
    words = {"kind": "question", "title": "first", "text": "답은?", "at": timezone.now()}
    start_thread(competition=contest, user=builders.user("alice"), **words)
    clients = {name: browser(name) for name in ("olivia", "alice")}
    grow(contest, ["bob", "carol"])
    few = taken(clients)
    grow(contest, [f"person{number}" for number in range(8)])
    many = taken(clients)
    assert many == few
    assert {page: number for page, number in many.items() if number > PAGES[page]} == {}
