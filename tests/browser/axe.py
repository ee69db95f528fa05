"""What is wrong with a page for people who cannot see it well, or see it on a phone."""

from collections.abc import Iterable

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Windows


def sideways(page: Page) -> int:
    """By how many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


# Of a board: a name that is cut to less than a word, a badge that is cut, a box that scrolls.
CUT_NAMES = """() => [...document.querySelectorAll(".board .team:has(.name)")].filter((cell) => {
    const edge = cell.getBoundingClientRect().right + 0.5;
    const name = cell.querySelector(".name");
    const seen = name.getBoundingClientRect();
    const isCut = [cell, name].some((one) => one.scrollWidth > one.clientWidth + 1);
    return isCut && Math.min(seen.right, edge) - seen.left < 100
        || [...cell.querySelectorAll(".name ~ *")]
            .some((one) => one.getBoundingClientRect().right > edge);
}).map((cell) => cell.textContent.trim())"""


def squeezed(page: Page, widths: Iterable[int]) -> list[str]:
    """What of the board on this page has no room in windows that wide. Leaves the last width."""
    found = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        if (over := sideways(page)) > 0:
            found.append(f"{page.url} at {width}: {over} px too wide")
        found += [f"{page.url} at {width}: {name} is cut" for name in page.evaluate(CUT_NAMES)]
        fits = "one => one.scrollWidth <= one.parentElement.clientWidth + 1"
        if not page.locator(".board").evaluate(fits):
            found.append(f"{page.url} at {width}: the board is wider than its box")
    return found


# What of a table is cut off, or reaches beyond the window: a text each.
CUT = """() => [...document.querySelectorAll(".scroller")].flatMap((scroller) =>
    [scroller, ...scroller.querySelectorAll("tbody tr > *, tbody :is(a, input, button, dd)")]
    .filter((one) => one.getClientRects().length)
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1
        || (one === scroller && one.scrollWidth > one.clientWidth + 1))
    .map((one) => `${one.tagName} ${one.textContent.trim().slice(0, 60)}`))"""


def clipped(page: Page) -> list[str]:
    """What of the tables on this page is out of sight."""
    return list(page.evaluate(CUT))


def violations(page: Page) -> list[str]:
    """What axe-core complains of, a line each: address, impact, rule, the first element."""
    found = Axe().run(page).response["violations"]
    return [
        f"{page.url} {one['impact']} {one['id']}: {one['nodes'][0]['html'][:200]}" for one in found
    ]


def forget_axe(windows: Windows) -> None:
    """axe puts a style element into the page to measure it, which our policy refuses aloud."""
    windows.complaints[:] = [text for text in windows.complaints if "inline style" not in text]
