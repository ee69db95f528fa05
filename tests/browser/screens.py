"""`./run screens`: the pictures of README.md and of docs/, taken from the demo in both languages.

They go to docs/screens as NAME.LANGUAGE.webp; one above 80 KB makes the command fail.
"""

import base64
import csv
import json
import sys

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, Demo, Windows
from tests.servers import ROOT
from tests.stack import Stack

FOLDER = ROOT / "docs" / "screens"
CONTEST, MOST_BYTES = "/c/daily-dialogue", 80_000


def leaderboard(page: Page) -> None:
    page.goto(f"{CONTEST}/leaderboard")


def submit(page: Page) -> None:
    """A file that was checked, just before it is submitted."""
    names = [name for name, *_ in rows(page, "data/sample_submission.csv")]
    page.goto(f"{CONTEST}/submit")
    choose(page, "#file", [(name, f"두 사람은 {name}번째 약속을 정한다.") for name in names])
    page.locator(".verdict").wait_for()


def lab(page: Page) -> None:
    """A row of a file that holds the first half of each reference."""
    released = rows(page, "lab/dev_golds.csv")
    page.goto(f"{CONTEST}/lab")
    choose(page, "#lab_file", [(name, one[: len(one) // 2]) for name, one, *_ in released])
    page.locator("form:has(#lab_file) button[type=submit]").first.click()
    page.locator(".one-row").evaluate("part => part.scrollIntoView()")


def rows(page: Page, path: str) -> list[list[str]]:
    """The rows of a CSV of the contest, without its heading."""
    text = page.request.get(f"{CONTEST}/{path}").body().decode("utf-8-sig")
    return list(csv.reader(text.splitlines()))[1:]


def choose(page: Page, field: str, summaries: list[tuple[str, str]]) -> None:
    text = "\n".join(f'{name},"{summary}"' for name, summary in [("fname", "summary"), *summaries])
    file = {"name": "predictions.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.set_input_files(field, files=[file])  # type: ignore[list-item]


def picture(page: Page) -> bytes:
    """What the window shows, as WebP, which Playwright itself does not write."""
    page.wait_for_load_state("networkidle")
    session, asked = page.context.new_cdp_session(page), {"format": "webp", "quality": 75}
    shot = session.send("Page.captureScreenshot", asked)
    return base64.b64decode(shot["data"])


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    with Stack() as stack, sync_playwright() as playwright:
        stack.manage("seed_demo")
        accounts = json.loads((stack.folder / "demo-accounts.json").read_text())["accounts"]
        demo = Demo(stack, {one["username"]: one["password"] for one in accounts})
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for language in ("ko", "en"):
            for shown in (leaderboard, submit, lab):
                page = Windows(browser, demo).open(who="alice", language=language, width=1280)
                page.set_viewport_size({"width": 1280, "height": 760})
                shown(page)
                (FOLDER / f"{shown.__name__}.{language}.webp").write_bytes(picture(page))
        browser.close()
    return int(any(one.stat().st_size > MOST_BYTES for one in FOLDER.iterdir()))


if __name__ == "__main__":
    sys.exit(main())
