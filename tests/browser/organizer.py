"""Windows and movements of the people of an organized contest, for `test_organizing.py`.

Everything is done as a person does it: by following links and pressing buttons by their words.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.play import DONE, sign_up
from tests.stack import Stack

SLUG = "winter-class"
CONTEST = f"/c/{SLUG}"
SEOUL = ZoneInfo("Asia/Seoul")
TOTAL = re.compile(r"^\d\.\d{4}$")


def csv_file(name: str, data: bytes) -> Any:
    """What a file chooser is given."""
    return {"name": name, "mimeType": "text/csv", "buffer": data}


def clock() -> datetime:
    """Now, as the contest's clock shows it."""
    now = datetime.now(UTC)  # noqa: TID251  the browser and its servers live in real time
    return now.astimezone(SEOUL)


def minute(after: timedelta) -> datetime:
    """The first full minute that is at least so far away: the forms know no seconds."""
    return (clock() + after + timedelta(minutes=1)).replace(second=0, microsecond=0)


@dataclass
class Walk:
    """One contest from nothing to the reveal: a window for each person, and what was noted."""

    stack: Stack
    browser: Browser
    people: dict[str, BrowserContext] = field(default_factory=dict)
    pages: dict[str, Page] = field(default_factory=dict)
    noted: dict[str, str] = field(default_factory=dict)
    moments: dict[str, datetime] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    # Complaints of the browser itself: a script that fails, a style that the policy refuses.
    complaints: list[str] = field(default_factory=list)

    @property
    def olivia(self) -> Page:
        """The organizer's window."""
        return self.window("olivia")

    def window(self, name: str) -> Page:
        """This person's window; it stays open, so the person stays signed in."""
        if name not in self.pages:
            context = self.browser.new_context(base_url=self.stack.url, locale="ko-KR")
            context.set_default_timeout(20_000)
            page = context.new_page()
            page.on("pageerror", lambda error: self.complaints.append(str(error)))
            self.people[name], self.pages[name] = context, page
        return self.pages[name]

    def newcomer(self, name: str) -> Page:
        """The window of a person who has just made an account."""
        page = self.window(name)
        sign_up(page, name)
        return page

    def desk(self, *names: str) -> Page:
        """The organizer on the desk's page that these tabs lead to."""
        page = self.olivia
        menu = page.get_by_role("navigation", name="주최자 메뉴")
        if not menu.is_visible():
            page.goto(f"{CONTEST}/")
            page.get_by_role("link", name="주최자", exact=True).click()
        for name in names:
            menu.get_by_role("link", name=name, exact=True).last.click()
        expect(menu.get_by_role("link", name=names[-1], exact=True).last).to_have_attribute(
            "aria-current", "page"
        )
        return page

    def join(self, page: Page, team: str, button: str = "참가") -> None:
        """Fill the form that is open on this page; terms are read and accepted."""
        page.get_by_label("팀 이름").fill(team)
        page.get_by_label("약관을 읽었고 동의합니다").check()
        page.get_by_role("main").get_by_role("button", name=button, exact=True).click()

    def hand_in(self, name: str, file: str, data: bytes) -> str:
        """Upload as this person and wait; answers the public total on the result card."""
        page = self.send(name, file, data)
        score = page.locator(".result .score")
        expect(score).to_have_text(TOTAL, timeout=DONE)
        return score.inner_text()

    def send(self, name: str, file: str, data: bytes) -> Page:
        """Upload as this person; the page of the new submission."""
        page = self.window(name)
        page.goto(f"{CONTEST}/submit")
        page.set_input_files("#file", files=[csv_file(file, data)])
        page.get_by_role("button", name="제출하고 1회 사용").click()
        page.wait_for_url(re.compile(rf"{CONTEST}/submissions/[0-9a-f-]+"))
        return page

    def board(self, name: str, board: str = "public") -> dict[str, str]:
        """Rank (or 기준선) and total by team, as this person's board shows them."""
        page = self.window(name)
        page.goto(f"{CONTEST}/leaderboard?board={board}")
        rows = page.locator("table.board tbody:not(.pinned) tr")
        return {
            row.locator(".name").inner_text(): " ".join(
                (row.locator(".rank").inner_text().split()[0], row.locator(".total").inner_text())
            )
            for row in rows.all()
        }

    def soon(self, look: Any, what: str, seconds: float = 60) -> None:
        """Wait until something is so."""
        self.stack.wait_for(look, seconds, what)

    def wait_until(self, moment: datetime, what: str) -> None:
        """Let real time pass."""
        ahead = (moment - clock()).total_seconds()
        self.soon(lambda: clock() >= moment, what, max(ahead, 0) + 5)

    def close(self) -> None:
        for context in self.people.values():
            context.close()


@contextmanager
def walking(stack: Stack, browser: Browser) -> Iterator[Walk]:
    """A walk whose windows are closed at the end."""
    walk = Walk(stack, browser)
    yield walk
    walk.close()


def part(page: Page, heading: str) -> Locator:
    """The section of the page under this heading."""
    return page.locator("section").filter(has=page.get_by_role("heading", name=heading)).last


def press(place: Page | Locator, name: str, *, exact: bool = True) -> None:
    """Press the button with these words."""
    place.get_by_role("button", name=name, exact=exact).click()


def confirm(place: Page | Locator, first: str, then: str) -> None:
    """Press the button that shows what would happen, then the one that does it."""
    press(place, first)
    expect(place.get_by_text("아직 하지 않았습니다.")).to_be_visible()
    press(place, then)


def said(page: Page, words: str) -> None:
    """The page must say this somewhere in its content or its message."""
    expect(page.get_by_text(words).first).to_be_visible()


def type_date(page: Page, label: str, moment: datetime) -> None:
    """Into the field of this label; one that may stay empty says so behind it."""
    field = page.get_by_label(re.compile(rf"^{label}( 선택)?$"))
    field.fill(f"{moment:%Y-%m-%dT%H:%M}")
