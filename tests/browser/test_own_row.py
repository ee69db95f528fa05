"""The own row of a board: in sight wherever one reads, and never there twice."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Windows

pytestmark = pytest.mark.browser

BOARD = "/c/daily-dialogue/leaderboard?board=public"
# The demo's board is short: rows of others around the own one make it longer than the window.
LONGER = """([before, after]) => {
    const own = document.getElementById("me");
    const other = document.querySelector("table.board tbody tr.ranked:not(.mine)");
    for (let n = 0; n < before; n++) own.before(other.cloneNode(true));
    for (let n = 0; n < after; n++) own.after(other.cloneNode(true));
}"""


def top_of(page: Page) -> float:
    """Where the own row is seen, from the window's upper edge; its first cell is what sticks."""
    return float(
        page.evaluate(
            "Math.max(...[...document.querySelectorAll('tr.mine, tr.mine > *')]"
            ".map(one => one.getBoundingClientRect().top))"
        )
    )


@pytest.mark.parametrize("width", [pytest.param(1440, marks=pytest.mark.slow), 360])
def test_the_own_row_stops_at_the_edge_and_a_link_leads_to_where_it_stands(
    windows: Windows, width: int
) -> None:
    page = windows.open(who="alice", width=width)
    page.goto(BOARD)
    expect(page.locator("tr.mine")).to_have_count(1)
    expect(page.locator("tbody.pinned")).to_have_count(0)
    page.evaluate(LONGER, [60, 60])
    expect(page.locator("#me .total")).to_be_in_viewport()  # below the window: at its lower edge
    assert top_of(page) > 700
    page.evaluate("document.querySelector('#board .under').scrollIntoView({block: 'end'})")
    expect(page.locator("#me .total")).to_be_in_viewport()  # above it: at its upper edge
    assert top_of(page) < 100
    page.evaluate("location.hash = '#me'")
    expect(page.locator("#me .total")).to_be_in_viewport()
    # Its neighbours are in sight too, so it stands among them and does not stick.
    for way in ("previous", "next"):
        near = page.evaluate(
            f"document.getElementById('me').{way}ElementSibling.getBoundingClientRect().top"
        )
        assert abs(near - top_of(page)) < 150
