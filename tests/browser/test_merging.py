"""Two captains merge their teams after looking at what both have; nothing hides on a phone."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import forget_axe, sideways, violations
from tests.browser.conftest import Windows
from tests.browser.play import SECRET, sign_up

pytestmark = pytest.mark.browser
MERGE = "/c/daily-dialogue/team/merge"
SIGHTS = (("ko", "light", 1440), ("ko", "dark", 360), ("en", "dark", 1440), ("en", "light", 360))


def look(windows: Windows, who: str, path: str, found: list[str]) -> None:
    """What is wrong with the page, in both languages, both themes and both widths."""
    for language, theme, width in SIGHTS:
        page = windows.open(who=who, language=language, theme=theme, width=width)
        page.goto(path)
        found += violations(page)
        forget_axe(windows)
        found += [f"{path} {width}: sideways"] * (sideways(page) > 0)
        page.context.close()


def press(page: Page, verb: str) -> None:
    page.click(f"button[value={verb}]")


def test_two_captains_merge(windows: Windows) -> None:
    found: list[str] = []
    name = "새벽바람"
    alice, dora = windows.open(who="alice"), windows.open()
    # The demo is shared: Charlie stays a stranger to its contest for the tests that need one.
    sign_up(dora, "dora")
    windows.demo.passwords["dora"] = SECRET
    dora.goto("/c/daily-dialogue/join")
    dora.fill("[name=team_name]", name)
    dora.click("main form button[type=submit]")
    alice.goto(MERGE)
    alice.fill("[name=name]", name)
    press(alice, "ask")
    expect(alice.locator("#second-step")).to_be_visible()
    press(alice, "ask")
    expect(alice.locator("main a[href*='/team/merge/']")).to_have_count(1)
    dora.goto(MERGE)
    question = str(dora.locator("main a[href*='/team/merge/']").get_attribute("href"))
    look(windows, "alice", MERGE, found)
    look(windows, "dora", question, found)
    dora.goto(question)
    press(dora, "accept")
    expect(dora.locator("main a[href*='/team/merge/']")).to_have_count(0)
    olivia = windows.open(who="olivia")
    olivia.goto(f"/c/daily-dialogue/desk/teams?q={name}")
    one = str(olivia.locator("tbody a").first.get_attribute("href"))
    look(windows, "olivia", one, found)
    assert found == []
