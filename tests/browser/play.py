"""A contest played by an administrator, an organizer and two people, in real windows.

`play` takes the golds and the files to upload, so that it can be pointed at any contest's data.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import urljoin, urlsplit
from zoneinfo import ZoneInfo

from playwright.sync_api import Browser, Page, expect

from tests.stack import Stack

SECRET = "purple-otter-9412"
SLUG = "played"
CONTEST = f"/c/{SLUG}"
DONE = 60_000  # milliseconds
SEOUL = ZoneInfo("Asia/Seoul")


@dataclass
class Played:
    """What people saw: totals by person, and every body and header that any of them was sent."""

    totals: dict[str, str] = field(default_factory=dict)
    board: dict[str, str] = field(default_factory=dict)
    seen: list[tuple[str, str]] = field(default_factory=list)

    def places_of(self, needles: Mapping[str, str]) -> list[str]:
        """Where any of these texts was sent to a person: address and name of the needle."""
        return [
            f"{address}: {name}"
            for address, text in self.seen
            for name, needle in needles.items()
            if needle in text
        ]


def spellings(name: str, value: float) -> dict[str, str]:
    """A score as 4, 5, 6 decimals, unrounded, and times 100 with 2 to 4 decimals."""
    forms = [*(f"{value:.{n}f}" for n in (4, 5, 6)), repr(value)]
    forms += [f"{value * 100:.{n}f}" for n in (2, 3, 4)]
    return {f"{name} as {form}": form for form in forms}


@contextmanager
def window(browser: Browser, stack: Stack) -> Iterator[Page]:
    context = browser.new_context(base_url=stack.url, locale="ko-KR")
    yield context.new_page()
    context.close()


def sign_up(page: Page, name: str) -> None:
    page.goto("/accounts/signup/")
    page.fill("[name=username]", name)
    page.fill("[name=password1]", SECRET)
    page.fill("[name=password2]", SECRET)
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
    page.get_by_role("button", name="제출하고 1회 사용").click()
    score = page.locator(".result .score")
    expect(score).to_have_text(re.compile(r"^\d\.\d{4}$"), timeout=DONE)
    return score.inner_text()


def read_everything(page: Page, played: Played) -> None:
    """Follow the links of the site as this person, near ones first; keep all bodies and headers.

    Every address and role is asked in one process: tests/leaderboard/web/test_canary.py.
    """
    waiting, known = ["/", f"{CONTEST}/leaderboard?board=private", "/inbox"], set()
    while waiting:
        address = waiting.pop(0)
        if address in known or len(known) > 80:
            continue
        known.add(address)
        answer = page.request.get(address)
        text = answer.text() if b"\0" not in (body := answer.body()) else body.decode("latin-1")
        played.seen.append((address, text + repr(answer.headers_array)))
        if "text/html" in answer.headers.get("content-type", ""):
            for link in re.findall(r'(?:href|hx-get|src)="([^"]+)"', text):
                path = urlsplit(urljoin(answer.url, link.replace("&amp;", "&")))
                if path.netloc == urlsplit(answer.url).netloc and "/logout" not in path.path:
                    waiting.append(f"{path.path}?{path.query}" if path.query else path.path)


def play(
    stack: Stack, browser: Browser, golds: bytes, files: Mapping[str, bytes], now: datetime
) -> Played:
    """From an empty installation to a board. The first two accounts are root and Olivia."""
    played = Played()
    stack.env["DJANGO_SUPERUSER_PASSWORD"] = SECRET
    stack.manage("createsuperuser", "--no-input", "--username=root", "--email=")
    with window(browser, stack) as olivia:
        sign_up(olivia, "olivia")
        with window(browser, stack) as root:
            let_create(root, "olivia")
        make_contest(olivia, now)
        upload_references(olivia, golds)
    for name, file in files.items():
        with window(browser, stack) as page:
            sign_up(page, name)
            played.totals[name] = take_part(page, name, file)
    for name in files:
        with window(browser, stack) as page:
            page.goto("/accounts/login/")
            page.fill("[name=login]", name)
            page.fill("[name=password]", SECRET)
            page.click("main button[type=submit]")
            page.wait_for_url("**/")
            read_everything(page, played)
            page.goto(f"{CONTEST}/leaderboard")
            played.board[name] = page.locator("#me .total").inner_text()
    with window(browser, stack) as visitor:
        read_everything(visitor, played)
    return played
