"""A page that stays open goes on counting, by what the server said was left."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Windows

pytestmark = pytest.mark.browser


def test_a_page_that_stays_open_counts_and_asks_again_at_the_end(windows: Windows) -> None:
    page = windows.open(language="en")
    page.clock.install()
    page.goto("/c/daily-dialogue/leaderboard")
    shown = page.locator("#contest-header [data-left]").first
    left = int(shown.get_attribute("data-left") or 0)
    assert shown.inner_text().split()[0] == str(left // 86_400)
    page.clock.fast_forward((left - 75) * 1000)
    page.clock.run_for(2000)
    expect(shown).to_have_text("1 minute")
    page.clock.run_for(60_000)
    assert shown.inner_text().endswith("seconds")
    page.clock.run_for(20_000)  # the end, and the pause before the question
    expect(page.locator("#contest-header [data-left]").first).to_contain_text("day")
    assert windows.complaints == []
