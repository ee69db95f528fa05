"""What a first visit costs: everything that travels until a cold board has nothing left to ask."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Windows

pytestmark = pytest.mark.browser

BOARD = "/c/daily-dialogue/leaderboard"
LIMIT = 120_000  # bytes, headers included
IDLE = 2_000  # milliseconds: what a page leaves for later comes too


def travelled(page: Page, path: str) -> dict[str, int]:
    """Bytes received by address until the page is idle. Counted by the browser, headers and all."""
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    names: dict[str, str] = {}
    received: dict[str, int] = {}

    def ended(event: dict[str, Any]) -> None:
        received[names[event["requestId"]]] = int(event["encodedDataLength"])

    network.on(
        "Network.requestWillBeSent",
        lambda event: names.update({event["requestId"]: event["request"]["url"]}),
    )
    network.on("Network.loadingFinished", ended)
    page.goto(path, wait_until="networkidle")
    page.wait_for_timeout(IDLE)
    return received


@pytest.mark.parametrize("who", [pytest.param(None, marks=pytest.mark.slow), "alice"])
@pytest.mark.parametrize("width", [1440, 360])
def test_a_cold_board_is_at_most_120_kilobytes(
    windows: Windows, who: str | None, width: int
) -> None:
    received = travelled(windows.open(who=who, width=width), BOARD)
    assert any(address.endswith(BOARD) for address in received)
    assert sum(received.values()) <= LIMIT, sorted(received.items(), key=lambda one: -one[1])


def test_a_page_asks_for_one_font_file_and_begins_with_it(windows: Windows) -> None:
    """Hangul is drawn by the system: subsets of it were fourteen files and 365 KB for one board."""
    page = windows.open(who="alice")
    for path in (BOARD, "/c/daily-dialogue/submissions", "/c/daily-dialogue/"):
        page.goto(path, wait_until="networkidle")
    fonts = {address for address in windows.requests if ".woff" in address}
    assert len(fonts) == 1
    preloaded = page.locator("link[rel=preload][as=font]").get_attribute("href")
    assert [address.endswith(str(preloaded)) for address in fonts] == [True], "or it comes twice"
    assert page.evaluate("document.fonts.check('15px \"Pretendard Variable\"', '0.9231')")
