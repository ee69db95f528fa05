"""What hostile people write in every field of a contest, in a real browser: nothing runs.

What each page shows of it to whom, and that it is escaped, `leaderboard/web/test_crawl.py` asks of
every address.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Dialog, Error, Page, Route

from tests.browser.conftest import Demo, Windows
from tests.browser.payloads import PAYLOADS
from tests.leaderboard.web.hostile import shown
from tests.stack import Stack

pytestmark = pytest.mark.browser

CONTEST = "/c/talk"
LISTEN = """
window.ran = [];
window.xss = window.alert = window.prompt = window.confirm = (...said) => window.ran.push(said);
document.addEventListener("securitypolicyviolation", (event) =>
  window.ran.push([event.violatedDirective, event.blockedURI]));
"""
ALIVE = """() => [
  ...window.ran.map(String),
  ...[...document.querySelectorAll("main *")].flatMap((element) => [
    ...[...element.attributes].filter((one) => /^on|^hx-on|^srcdoc$|^style$/.test(one.name))
      .map((one) => one.name),
    ...["SCRIPT", "IFRAME", "IMG", "OBJECT", "EMBED", "BASE", "STYLE", "META", "MATH"]
      .filter((name) => element.tagName === name),
    ...(element.href && !/^(https?|mailto):/.test(element.href) ? [element.href] : []),
  ]),
]"""


@pytest.fixture(scope="module")
def pages() -> Iterator[tuple[Demo, dict[str, list[str]]]]:
    """The product with the contest, and the addresses by who may open them."""
    with Stack(only=("web",)) as stack:
        found = stack.drive("browser.hostile")
        yield Demo(stack, {name: f"{name}-secret" for name in found}), found


@pytest.fixture
def windows(chromium: Browser, pages: tuple[Demo, dict[str, list[str]]]) -> Iterator[Windows]:
    opened = Windows(chromium, pages[0])
    yield opened
    opened.close()
    assert opened.foreign_requests() == []
    assert opened.complaints == []


class Look:
    """Opens pages; remembers what was alive on them and which columns they showed."""

    def __init__(self, windows: Windows, who: str | None) -> None:
        self.page: Page = windows.open(who=who)
        self.page.add_init_script(LISTEN)
        self.page.on("dialog", self._asked)
        self.alive: list[str] = []
        self.seen: set[str] = set()

    def _asked(self, dialog: Dialog) -> None:
        self.alive.append(dialog.message)
        dialog.dismiss()

    def at(self, where: str) -> None:
        try:
            answer = self.page.goto(where, wait_until="domcontentloaded")
        except Error as error:
            if "Download is starting" not in str(error):
                raise
            return
        if answer is None or answer.status >= 500:
            self.alive.append(f"{where}: {answer and answer.status}")
        self.alive += [f"{where}: {thing}" for thing in self.page.evaluate(ALIVE)]
        self.seen |= shown(self.page.content())


@pytest.mark.parametrize("who", ["alice", "olivia"])
def test_nothing_runs_that_somebody_writes_in_a_contest(
    windows: Windows, pages: tuple[Demo, dict[str, list[str]]], who: str
) -> None:
    assert len(PAYLOADS) >= 80
    look = Look(windows, who)
    for where in pages[1][who]:
        look.at(where)
    assert look.alive == []
    assert {"Competition.title", "Team.name", "Post.text", "Announcement.text"} <= look.seen


def test_what_is_not_escaped_is_found(windows: Windows) -> None:
    look, payload = Look(windows, None), "<img src=x onerror=xss()>"

    def plant(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("</main>", f"{payload}</main>"))

    look.page.route(f"**{CONTEST}/leaderboard", plant)
    look.at(f"{CONTEST}/leaderboard")
    assert look.alive != []
    windows.complaints.clear()  # the browser's own word on it
    windows.requests.clear()
