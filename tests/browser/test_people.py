"""The desk's page of people and the pages it opens to others, with axe-core on each."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.axe import forget_axe, sideways, violations
from tests.browser.conftest import Windows

pytestmark = pytest.mark.browser

CONTEST = "/c/daily-dialogue"
PEOPLE = f"{CONTEST}/desk/people"


@pytest.fixture
def windows(windows: Windows) -> Iterator[Windows]:
    yield windows
    forget_axe(windows)


def save(desk: Page, verb: str, **fields: str) -> None:
    desk.goto(PEOPLE)
    form = desk.locator("form", has=desk.locator(f"button[value={verb}]"))
    for name, value in fields.items():
        field = form.locator(f"[name={name}]")
        if field.evaluate("one => one.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    form.locator(f"button[value={verb}]").click()
    desk.wait_for_url(f"**{PEOPLE}#*")


def fine(page: Page, path: str) -> None:
    page.goto(path)
    assert violations(page) == []
    assert sideways(page) <= 0


@pytest.mark.parametrize(
    ("language", "theme", "width"),
    [("ko", "light", 360), pytest.param("en", "dark", 1440, marks=pytest.mark.slow)],
)
def test_people_are_asked_for_terms_and_a_code(
    windows: Windows, language: str, theme: str, width: int
) -> None:
    look = {"language": language, "theme": theme, "width": width}
    desk = windows.open(who="olivia", **look)  # type: ignore[arg-type]
    alice = windows.open(who="alice", **look)  # type: ignore[arg-type]
    charlie = windows.open(who="charlie", **look)  # type: ignore[arg-type]
    save(desk, "change_terms", text="서로 **존중**합니다.", text_en="Be *kind*.")
    save(desk, "register", registration="code", code="TALK-2026", emails="a@b.kr\nc@d.kr")
    try:
        fine(desk, PEOPLE)
        fine(charlie, f"{CONTEST}/join")
        fine(charlie, "/join/talk-2026")
        fine(alice, f"{CONTEST}/submit")
        fine(alice, f"{CONTEST}/terms?next={CONTEST}/data")
        alice.check("[name=accepted]")
        alice.click("main button[type=submit]")
        alice.wait_for_url(f"**{CONTEST}/data")
        fine(alice, f"{CONTEST}/terms")
        charlie.goto("/join/talk-2026")
        # The browser itself asks for the box.
        assert charlie.locator("[name=accepted]").evaluate("one => one.required")
        save(desk, "register", registration="approval", code="", emails="")
        fine(charlie, f"{CONTEST}/join")
    finally:
        save(desk, "change_terms", text="", text_en="")
        save(desk, "register", registration="open", code="", emails="")
