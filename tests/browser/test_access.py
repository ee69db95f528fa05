"""axe-core on every page in both themes, languages and widths; no sideways scrolling."""

import itertools
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.axe import forget_axe, sideways, squeezed, violations
from tests.browser.conftest import Demo, Windows
from tests.browser.every_page import (
    CONTEST,
    Found,
    find_pages,
    something_said,
    to_find,
)

pytestmark = pytest.mark.browser

# Besides every page that is found, some as others see them or in states of their own.
STATES: tuple[tuple[str | None, str], ...] = (
    (None, "/"),
    (None, "/no-such-page"),
    (None, f"{CONTEST}/leaderboard"),
    ("charlie", f"{CONTEST}/join"),
    ("alice", f"{CONTEST}/leaderboard?board=private"),
    ("alice", f"{CONTEST}/leaderboard?q=nobody"),
    ("alice", f"{CONTEST}/forum?q=nobody"),
    ("alice", "/c/short-calls/leaderboard?board=private"),
    ("alice", "/c/short-calls/shake-up"),
    ("alice", "/c/short-calls/submissions/compare"),
    ("alice", "/c/short-calls/submit"),
    ("alice", f"{CONTEST}/shake-up"),
)


@pytest.fixture(scope="module")
def every_page(chromium: Browser, demo: Demo) -> Iterator[Found]:
    """Every page of the URL table; a page that nobody comes to is an error."""
    windows = Windows(chromium, demo)
    with something_said(windows):
        found = find_pages(windows)
        assert found.unknown == set(), "no link leads there, and `every_page` says no other way"
        yield found
    windows.close()


def test_a_page_that_nobody_links_is_an_error() -> None:
    found = Found()
    found.pages |= {name: ("olivia", "/") for name in to_find() if name != "desk_teams"}
    assert len(found.pages) > 40
    assert found.unknown == {"desk_teams"}


@pytest.fixture
def windows(windows: Windows) -> Iterator[Windows]:
    yield windows
    forget_axe(windows)


WAYS = [*itertools.product(("ko", "en"), ("light", "dark"), (1440, 360))]


# One half of the pages in one way and the other half in the opposite one, each page in one of
# them; the long run looks at every page in every way.
HALVES = (
    ("ko", "light", 1440, slice(0, None, 2)),
    ("en", "dark", 360, slice(1, None, 2)),
)


@pytest.mark.parametrize(
    "ways",
    [
        pytest.param(HALVES, id="halves"),
        *(
            pytest.param(((*way, slice(None)),), id="-".join(map(str, way)), marks=pytest.mark.slow)
            for way in WAYS
        ),
    ],
)
def test_no_page_has_an_axe_violation_or_scrolls_sideways(
    windows: Windows, every_page: Found, ways: tuple[tuple[str, str, int, slice], ...]
) -> None:
    found: list[str] = []
    for language, theme, width, turn in ways:
        pages = list(dict.fromkeys([*every_page.pages.values(), *STATES]))[turn]
        for who in dict.fromkeys(who for who, _ in pages):
            page = windows.open(who=who, language=language, theme=theme, width=width)
            for path in (path for name, path in pages if name == who):
                page.goto(path)
                if sideways(page) > 0:
                    found.append(f"{path} is {sideways(page)} px too wide")
                found += violations(page)
    assert found == []


def test_the_filters_of_the_inbox_fit_a_phone_however_long_a_title_is(windows: Windows) -> None:
    page = windows.open(who="alice", width=360)
    page.goto("/inbox")
    lengthen = "all => all.forEach((one) => { one.textContent = '가나다라 '.repeat(24) })"
    page.locator("[name=contest] option").evaluate_all(lengthen)  # a title has 120 characters
    assert sideways(page) <= 0


@pytest.mark.parametrize("theme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_verdicts_and_the_result_card_have_no_axe_violation(windows: Windows, theme: str) -> None:
    page = windows.open(who="alice", theme=theme, width=360)
    page.goto(f"{CONTEST}/submit")
    for data in (b"fname,summary\nx,y\n", b"\xff\xfe\x00"):
        page.set_input_files(
            "#file", files=[{"name": "f.csv", "mimeType": "text/csv", "buffer": data}]
        )
        page.wait_for_selector(".verdict.no")
        assert violations(page) == []
        assert sideways(page) <= 0
    page.goto(f"{CONTEST}/submissions")
    page.locator("tbody tr.mine th a").click()
    page.wait_for_selector(".result")
    assert violations(page) == []
    assert sideways(page) <= 0


WIDTHS = (320, 480, 640, 641, 700, 768, 800, 900, 1024, 1121, 1180, 1280, 1281, 1440, 1920)


@pytest.mark.parametrize("language", ["ko", pytest.param("en", marks=pytest.mark.slow)])
def test_the_board_fits_every_width(windows: Windows, language: str) -> None:
    page, found = windows.open(who="alice", language=language), []
    for path in (f"{CONTEST}/leaderboard", "/c/short-calls/leaderboard", "/c/short-calls/shake-up"):
        page.goto(path)
        found += squeezed(page, WIDTHS)
    assert found == []


@pytest.mark.parametrize("language", [pytest.param("ko", marks=pytest.mark.slow), "en"])
def test_pages_beside_the_board_fit_every_width(windows: Windows, language: str) -> None:
    contest = [f"{CONTEST}/{path}" for path in ("submit", "", "data")]
    found = []
    for who, paths in (("alice", contest), ("olivia", ["/c/short-calls/desk/lights"])):
        page = windows.open(who=who, language=language)
        for path in paths:
            page.goto(path)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                if sideways(page) > 0:
                    found.append(f"{path} at {width}: {sideways(page)} px too wide")
    assert found == []


def test_the_submit_page_can_be_used_with_the_keyboard_alone(windows: Windows) -> None:
    page = windows.open(who="alice")
    page.goto(f"{CONTEST}/submit")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    seen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.id"))
        ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        hidden = page.evaluate("document.activeElement.id") == "file"  # its label wears the ring
        assert ring != "none" or hidden or page.evaluate("document.activeElement.tagName") == "BODY"
    assert "file" in seen


@pytest.mark.parametrize(
    ("language", "theme", "width"),
    [("ko", "light", 360), pytest.param("en", "dark", 1440, marks=pytest.mark.slow)],
)
def test_a_teams_page_on_the_desk_has_no_axe_violation(
    windows: Windows, language: str, theme: str, width: int
) -> None:
    page = windows.open(who="olivia", language=language, theme=theme, width=width)
    page.goto(f"{CONTEST}/desk/teams?q=alice")  # other tests make teams without a submission
    page.locator("tbody th a").first.click()
    page.wait_for_selector("table.ledger")
    assert violations(page) == []
    assert sideways(page) <= 0
