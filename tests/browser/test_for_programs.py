"""What people copy for their programs is whole on every page, and is copied by one click."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import forget_axe, sideways, violations
from tests.browser.conftest import Windows

pytestmark = pytest.mark.browser

SUBMIT = "/c/daily-dialogue/submit"
SAMPLE = "/c/daily-dialogue/data/sample_submission.csv"
EVERYWHERE = [
    ("en", 1440),
    ("ko", 360),
    *(pytest.param(*way, marks=pytest.mark.slow) for way in (("ko", 1440), ("en", 360))),
]
IS_CUT = """boxes => boxes.filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.textContent)"""


def unfold(page: Page) -> None:
    page.locator("main details").evaluate_all("all => all.forEach((one) => { one.open = true })")


def copied(page: Page) -> list[str]:
    """What the clipboard holds after each button of the page."""
    page.context.grant_permissions(["clipboard-read"])
    found = []
    for button in page.locator("[data-copies]").all():
        button.click()
        expect(page.locator("p:has(> [data-copies]) [role=status]:not(:empty)")).to_have_count(
            len(found) + 1
        )
        found.append(page.evaluate("navigator.clipboard.readText()"))
    return found


def new_token(page: Page) -> str:
    page.goto("/settings/tokens")
    page.fill("[name=name]", "notebook")
    page.click("button[value=make]")
    return page.locator("#secret").inner_text()


@pytest.mark.parametrize(("language", "width"), EVERYWHERE)
def test_commands_on_the_submit_page_are_whole_and_copied(
    windows: Windows, language: str, width: int
) -> None:
    page = windows.open(who="alice", language=language, width=width)
    page.goto(SUBMIT)
    unfold(page)
    assert page.locator(".cli pre").evaluate_all(IS_CUT) == []
    assert sideways(page) <= 0
    ready, submit, notebook = copied(page)
    assert ready.splitlines() == [
        f"curl -o leaderboard_client.py {windows.demo.url}/cli",
        "python3 leaderboard_client.py login",
    ]
    assert re.search(r' submit predictions\.csv -c daily-dialogue -m "[^"]+" --wait$', submit)
    assert notebook.startswith("from leaderboard_client import submit\n")
    assert len(notebook.splitlines()) == 3
    links = {one.get_attribute("href") for one in page.locator("#terminal a").all()}
    assert {"/settings/tokens", "/cli", "/api"} <= links
    assert violations(page) == []
    forget_axe(windows)


@pytest.mark.parametrize(("language", "width"), [("ko", 360), ("en", 1440)])
def test_a_new_token_is_copied_and_so_is_what_comes_next(
    windows: Windows, language: str, width: int
) -> None:
    page = windows.open(who="bob", language=language, width=width)
    secret = new_token(page)
    assert page.locator(".cli pre").evaluate_all(IS_CUT) == []
    assert sideways(page) <= 0
    token, commands = copied(page)
    assert token == secret
    assert commands.endswith(f"leaderboard_client.py login --server {windows.demo.url}")
    assert violations(page) == []
    forget_axe(windows)


def test_the_first_call_runs_as_it_is_copied(windows: Windows, tmp_path: Path) -> None:
    page = windows.open(who="bob", width=360)
    secret = new_token(page)
    (tmp_path / "predictions.csv").write_bytes(page.request.get(SAMPLE).body())
    page.goto("/api")
    lines = "\n".join(copied(page)).replace("slb_…", secret).replace("=talk", "=daily-dialogue")
    ran = subprocess.run(["sh", "-euc", lines], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    said = re.sub("}(?={|HTTP)", "}\n", ran.stdout)
    me, checked, sent, state, submission = map(json.loads, re.findall("^{.*}$", said, re.M))
    assert me["username"] == "bob"
    assert checked["ok"]
    assert sent["id"] == state["id"] == submission["id"]
    assert re.search("^etag: W/", said, re.M | re.I)
    assert (tmp_path / "etag").read_text().startswith("W/")


def test_operations_are_shown_under_the_policy_of_the_pages(windows: Windows) -> None:
    page = windows.open(width=1440)
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.goto("/api/v1/docs")
    expect(page.locator("#operations-submissions-submit")).to_be_visible()
    page.locator("#operations-submissions-submit button").first.click()
    expect(page.locator("#operations-submissions-submit")).to_contain_text("Idempotency-Key")
    assert {url for url in asked if not url.startswith((windows.demo.url, "data:"))} == set()


def test_without_a_script_the_commands_stand_there_without_a_button(windows: Windows) -> None:
    page = windows.open(who="alice", width=360, script=False)
    page.goto(SUBMIT)
    page.locator("#terminal > summary").click()
    expect(page.locator("#terminal pre")).to_have_count(3)
    for text in page.locator("#terminal pre").all():
        expect(text).to_be_visible()
    expect(page.locator("#terminal [data-copies]").first).to_be_hidden()
