"""Every page of the URL table, found as people find it: by following links from the first page."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urljoin, urlsplit

from django.urls import Resolver404, resolve
from playwright.sync_api import Page

from tests.browser.conftest import Windows
from tests.leaderboard.web import expectations
from tests.leaderboard.web.addresses import url_list
from tests.leaderboard.web.expectations import ADMIN, API, TABLE
from tests.leaderboard.web.parts import parts

CONTEST = "/c/daily-dialogue"
# Whose page is looked at, where several people find it: the first of these.
PEOPLE = ("alice", "olivia", "charlie", None)
LINK = re.compile(r'(?:href|hx-get)="([^"#]+)')
OFTEN = 3  # addresses of one name that a person opens: lists lead to the same page many times

# Pages that no link of the demo leads to: who comes there, by which address, and from where.
UNLINKED: dict[str, tuple[str | None, str]] = {
    "account_logout": ("alice", "/accounts/logout/"),  # not followed, not to press it
    "account_inactive": (None, "/accounts/inactive/"),  # signing in to a closed account
    "account_reset_password": (None, "/accounts/password/reset/"),
    "account_reauthenticate": ("alice", "/accounts/reauthenticate/"),
}
# What answers a link and is no page, or is none that this walk can have; and why.
NO_PAGE = {
    "doctor": "the part of /status that administrators alone see: test_doctor.py",
    "livez": "for programs",
    "readyz": "for programs",
    "password_link": "is a page with a token alone: test_people.py",
    "join_by_code": "is a page with a contest's code alone: test_people.py",
    "terms": "is a page of a contest with terms alone: test_people.py",
    "team_merge_question": "is a page of an open question alone: test_merging.py",
    "progress": "the part of a submission's page that changes while it is scored",
}


def to_find() -> set[str]:
    """The names of the URL table that answer somebody's GET, but for what the demo has none of.

    Apps that may be left out look at their own pages, in a folder beside this file.
    """
    asked = {listed.name for listed in url_list() if listed.family not in (ADMIN, API)}
    answering = {name for name in asked if "200" in TABLE[name].get.values()}
    elsewhere = {name for part in parts() for name in part.table(expectations)}
    return answering - elsewhere - NO_PAGE.keys()


class Found:
    """The first address of each page by whom it was found, and the names that are no pages."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[str | None, str]] = dict(UNLINKED)
        self.others: set[str] = set()

    @property
    def unknown(self) -> set[str]:
        """Names of the URL table that nobody came to."""
        return to_find() - self.pages.keys() - self.others


@contextmanager
def something_said(windows: Windows) -> Iterator[None]:
    """What some pages need: an invitation of Charlie, a question and an answered inquiry."""
    alice, olivia = windows.open(who="alice"), windows.open(who="olivia")
    text = "스무 줄이 넘는 대화를 **둘로** 나누나요?\n\n```\nlen(turns)\n```"
    for kind in ("question", "inquiry"):
        alice.goto(f"{CONTEST}/forum/new")
        alice.select_option("[name=kind]", kind)
        alice.fill("[name=title]", "긴 대화는 어떻게 나누나요?")
        alice.fill("[name=text]", text)
        alice.click("button[value=start]")
        alice.wait_for_url(re.compile(f"{CONTEST}/forum/[0-9a-f-]+"))
    olivia.goto(alice.url)
    olivia.fill("[name=text]", "나누지 않습니다.")
    olivia.click("button[value=reply]")
    olivia.wait_for_load_state()
    alice.goto(f"{CONTEST}/team")
    alice.fill("[name=username]", "charlie")
    alice.click("button[value=invite_person]")
    alice.wait_for_load_state()
    try:
        yield
    finally:
        alice.goto(f"{CONTEST}/team")
        alice.locator("button[value=revoke]").first.click()


def find_pages(windows: Windows) -> Found:
    """What these people come to; whoever is earlier in PEOPLE opens a page for all later ones."""
    found = Found()
    for who in PEOPLE:
        _follow(windows.open(who=who), who, found)
    return found


def _follow(page: Page, who: str | None, found: Found) -> None:
    waiting, seen = ["/"], set()
    opened: Counter[str] = Counter()
    while waiting:
        address = waiting.pop(0)
        name = name_of(address)
        if name is None or address in seen or opened[name] >= OFTEN or "logout" in address:
            continue
        seen.add(address)
        opened[name] += 1
        answer = page.request.get(address, max_redirects=0)
        if answer.status in (301, 302):
            found.others.add(name)
            waiting.append(path_of(urljoin(answer.url, answer.headers["location"])))
            continue
        text = answer.text() if "text/html" in answer.headers["content-type"] else ""
        is_file = answer.headers.get("content-disposition", "").startswith("attachment")
        if "<html" not in text or is_file:
            found.others.add(name)
        elif answer.status == 200:
            found.pages.setdefault(name, (who, address))
        links = (urljoin(answer.url, link.replace("&amp;", "&")) for link in LINK.findall(text))
        own = urlsplit(answer.url).netloc
        waiting += [path_of(link) for link in links if urlsplit(link).netloc == own]


def path_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def name_of(address: str) -> str | None:
    """The name of the page; None for what is none of ours, such as a style sheet."""
    try:
        name = resolve(urlsplit(address).path).view_name
    except Resolver404:
        return None
    # Django's and ninja's own pages.
    return None if name.startswith("admin:") or name == "api:openapi-view" else name
