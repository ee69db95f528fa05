"""Faults that the crawl is for, planted on purpose: its observers find each, and nothing before.

By a fault an answer holds what is secret or depends on it, would run, may be kept, or comes to
somebody for whom it is not.
"""

import codecs
from collections.abc import Callable
from datetime import timedelta
from types import ModuleType
from typing import Any

import pytest
from django.conf import LazySettings
from django.http import HttpRequest, HttpResponse
from django.urls import path

from leaderboard import urls
from leaderboard.boards import exports
from leaderboard.boards.listing import BoardRow, Listing
from leaderboard.boards.models import Standing
from leaderboard.community import forum as reading
from leaderboard.evaluation.models import SplitScore
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.web.contest import board
from tests.leaderboard.builders import NOON
from tests.leaderboard.web import needles, private_posts
from tests.leaderboard.web.asks import Ask, damaged, everything
from tests.leaderboard.web.crawl import Page, Probe
from tests.leaderboard.web.observers import EVERYWHERE, Reader, leaks
from tests.leaderboard.web.parts import parts
from tests.leaderboard.web.private_posts import FORUM
from tests.leaderboard.web.stage import (
    GOLDS,
    build,
    freeze,
    own_pair,
    permute_later_scores,
    permute_private_scores,
    stop_clock,
)
from tests.leaderboard.web.test_crawl import unlisted
from tests.leaderboard.web.visits import Crawl

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]
Plant = Callable[[pytest.MonkeyPatch], None]
BOARD, OWN = "/c/talk/leaderboard", "/c/talk/submissions"


# --- Told by one answer ---------------------------------------------------------------------------


def _show_anybodys_file(patch: pytest.MonkeyPatch) -> None:
    def anybodys(user: object) -> Any:
        return Submission.objects.select_related("team__competition", "submitted_by")

    patch.setattr("leaderboard.api.calls.for_user", anybodys)


