"""Every kind of person asks every address once; the observers look at each answer.

A page that somebody adds and nobody lists in `expectations.TABLE` fails here. That each observer
finds what it is for, test_crawl_faults shows.
"""

import logging
from datetime import datetime, timedelta

import pytest

from leaderboard.actions.announcements import announce
from leaderboard.boards.models import Standing
from tests.leaderboard import builders
from tests.leaderboard.api import expectations as api
from tests.leaderboard.builders import CLOSES, NOON, REVEALS
from tests.leaderboard.web import hostile, needles, private_posts
from tests.leaderboard.web.addresses import contest_file, url_list
from tests.leaderboard.web.asks import Ask, damaged, everything, hidden, said
from tests.leaderboard.web.crawl import Probe
from tests.leaderboard.web.expectations import ADMIN, API, STAFF, TABLE
from tests.leaderboard.web.observers import EVERYWHERE, leaks, outcome, secrets_of
from tests.leaderboard.web.stage import (
    BELOW_EDITOR,
    CANARY,
    EDITORS,
    OUTSIDERS,
    ROLES,
    WATCHERS,
    build,
    crawls,
    freeze,
    permute_later_scores,
    permute_private_scores,
    stop_clock,
)
from tests.leaderboard.web.visits import Crawl, difference

pytestmark = [
    pytest.mark.django_db,
    # The tests need no collected static files.
    pytest.mark.filterwarnings("ignore:No directory at"),
]
# Written in the stage, and shown to no owner: or only in a state that the contest is not in.
NOT_SHOWN = {
    *("User.first_name", "User.last_name", "QuotaEntry.words"),
    *("Team.disqualify_reason", "Post.hide_reason", "Thread.hide_reason"),
}


def unlisted(urlconf: object = None) -> set[str]:
    """Names of the URL list without a row, and rows without a name."""
    families = {listed.family for listed in url_list(urlconf)}
    return families ^ {*TABLE, ADMIN, API}


def test_every_address_and_every_operation_has_its_row() -> None:
    assert unlisted() == set()
    assert {operation.name for operation in api.operations()} == api.TABLE.keys()
    assert len(api.operations()) == len(api.TABLE), "a name twice"


