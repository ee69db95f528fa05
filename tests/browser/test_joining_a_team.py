"""From a captain's link to the page where files are handed in: a stranger's clicks, counted."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import forget_axe, violations
from tests.browser.conftest import Windows

pytestmark = pytest.mark.browser
TEAM = "/c/daily-dialogue/team"
MOST_CLICKS = 6


class Clicks:
    """Presses things on one page and counts."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.number = 0

    def on(self, selector: str) -> None:
        self.page.click(selector)
        self.number += 1


@pytest.mark.parametrize(("width", "script"), [(1440, True), (360, False)])
def test_a_stranger_is_in_and_may_submit_after_six_clicks(
    windows: Windows, width: int, script: bool
) -> None:
    captain = windows.open(who="alice")
    captain.goto(TEAM)
    captain.click("button[value=invite_by_code]")
    link = captain.get_attribute("#invite .banner a", "href")
    assert link
    stranger = windows.open(width=width, script=script)
    stranger.goto(link)
    if script:
        assert violations(stranger) == []
        forget_axe(windows)
    clicks = Clicks(stranger)
    clicks.on("main a.btn")
    name = f"stranger{width}"
    for field, typed in (
        ("username", name),
        ("password1", "주전자-4821"),
        ("password2", "주전자-4821"),
    ):
        stranger.fill(f"[name={field}]", typed)
    clicks.on("main button[type=submit]")
    expect(stranger).to_have_url(re.compile("/join/"))
    clicks.on("button[value=accept]")
    expect(stranger).to_have_url(re.compile("/data$"))
    clicks.on("nav.tabs a[href$='/submit']")
    expect(stranger.locator("input[type=file]")).to_be_attached()
    print(width, "clicks:", clicks.number)
    assert clicks.number <= MOST_CLICKS
    captain.goto(TEAM)
    expect(captain.locator("main")).to_contain_text(name)
    captain.select_option("#chosen_member", name)
    captain.click("button[value=remove]")
    expect(captain.locator("#second-step")).to_be_visible()
    captain.click("button[value=remove]")  # the demo stays as it was
    expect(captain.locator("main table").first).not_to_contain_text(name)
