"""A contest played by an administrator, an organizer and two people, in real windows.

`play` takes the golds and the files to upload, so that it can be pointed at any contest's data.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from playwright.sync_api import Browser, Page, expect

from tests.stack import Stack

SECRET = "purple-otter-9412"
SLUG = "played"
CONTEST = f"/c/{SLUG}"
DONE = 60_000  # milliseconds
SEOUL = ZoneInfo("Asia/Seoul")


@contextmanager
def window(browser: Browser, stack: Stack) -> Iterator[Page]:
    context = browser.new_context(base_url=stack.url, locale="ko-KR")
    yield context.new_page()
    context.close()


def sign_up(page: Page, name: str) -> None:
    page.goto("/accounts/signup/")
    page.fill("[name=username]", name)
    page.fill("[name=password1]", SECRET)
    page.click("main button[type=submit]")
    page.wait_for_url("**/")


def let_create(root: Page, name: str) -> None:
    """The administrator's part, in `/admin/`: the right to make contests."""
    root.goto("/admin/accounts/user/")
    root.fill("[name=login]", "root")
    root.fill("[name=password]", SECRET)
    root.click("main button[type=submit]")
    root.get_by_role("link", name=name, exact=True).click()
    root.check("[name=may_create_contests]")
    root.click("[name=_save]")
    expect(root.locator(".messagelist .success")).to_be_visible()


def make_contest(page: Page, now: datetime) -> None:
    """The organizer's part: a contest that opened yesterday."""
    page.goto("/contests/new")
    page.fill("[name=slug]", SLUG)
    page.fill("[name=title]", "끝까지 해 보는 대회")
    for name, days in (("opens_at", -1), ("closes_at", 1), ("reveals_at", 2)):
        moment = now.astimezone(SEOUL) + timedelta(days=days)
        page.fill(f"[name={name}]", f"{moment:%Y-%m-%dT%H:%M}")
    page.locator("main form button[type=submit]").click()
    page.wait_for_url(f"**{CONTEST}/desk/")


def upload_references(page: Page, golds: bytes) -> None:
    """The organizer's part, on the contest's desk."""
    page.goto(f"{CONTEST}/desk/golds")
    page.set_input_files(
        "#files", files=[{"name": "gold.csv", "mimeType": "text/csv", "buffer": golds}]
    )
    page.locator("form:has(#files) button[type=submit]").click()
    page.get_by_role("button", name="v1 적용").click()
    page.locator("form:has([name=seen]) button").click()  # what happens has been shown
    expect(page.locator(".badge.go").last).to_contain_text("사용 중")


def take_part(page: Page, name: str, file: bytes) -> str:
    """Join, upload, wait; answers the total on the result card."""
    page.goto(f"{CONTEST}/")
    page.get_by_role("link", name="참가").click()
    page.fill("[name=team_name]", f"{name} 팀")
    page.click("main button[type=submit]")
    page.wait_for_url(f"**{CONTEST}/data")
    page.goto(f"{CONTEST}/submit")
    page.set_input_files(
        "#file", files=[{"name": f"{name}.csv", "mimeType": "text/csv", "buffer": file}]
    )
    page.get_by_role("button", name="제출하기 (1회 사용)").click()
    score = page.locator(".result .score")
    expect(score).to_have_text(re.compile(r"^\d\.\d{4}$"), timeout=DONE)
    return score.inner_text()


def play(
    stack: Stack, browser: Browser, golds: bytes, files: Mapping[str, bytes], now: datetime
) -> dict[str, list[str]]:
    """From an empty installation to a board: the totals that each person is shown of the own file.

    The first two accounts are root and Olivia.
    """
    stack.env["DJANGO_SUPERUSER_PASSWORD"] = SECRET
    stack.manage("createsuperuser", "--no-input", "--username=root", "--email=")
    with window(browser, stack) as olivia:
        sign_up(olivia, "olivia")
        with window(browser, stack) as root:
            let_create(root, "olivia")
        make_contest(olivia, now)
        upload_references(olivia, golds)
    totals = {}
    for name, file in files.items():
        with window(browser, stack) as page:
            sign_up(page, name)
            of_result = take_part(page, name, file)
            page.goto(f"{CONTEST}/leaderboard")
            totals[name] = [of_result, page.locator("#me .total").inner_text()]
    return totals