@pytest.mark.parametrize(
    ("role", "whole"), crawls(*ROLES, at_once=("visitor", "alice"), whole=("visitor",))
)
def test_every_answer_is_right(
    role: str,
    whole: bool,
    short: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As the table has it, and nothing in it leaks, runs or is kept; nor does it depend on secrets.

    The same requests are made again after the private scores were handed round and what is private
    in the forum was written anew: whoever is no editor is answered alike, byte for byte.
    """
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.INFO, "django")
    stop_clock(monkeypatch, NOON)
    stage = build()
    contest_file(stage)  # as somebody sends it who means well
    announce(competition=stage.contest, user=builders.user("olivia"), text="공지", at=NOON)
    written = hostile.put_everywhere()
    posts = [] if role in STAFF else private_posts.fill(stage, "members")
    crawl = Crawl(stage, role, [*EVERYWHERE, *([leaks(stage, role)] if is_below(role) else [])])
    crawl.visit(everything(stage, role, whole=whole), follow=whole and not short)
    crawl.visit(Ask("private post", probe) for probe in posts)
    if role == "alice":
        crawl.visit(damaged(stage))
    print(f"{len(crawl.answers)} requests")
    assert not crawl.wrong, "\n".join(crawl.wrong)
    assert len(crawl.answers) >= 2 * len(TABLE)
    assert "/c/talk/leaderboard" in caplog.text or not is_below(role)  # the private board's 404
    assert CANARY not in caplog.text
    if role == "alice":
        assert {200, 302, 400, 403, 404, 405, 413, 422} <= {page.status for page in crawl.pages}
    if role == "olivia":
        assert written - hostile.shown("\n".join(page.text for page in crawl.pages)) == NOT_SHOWN
    if is_below(role):
        permute_private_scores()
        if posts:
            private_posts.change(NOON + timedelta(minutes=1))
        asked, changed = crawl.answered_otherwise(whole=whole and not short)
        assert not changed, "\n".join(changed)
        assert asked > 10


def is_below(role: str) -> bool:
    return role in BELOW_EDITOR


@pytest.mark.parametrize(
    ("role", "whole"), crawls(*ROLES, at_once=(), kinds=("visitor", "charlie"))
)
def test_a_private_contest_is_none_to_outsiders(
    role: str, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build(private=True)
    crawl = Crawl(stage, role, [outcome])
    crawl.visit(everything(stage, role, whole=whole, private=True))
    assert not crawl.wrong, "\n".join(crawl.wrong)
    if role in OUTSIDERS:
        for secret, none in hidden(stage, role):
            pages = [crawl.ask(secret), crawl.ask(none)]
            assert difference(*pages, alike=(stage.contest.slug, "none")) == [], str(secret)


def everything_since(
    role: str, at: datetime, patch: pytest.MonkeyPatch, *, whole: bool = False
) -> None:
    """No answer from the freeze on holds or depends on private scores, private posts (which the
    contest's staff read) or what the others have scored since; everybody may read the forum.
    """
    stop_clock(patch, at)
    stage = build()
    freeze(stage)
    posts = [] if role in STAFF else private_posts.fill(stage)
    crawl = Crawl(stage, role, [leaks(stage, role)])
    crawl.visit(everything(stage, role, whole=whole), follow=whole)
    crawl.visit(Ask("private post", probe) for probe in posts)
    assert not crawl.wrong, "\n".join(crawl.wrong)
    assert [page.asked for page in crawl.pages if page.status >= 500] == []
    before = list(Standing.objects.order_by("pk").values_list("printed", flat=True))
    permute_private_scores()
    permute_later_scores(stage)
    # The permutation moved something, or this test would show nothing.
    assert before != list(Standing.objects.order_by("pk").values_list("printed", flat=True))
    if posts:
        private_posts.change(at + timedelta(minutes=1))
    asked, changed = crawl.answered_otherwise(whole=whole)
    assert not changed, "\n".join(changed)
    assert asked > 10


@pytest.mark.parametrize(
    ("role", "whole"), crawls("visitor", "alice", at_once=(), kinds=("alice",))
)
def test_no_answer_between_the_end_and_the_reveal_depends_on_what_opens_later(
    role: str, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything_since(role, CLOSES + timedelta(hours=1), monkeypatch, whole=whole)


@pytest.mark.parametrize("role", [pytest.param(one, marks=pytest.mark.slow) for one in WATCHERS])
def test_nor_during_a_freeze(role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    everything_since(role, NOON, monkeypatch)


@pytest.mark.parametrize("role", ["visitor", pytest.param("alice", marks=pytest.mark.crawl)])
def test_after_the_reveal_the_private_numbers_are_there_and_the_golds_are_not(
    role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, REVEALS)
    stage = build()
    crawl = Crawl(stage, role, [])
    crawl.visit(ask for ask in everything(stage, role) if ask.probe.method == "GET")
    found = needles.hits(crawl.pages, secrets_of(stage, role))
    rows = Standing.objects.filter(board="private", team__competition=stage.contest)
    totals = {row.team.name: f"{row.printed / 10_000:.4f}" for row in rows.select_related("team")}
    assert len(totals) == 4
    for total in totals.values():
        assert f"{role} GET /c/talk/leaderboard?board=private: {total}" in found
    if role == "alice":
        assert f"alice GET /c/talk/submissions/{stage.best.pk}: {totals['햇살']}" in found
    assert needles.hits(crawl.pages, needles.GOLDS) == []


@pytest.mark.crawl
def test_editors_see_before_the_reveal_what_others_see_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the crawl looks for is there to be found: on pages, in JSON and by the API."""
    stage = build()
    boards = ("/c/talk/leaderboard", "/api/v1/competitions/talk/leaderboard")
    for at, seeing in ((NOON, EDITORS), (CLOSES, EDITORS), (REVEALS, ROLES)):
        stop_clock(monkeypatch, at)
        for role in ROLES:
            crawl = Crawl(stage, role, [])
            asks = [said(role, Probe(f"{where}?board=private")) for where in boards]
            crawl.visit(Ask("board", probe) for probe in asks)
            found = {page.status for page in crawl.pages}
            assert found == ({200} if role in seeing else {404}), (at, role)
            hits = [needles.hits([page], secrets_of(stage, "alice")) for page in crawl.pages]
            assert all(bool(hit) is (role in seeing) for hit in hits)
            assert needles.hits(crawl.pages, needles.GOLDS) == []
