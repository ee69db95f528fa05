"""On a phone each row of a table is a card that says it all. That none is cut: test_access."""

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Windows

pytestmark = pytest.mark.browser

CONTEST = "/c/daily-dialogue"


def _card(page: Page) -> dict[str, str]:
    """The first card's cells by what they say they are."""
    cells = page.locator(".scroller tbody tr").first.locator("td[data-k]")
    return {
        str(cell.get_attribute("data-k")): cell.inner_text()
        for cell in cells.all()
        if cell.is_visible()
    }


def test_a_card_is_still_a_row_of_a_table_to_who_hears_it(windows: Windows) -> None:
    page = windows.open(who="alice", width=360)
    page.goto(f"{CONTEST}/ledger")
    table = page.get_by_role("table").first
    assert table.get_by_role("columnheader").count() >= 5
    assert table.get_by_role("row").nth(1).get_by_role("cell").count() >= 5
    assert {"시각", "내용", "변화"} <= set(_card(page))


@pytest.mark.parametrize("width", [pytest.param(360, marks=pytest.mark.slow), 320])
@pytest.mark.parametrize("who", [pytest.param(None, marks=pytest.mark.slow), "alice"])
def test_the_english_header_is_one_line_on_a_phone(
    windows: Windows, who: str | None, width: int
) -> None:
    page = windows.open(who=who, language="en", width=width)
    for path in ("/", f"{CONTEST}/leaderboard"):
        page.goto(path)
        middles = page.evaluate(
            """() => [...document.querySelectorAll(".site .brand, .site .tools > *")]
            .map((one) => one.getBoundingClientRect()).filter((box) => box.width > 2)
            .map((box) => Math.round(box.top + box.height / 2))"""
        )
        assert max(middles) - min(middles) <= 4, (path, middles)
        height = page.evaluate("document.querySelector('.site').getBoundingClientRect().height")
        assert height <= 48, path


@pytest.mark.parametrize("language", ["ko", pytest.param("en", marks=pytest.mark.slow)])
def test_the_badge_of_a_baseline_does_not_lie_on_its_name(windows: Windows, language: str) -> None:
    page = windows.open(who="alice", width=360, language=language)
    page.goto(f"{CONTEST}/leaderboard")
    badge = page.locator(".board .baseline .rank .badge").first.bounding_box()
    name = page.locator(".board .baseline .name").first.bounding_box()
    assert badge is not None
    assert name is not None
    assert badge["x"] + badge["width"] < name["x"]