def _forget_who_may_see(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("leaderboard.boards.results.visible_boards", lambda *_: ("private",))


def _hand_out_golds_as_the_sample(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("leaderboard.references.handouts.expected_ids", lambda *_: GOLDS["talk_2"])


def _show_all_threads(patch: pytest.MonkeyPatch) -> None:
    honest = reading.threads_for
    patch.setattr(reading, "threads_for", lambda *who, runs_it: honest(*who, runs_it=True))


def _escape_nothing(patch: pytest.MonkeyPatch) -> None:
    def unescaped(*_: object, **__: object) -> HttpResponse:
        return HttpResponse(Team.objects.get(name__contains="xss").name)

    Team.objects.filter(name="햇살").update(name="<script>xss()</script>")
    patch.setattr(board, "render", unescaped)


def _write_csv_without_a_bom(patch: pytest.MonkeyPatch) -> None:
    honest = exports.csv_file
    begin = len(codecs.BOM_UTF8)
    patch.setattr(exports, "csv_file", lambda *words, **more: honest(*words, **more)[begin:])


ALONE = [
    ("api:submission_file", _show_anybodys_file, "charlie", "submission_file another team's"),
    ("submission", _forget_who_may_see, "alice", "submission own"),
    ("sample", _hand_out_golds_as_the_sample, "alice", "kanarie"),
    ("forum", _show_all_threads, "alice", "forum own"),
    ("leaderboard", _escape_nothing, "visitor", "<script>"),
    ("leaderboard_csv", _write_csv_without_a_bom, "visitor", "a CSV without a BOM"),
]


@pytest.mark.parametrize(("name", "plant", "role", "said"), ALONE)
def test_a_fault_that_one_answer_shows_is_found(
    name: str, plant: Plant, role: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()
    private_posts.fill(stage, "members")
    crawl = Crawl(stage, role, [*EVERYWHERE, leaks(stage, role)])
    asks = [ask for ask in everything(stage, role, whole=True) if ask.name == name]
    crawl.visit(asks)
    assert crawl.wrong == []
    plant(monkeypatch)
    crawl.visit(asks)
    assert any(said in line for line in crawl.wrong), crawl.wrong


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        ("csp.middleware.CSPMiddleware", "forbids no scripts"),
        ("django.middleware.clickjacking.XFrameOptionsMiddleware", "forbids no scripts"),
        ("leaderboard.web.middleware.BeforeView", "NUL"),
        ("django.middleware.csrf.CsrfViewMiddleware", "forged"),
    ],
)
def test_a_middleware_that_is_missing_is_found(
    left_out: str, said: str, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()
    names = ("notices", "overview")
    asks = [ask for ask in (*everything(stage, "alice"), *damaged(stage)) if ask.name in names]
    for is_there in (True, False):
        if not is_there:
            settings.MIDDLEWARE = [one for one in settings.MIDDLEWARE if one != left_out]
        crawl = Crawl(stage, "alice", EVERYWHERE)
        crawl.visit(asks)
        assert any(said in line for line in crawl.wrong) is not is_there, crawl.wrong


def test_what_may_be_kept_within_a_session_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()
    monkeypatch.setattr("leaderboard.web.middleware.patch_cache_control", lambda *_, **__: None)
    crawl = Crawl(stage, "alice", EVERYWHERE)
    crawl.visit(ask for ask in everything(stage, "alice") if ask.name == "overview")
    assert any("may be kept" in line for line in crawl.wrong), crawl.wrong


def test_what_is_compressed_within_a_session_is_found(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()
    settings.MIDDLEWARE = ["django.middleware.gzip.GZipMiddleware", *settings.MIDDLEWARE]
    crawl = Crawl(stage, "alice", EVERYWHERE)
    crawl.visit(ask for ask in everything(stage, "alice") if ask.name == "overview")
    assert any("is compressed" in line for line in crawl.wrong), crawl.wrong


def test_an_unlisted_address_is_found() -> None:
    def planted(request: HttpRequest) -> HttpResponse:
        return HttpResponse("all private scores")

    module = ModuleType("planted_urls")
    module.urlpatterns = [  # type: ignore[attr-defined]
        *urls.urlpatterns,
        path("c/<slug:slug>/export.csv", planted, name="export"),
        path("debug/", planted),
    ]
    assert unlisted(module) == {"export", "debug/"}


@pytest.mark.parametrize(
    "harm", ["<p onclick=x>", "<a href=' JavaScript:x'>", "<iframe>", "<p style='x'>"]
)
def test_what_would_run_is_found(harm: str) -> None:
    assert Reader(Page("", "GET /", 200, "", harm.encode())).alive


def test_every_form_of_a_number_is_found_wherever_it_stands() -> None:
    score = SplitScore(total=1.87251098, metrics={"rouge1": 0.73190246})
    wanted = needles.of_scores([score])
    for form in ("1.8725", "1.87251", "1.872511", "1.87251098", "187.25", "187.251", "187.2511"):
        assert form in wanted.texts
        page = Page("alice", "GET /", 200, "", f"<td>{form}</td>".encode())
        assert needles.hits([page], wanted)
    for headers in (
        'ETag: "18725"',
        "Location: /c/talk/?was=0.7319",
        "Set-Cookie: last=73.190; Path=/",
        "X-Total: 7319",
    ):
        assert needles.hits([Page("alice", "GET /", 200, headers, b"")], wanted)
    for harmless in ("a7319b", "0.17319", "2e7f-7319-18725", "18,725"):
        assert not needles.hits([Page("alice", "GET /", 200, "", harmless.encode())], wanted)
    coded = Page("alice", "GET /", 200, "", b"k&#97;narie1a %6Banarie1a")
    assert needles.hits([coded], needles.GOLDS)


# --- Told by a second answer, after what is secret changed ----------------------------------------


def _break_ties_by_private_totals(patch: pytest.MonkeyPatch) -> None:
    def place(row: BoardRow) -> tuple[int, int]:
        private = Standing.objects.filter(board="private", team=row.team_id)
        return -row.printed, -max(private.values_list("printed", flat=True), default=0)

    honest: Any = Listing.rows
    patch.setattr(Listing, "rows", lambda *asked: sorted(honest(*asked), key=place))


def _look_past_the_freeze(patch: pytest.MonkeyPatch) -> None:
    """The strip counts ranks in the totals of now: one number on every page."""

    def of_now(seen: Listing) -> Any:
        return Standing.objects.filter(scoring_version=seen.version, board=seen.view.board)

    patch.setattr(Listing, "others", property(of_now))


@pytest.mark.parametrize(
    "plant",
    [
        pytest.param(_break_ties_by_private_totals, marks=pytest.mark.again),
        _look_past_the_freeze,
        *(
            pytest.param(fault, marks=pytest.mark.again)
            for part in parts()
            for fault in part.FAULTS
        ),
    ],
)
def test_a_dependence_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    is_frozen = plant is _look_past_the_freeze
    stop_clock(monkeypatch, NOON)
    stage = build()
    if is_frozen:
        freeze(stage)
    addresses = (BOARD, OWN, own_pair(stage), "/c/talk/team", "/c/talk/reliability", "/settings")
    asks = [Ask("page", Probe(where)) for where in addresses]

    def changed() -> list[str]:
        """Over all steps of handing the scores round: one step may leave one order as it was."""
        crawl, found = Crawl(stage, "alice", []), []
        crawl.visit(asks)
        for _ in range(6):
            permute_private_scores()
            if is_frozen:
                permute_later_scores(stage)
            found += crawl.answered_otherwise()[1]
            if found:
                break
        return found

    if not is_frozen and plant is _break_ties_by_private_totals:
        assert changed() == []  # once: six walks, in which the others too would be found
    plant(monkeypatch)
    assert changed() != []


def test_other_words_of_private_posts_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_clock(monkeypatch, NOON)
    stage = build()
    private_posts.fill(stage, "members")
    _show_all_threads(monkeypatch)
    crawl = Crawl(stage, "alice", [])
    crawl.visit([Ask("forum", Probe(FORUM))])
    private_posts.change(NOON + timedelta(minutes=1))
    assert crawl.answered_otherwise()[1] != []
