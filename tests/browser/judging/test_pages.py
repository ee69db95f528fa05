"""Every page that shows a judge column or runs one, with axe-core, found by following links."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.axe import forget_axe, sideways, squeezed, violations
from tests.browser.conftest import Demo, Windows
from tests.servers import free_port
from tests.stack import Stack

pytestmark = pytest.mark.browser

CONTEST = "/c/fake-judge"
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=example=)[^&]+|(?<=page=)\d+")


@pytest.fixture(scope="module")
def judged() -> Iterator[Demo]:
    """Pages alone, with what `JUDGE=fake ./run` seeds; the judging was done while seeding."""
    env = {"JUDGE": "fake", "FAKE_JUDGE_PORT": str(free_port())}
    with Stack(env=env, only=("web",)) as stack:
        stack.manage("seed_demo")
        accounts = json.loads((Path(stack.folder) / "demo-accounts.json").read_text())["accounts"]
        yield Demo(stack, {account["username"]: account["password"] for account in accounts})


@pytest.fixture
def windows(chromium: Browser, judged: Demo) -> Iterator[Windows]:
    opened = Windows(chromium, judged)
    yield opened
    forget_axe(opened)
    opened.close()
    assert opened.foreign_requests() == []
    assert opened.complaints == []


def links(page: Page, under: str) -> list[str]:
    """Where this page's links lead, without fragments; only those below `under`."""
    found = page.eval_on_selector_all("a[href]", "all => all.map(one => one.href)")
    parts = [urlsplit(each) for each in found]
    return [f"{one.path}?{one.query}".rstrip("?") for one in parts if one.path.startswith(under)]


def faults_below(page: Page, under: str, start: str) -> tuple[set[str], list[str]]:
    """One page of each kind that links lead to from `start`, and what is wrong with them."""
    seen: set[str] = set()
    faults: list[str] = []
    waiting = [start]
    while waiting:
        path = waiting.pop(0)
        kind = ID.sub("*", path)
        if kind in seen:
            continue
        seen.add(kind)
        answer = page.request.get(path)
        if answer.status != 200:
            faults.append(f"{path} answers {answer.status}")
        if "html" not in answer.headers["content-type"]:
            continue  # a download
        page.goto(path)
        if sideways(page) > 0:
            faults.append(f"{path} is {sideways(page)} px too wide")
        faults += violations(page)
        waiting += links(page, under)
    return seen, faults


@pytest.mark.parametrize(
    ("language", "theme", "width"),
    [("ko", "light", 360), pytest.param("en", "dark", 1440, marks=pytest.mark.slow)],
)
def test_the_desk_of_a_judge_has_no_axe_violation(
    windows: Windows, language: str, theme: str, width: int
) -> None:
    page = windows.open(who="olivia", language=language, theme=theme, width=width)
    desk = f"{CONTEST}/desk/judge"
    seen, faults = faults_below(page, desk, desk)
    assert faults == []
    assert {path.split("?")[0] for path in seen} >= {
        desk,
        f"{desk}/*",
        f"{desk}/*/items",
        f"{desk}/*/flags",
        f"{desk}/*/agreement",
    }


@pytest.mark.parametrize("width", [360, pytest.param(1440, marks=pytest.mark.slow)])
def test_pages_with_judge_columns_have_no_axe_violation(windows: Windows, width: int) -> None:
    page = windows.open(who="alice", width=width)
    for path in ("leaderboard", "submissions"):
        page.goto(f"{CONTEST}/{path}")
        if path == "submissions":  # on to the newest file, which was judged
            page.locator("tbody tr.mine th a").first.click()
            page.wait_for_selector(".result")
        assert page.get_by_text("참고").count() > 0
        assert violations(page) == []
        assert sideways(page) <= 0


@pytest.mark.parametrize("language", ["ko", pytest.param("en", marks=pytest.mark.slow)])
def test_a_board_with_judge_columns_fits_every_width(windows: Windows, language: str) -> None:
    page = windows.open(who="alice", language=language)
    page.goto(f"{CONTEST}/leaderboard")
    found = squeezed(page, (320, 641, 700, 768, 900, 1121, 1180, 1280, 1281, 1440, 1920))
    assert found == []
    # What is shown for reference is left where it is: narrower columns make the room.
    page.set_viewport_size({"width": 1180, "height": 900})
    assert page.locator(".board tbody td.ref").first.is_visible()
