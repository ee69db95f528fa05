"""A class, from the list to teams of four with a first submission of each person, click by click.

The way is that of docs/organizing.md and docs/participating.md; a field that is filled is no click,
a file that is chosen and a box that is ticked are.
"""

import csv
import re
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.play import (
    CONTEST,
    SECRET,
    let_create,
    make_contest,
    sign_up,
    upload_references,
    window,
)
from tests.browser.test_whole_contest import TEXTS, prediction_file
from tests.stack import Stack

pytestmark = pytest.mark.browser

TEAM = 4


@dataclass
class Hand:
    """Somebody with a mouse, whose clicks are counted."""

    page: Page
    clicks: int = 0

    def click(self, where: Locator) -> None:
        self.clicks += 1
        where.click()

    def press(self, name: str) -> None:
        self.click(self.page.get_by_role("main").get_by_role("button", name=name, exact=True))

    def follow(self, name: str) -> None:
        self.click(self.page.get_by_role("link", name=name, exact=True).last)

    def choose(self, field: str, name: str, data: bytes) -> None:
        self.clicks += 1
        file = {"name": name, "mimeType": "text/csv", "buffer": data}
        self.page.set_input_files(field, files=[file])  # type: ignore[list-item]


def class_list(people: int) -> bytes:
    """Student numbers, names and teams of four, as a school's office has them."""
    rows = (f"2026{n:04},학생{n:03},{n // TEAM + 1}조" for n in range(people))
    return "\n".join(["학번,이름,조", *rows]).encode("cp949")


def enrol(page: Page, people: int) -> tuple[int, list[dict[str, str]], str]:
    """The organizer's way from the contest's page; answers clicks, slips and the students' link."""
    page.goto(f"{CONTEST}/")
    hand = Hand(page)
    for name in ("주최자", "사람", "수업 등록"):
        hand.follow(name)
    hand.choose("#id_file", "class.csv", class_list(people))
    hand.press("미리 보기")
    expect(page.get_by_text(f"새 계정 {people}개")).to_be_visible()
    hand.press("등록하기")
    with page.expect_download() as download:
        hand.follow("CSV로 받기")
    slips = list(csv.DictReader(download.value.path().read_text("utf-8-sig").splitlines()))
    return hand.clicks, slips, page.locator("#way-in").inner_text()


def come(page: Page, link: str, slip: dict[str, str]) -> int:
    """A student's way from the link on the slip to the page where files are handed in."""
    hand = Hand(page)
    page.goto(link)
    page.fill("[name=login]", slip["username"])
    page.fill("[name=password]", slip["password"])
    hand.press("로그인")
    page.fill("[name=oldpassword]", slip["password"])
    page.fill("[name=password1]", SECRET)
    page.fill("[name=password2]", SECRET)
    hand.click(page.locator("main button[type=submit]"))
    page.wait_for_url(f"**{CONTEST}/submit")
    hand.follow("읽고 동의하기")
    hand.click(page.get_by_label("약관을 읽었고 동의합니다"))
    hand.press("동의하고 계속하기")
    page.wait_for_url(f"**{CONTEST}/submit")
    expect(page.locator("#file")).to_be_enabled()
    return hand.clicks


def hand_in(page: Page) -> None:
    page.set_input_files(
        "#file",
        files=[{"name": "p.csv", "mimeType": "text/csv", "buffer": prediction_file("good")}],
    )
    page.get_by_role("button", name="제출하고 1회 사용").click()
    page.wait_for_url(re.compile(rf"{CONTEST}/submissions/[0-9a-f-]+"))


def open_contest(stack: Stack, browser: Browser, olivia: Page) -> None:
    """What an organizer did before: a contest with golds, and terms to accept."""
    stack.env["DJANGO_SUPERUSER_PASSWORD"] = SECRET
    stack.manage("createsuperuser", "--no-input", "--username=root", "--email=")
    sign_up(olivia, "olivia")
    with window(browser, stack) as root:
        let_create(root, "olivia")
    make_contest(olivia, datetime.now(UTC))  # noqa: TID251  browser and servers live in real time
    upload_references(olivia, (TEXTS / "golds.csv").read_bytes())
    olivia.goto(f"{CONTEST}/desk/people")
    olivia.locator("[name=text]").fill("데이터는 이 대회에만 씁니다.")
    olivia.locator("button[value=change_terms]").click()
    expect(olivia.get_by_text("약관 제1판을 저장했습니다.")).to_be_visible()


@pytest.mark.parametrize("people", [4, pytest.param(120, marks=pytest.mark.slow)])
def test_a_class_hands_in_its_first_files(chromium: Browser, people: int) -> None:
    with Stack() as school, window(chromium, school) as olivia:
        open_contest(school, chromium, olivia)
        clicks, slips, link = enrol(olivia, people)
        assert len(slips) == people
        print(f"organizer: {clicks} clicks for {people} people")
        assert clicks <= 12
        most = 0
        # The first of each team, then the second: no team has more waiting than it may.
        for slip in sorted(slips, key=lambda slip: int(slip["username"]) % TEAM):
            with window(chromium, school) as page:
                most = max(most, come(page, link, slip))
                hand_in(page)
        print(f"students: at most {most} clicks to the submit page")
        assert most <= 6
        olivia.goto(f"{CONTEST}/desk/participants?sort=username")
        rows = olivia.locator("tbody tr")
        assert rows.count() == min(people, 100)
        assert set(rows.locator("td.num").all_inner_texts()) == {str(TEAM)}
        olivia.goto(f"{CONTEST}/desk/silent")
        expect(olivia).to_have_url(re.compile("only=silent"))
        assert olivia.locator("tbody tr").count() == 0
