"""axe-core on every page in both themes, languages and widths; no sideways scrolling."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from django.urls import resolve
from playwright.sync_api import Browser, Page

from tests.browser.axe import clipped, forget_axe, sideways, squeezed, violations
from tests.browser.conftest import Demo, Windows
from tests.browser.every_page import ROLES
from tests.stack import Stack

pytestmark = pytest.mark.browser

CONTEST = "/c/daily-dialogue"
WIDTHS = (320, 480, 640, 641, 700, 768, 800, 900, 1024, 1121, 1180, 1280, 1281, 1440, 1920)
# Besides every page, some in states of their own.
STATES = {
    "visitor": ["/no-such-page"],
    "charlie": ["/c/talk/join"],
    "alice": [
        f"/c/talk/{path}"
        for path in ("leaderboard?q=nobody", "forum?q=nobody", "leaderboard?board=private")
    ],
}


@pytest.fixture
def windows(windows: Windows) -> Iterator[Windows]:
    yield windows
    forget_axe(windows)


@contextmanager
def crawled(chromium: Browser, *words: str) -> Iterator[tuple[Windows, dict[str, list[str]]]]:
    """Windows before the contest of the crawls, and each role's addresses."""
    with Stack(only=("web",)) as stack:
        found = stack.drive("browser.every_page", *words)
        opened = Windows(chromium, Demo(stack, {role: f"{role}-secret" for role in ROLES}))
        yield opened, found
        forget_axe(opened)
        opened.close()
        assert opened.foreign_requests() == []
        assert opened.complaints == []


def is_page(page: Page, path: str) -> bool:
    answer = page.request.get(path, max_redirects=0)
    is_file = answer.headers.get("content-disposition", "").startswith("attachment")
    return answer.status == 200 and not is_file and "<html" in answer.text()


def wrong(page: Page, path: str, width: int) -> list[str]:
    """What is wrong in the window as it is, and on a phone."""
    page.goto(path)
    found = violations(page)
    for one in dict.fromkeys((width, 360)):
        page.set_viewport_size({"width": one, "height": 900})
        found += [f"{path} at {one}: {sideways(page)} px too wide"] * (sideways(page) > 0)
    return found + [f"{path}: {cell} is cut" for cell in clipped(page)]


# Language, theme, width, whether the contest is unsettled, and which of the pages: each is looked
# at in one of two opposite ways; the long run looks at every page in every way.
HALVES = (
    ("ko", "light", 1440, (), (0,)),
    ("en", "dark", 360, ("unsettled",), (1,)),
)
LONG = itertools.product(
    ("ko", "en"), ("light", "dark"), (1440, 360), ((), ("unsettled",)), [(0, 1)]
)


@pytest.mark.parametrize(
    "way",
    [*HALVES, *(pytest.param(way, marks=pytest.mark.slow) for way in LONG)],
    ids=lambda way: "-".join(map(str, way[:4])),
)
def test_no_page_has_an_axe_violation_or_is_too_wide(
    chromium: Browser, way: tuple[str, str, int, tuple[str, ...], tuple[int, ...]]
) -> None:
    language, theme, width, words, turns = way
    found: list[str] = []
    seen: set[str] = set()
    with crawled(chromium, *words) as (windows, addresses):
        for role in ROLES:  # who is earlier opens a page for all later ones
            who = None if role == "visitor" else role
            page = windows.open(who=who, language=language, theme=theme, width=width)
            for path in addresses[role]:
                if not is_page(page, path):
                    continue
                if (name := resolve(urlsplit(path).path).view_name) not in seen:
                    seen.add(name)
                    if len(seen) % 2 in turns:
                        found += wrong(page, path, width)
                        page.set_viewport_size({"width": width, "height": 900})
            for path in STATES.get(role, ()):
                page.goto(path)
                found += violations(page)
            if (role, language) == ("alice", "ko"):
                page.goto("/c/talk/leaderboard")  # with a judge's columns
                found += squeezed(page, WIDTHS)
    assert found == []
    assert len(seen) > 60


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


@pytest.mark.parametrize("language", ["ko", pytest.param("en", marks=pytest.mark.slow)])
def test_the_board_fits_every_width(windows: Windows, language: str) -> None:
    page, found = windows.open(who="alice", language=language), []
    for path in (f"{CONTEST}/leaderboard", "/c/short-calls/leaderboard", "/c/short-calls/shake-up"):
        page.goto(path)
        found += squeezed(page, WIDTHS)
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
