"""What is wrong with a page for people who cannot see it well, or see it on a phone."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Windows


def sideways(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def violations(page: Page) -> list[str]:
    """What axe-core complains of, a line each: address, impact, rule, the first element."""
    found = Axe().run(page).response["violations"]
    return [
        f"{page.url} {one['impact']} {one['id']}: {one['nodes'][0]['html'][:200]}" for one in found
    ]


def forget_axe(windows: Windows) -> None:
    """axe puts a style element into the page to measure it, which our policy refuses aloud."""
    windows.complaints[:] = [text for text in windows.complaints if "inline style" not in text]
