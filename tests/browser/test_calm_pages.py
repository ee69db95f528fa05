"""How much a page shows at once: words, numbers and links in the first screen, and its height.

A word is what stands between spaces and is seen, menus and header counted in; a number is a word
with a digit. Links are those of the page itself, its header and tabs left out.
"""

from typing import NamedTuple

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Windows

pytestmark = pytest.mark.browser

CONTEST = "/c/daily-dialogue"

FIRST_SCREEN = """() => {
    const seen = (box) => box.width > 2 && box.height > 2 && box.bottom > 0 && box.top < innerHeight
        && box.right > 0 && box.left < innerWidth;
    const shown = (one) => one.checkVisibility({visibilityProperty: true, opacityProperty: true});
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let words = 0, numbers = 0;
    while (walker.nextNode()) {
        const text = walker.currentNode, range = document.createRange();
        if (!text.data.trim() || !shown(text.parentElement)) continue;
        for (const word of text.data.matchAll(/\\S+/g)) {
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            if (!seen(range.getBoundingClientRect())) continue;
            words += 1;
            numbers += /[0-9]/.test(word[0]);
        }
    }
    const links = [...document.querySelectorAll("main a")].filter(
        (one) => shown(one) && seen(one.getBoundingClientRect())).length;
    return {words, numbers, links};
}"""

ROWS = """() => [...document.querySelectorAll(".board tbody tr")].filter(
    (row) => row.getBoundingClientRect().bottom <= innerHeight).length"""


class Bar(NamedTuple):
    """Who sees the page, and the most it may show; None where no bar is set."""

    who: str
    path: str
    words: int | None = None
    numbers: int | None = None
    links: int | None = None


FIRST_SCREENS = [
    Bar("alice", "/leaderboard", words=250, numbers=90),
    Bar("alice", "/submit", words=130, links=14),
    Bar("olivia", "/desk/golds", words=200),
    Bar("alice", "/", words=250),
    Bar("alice", "/team", words=120),
    Bar("olivia", "/desk/", words=160),
]
# Who, path, the most pixels at a width of 1440 and of 360, and whether the page is meant that the
# first line of the list there leads to.
HEIGHTS: list[tuple[str, str, int, int, bool]] = [
    ("alice", "/", 1200, 2200, False),
    ("alice", "/team", 900, 1500, False),
    ("alice", "/submissions", 1100, 1900, True),
    ("olivia", "/desk/submissions", 1100, 1900, True),
]


def shown(page: Page) -> dict[str, int]:
    """The words, numbers and links that the first screen shows."""
    counted: dict[str, int] = page.evaluate(FIRST_SCREEN)
    return counted


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_first_screen_shows_what_is_needed_and_no_more(windows: Windows, language: str) -> None:
    for bar in FIRST_SCREENS:
        page = windows.open(who=bar.who, language=language)
        page.goto(f"{CONTEST}{bar.path}", wait_until="networkidle")
        counted = shown(page)
        limits = {"words": bar.words, "numbers": bar.numbers, "links": bar.links}
        over = {
            name: (counted[name], most)
            for name, most in limits.items()
            if most is not None and counted[name] > most
        }
        assert not over, (bar.path, over)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_page_is_no_longer_than_it_needs(windows: Windows, language: str) -> None:
    for who, path, wide, narrow, is_line in HEIGHTS:
        for width, limit in ((1440, wide), (360, narrow)):
            page = windows.open(who=who, language=language, width=width)
            page.goto(f"{CONTEST}{path}")
            if is_line:
                page.locator("main tbody a[href*='submissions/']").first.click()
            page.wait_for_load_state("networkidle")
            height = page.evaluate("document.documentElement.scrollHeight")
            assert height <= limit, (path, width, height)


TABS = ["", "data", "status", "submit", "leaderboard", "forum", "team"]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_phone_has_the_seven_tabs_in_one_line_high_up(windows: Windows, language: str) -> None:
    page = windows.open(who="alice", language=language, width=360)
    for path, current in (("/", 0), ("/lab", 1), ("/submissions", 3), ("/ledger", 3), ("/team", 6)):
        page.goto(f"{CONTEST}{path}", wait_until="networkidle")
        tabs = page.locator("nav.tabs a")
        found = [href.split("/")[-1] for href in tabs.evaluate_all("all => all.map(a => a.href)")]
        assert found == TABS
        assert tabs.nth(current).get_attribute("aria-current") == "page"
        boxes = tabs.evaluate_all("all => all.map(a => a.getBoundingClientRect().toJSON())")
        assert len({box["top"] for box in boxes}) == 1
        assert max(box["right"] for box in boxes) <= 360
        assert max(box["bottom"] for box in boxes) <= 200
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        facts = page.locator("#contest-header > div").evaluate_all(
            "all => all.map(a => a.offsetHeight)"
        )
        assert len([height for height in facts if height]) <= 2


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_phone_shows_four_rows_of_the_board_at_once(windows: Windows, language: str) -> None:
    page = windows.open(who="alice", language=language, width=360)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{CONTEST}/leaderboard", wait_until="networkidle")
    assert page.evaluate(ROWS) >= 4
