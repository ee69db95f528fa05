"""A browser in front of the whole product, seeded as `./run` seeds it."""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.once import made_once
from tests.stack import Stack

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
# How long a thing may take to appear. A machine that stands still for some seconds is no fault of
# the pages; how fast they are is measured by `python -m benchmarks.latency`.
APPEARS = 20_000  # milliseconds
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


@dataclass(frozen=True)
class Demo:
    """The running product and the passwords of its demo accounts."""

    stack: Stack
    passwords: dict[str, str]

    @property
    def url(self) -> str:
        return self.stack.url


def seeded(folder: Path) -> None:
    """Leave there the data of a stack that has ended, with the demo's two contests."""
    with contextlib.closing(Stack(only=())) as stack:
        stack.start()
        stack.manage("seed_demo")
        shutil.copytree(stack.folder, folder / "data")


@pytest.fixture(scope="session")
def demo() -> Iterator[Demo]:
    """The default stack with the demo, for a whole run."""
    stack = Stack()
    shutil.copytree(made_once("demo", seeded) / "data", stack.folder, dirs_exist_ok=True)
    with stack:
        accounts = json.loads((stack.folder / "demo-accounts.json").read_text())["accounts"]
        yield Demo(stack, {account["username"]: account["password"] for account in accounts})


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium: apt install chromium")
        pytest.skip("no Chromium: apt install chromium, or set CHROMIUM to its path")
    expect.set_options(timeout=APPEARS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Windows:
    """Windows of several people; what any of them asks for or complains about is remembered."""

    def __init__(self, browser: Browser, demo: Demo) -> None:
        self.browser = browser
        self.demo = demo
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.contexts: list[BrowserContext] = []
        self.cookies: dict[str, list[dict[str, str]]] = {}

    def open(
        self,
        *,
        who: str | None = None,
        language: str = "ko",
        theme: str = "light",
        width: int = 1440,
        script: bool = True,
    ) -> Page:
        """A fresh window, signed in as this demo account if a name is given."""
        context = self.browser.new_context(
            base_url=self.demo.url,
            locale="en-US" if language == "en" else "ko-KR",
            color_scheme=theme,  # type: ignore[arg-type]
            viewport={"width": width, "height": 900},
            java_script_enabled=script,
            reduced_motion="reduce",
        )
        self.contexts.append(context)
        if who is not None:
            context.add_cookies(self._signed_in(who))  # type: ignore[arg-type]
        page = context.new_page()
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def _heard(self, kind: str, text: str) -> None:
        # A page that answers 4xx on purpose is reported by the browser as a failed load.
        if kind == "error" and not text.startswith("Failed to load resource"):
            self.complaints.append(text)

    def _signed_in(self, who: str) -> list[dict[str, str]]:
        if who not in self.cookies:
            context = self.browser.new_context(base_url=self.demo.url, locale="ko-KR")
            page = context.new_page()
            page.goto("/accounts/login/")
            page.fill("[name=login]", who)
            page.fill("[name=password]", self.demo.passwords[who])
            page.click("main button[type=submit]")
            page.wait_for_url("**/")
            self.cookies[who] = context.cookies()  # type: ignore[assignment]
            context.close()
        return self.cookies[who]

    def foreign_requests(self) -> list[str]:
        """Everything that was asked of another host."""
        own = (self.demo.url, "data:", "blob:")
        return [url for url in self.requests if not url.startswith(own)]

    def close(self) -> None:
        for context in self.contexts:
            context.close()


@pytest.fixture
def windows(chromium: Browser, demo: Demo) -> Iterator[Windows]:
    """Windows that must have asked no other host and complained of nothing when the test ends."""
    opened = Windows(chromium, demo)
    yield opened
    opened.close()
    assert opened.foreign_requests() == []
    assert opened.complaints == []
