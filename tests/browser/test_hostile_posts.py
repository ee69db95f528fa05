"""What hostile people write in every field of the forum, in a real browser: nothing runs."""

import json
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Windows
from tests.browser.payloads import PAYLOADS

pytestmark = pytest.mark.browser

FORUM = "/c/daily-dialogue/forum"
# Through the actions, an hour apart: nobody could write so much at once.
WRITE = """
import json
from datetime import timedelta
from pathlib import Path
from django.utils import timezone
from leaderboard.accounts.models import RateCount, User
from leaderboard.actions import forum, moderation
from leaderboard.competitions.models import Competition

payloads = json.loads(Path({path!r}).read_text())
contest = Competition.objects.get(slug="daily-dialogue")
alice, bob, olivia = (User.objects.get(username=name) for name in ("alice", "bob", "olivia"))
at = timezone.now() - timedelta(hours=2 * len(payloads))
RateCount.objects.all().delete()  # a thread of another test today would count in every past hour
words = {{"kind": "talk", "title": "모두", "text": "모두", "at": at}}
whole = forum.start_thread(competition=contest, user=olivia, **words)
for payload in payloads:
    at += timedelta(hours=1)
    words = {{"title": payload, "text": payload, "at": at}}
    thread = forum.start_thread(competition=contest, user=alice, kind="question", **words)
    forum.report(post=thread.all_posts.get(), user=bob, reason=payload, at=at)
    forum.reply(thread=whole, user=alice, text=payload, at=at)
    hidden = forum.reply(thread=whole, user=alice, text=payload, at=at)
    moderation.hide_post(post=hidden, user=olivia, reason=payload, at=at)
edited = whole.all_posts.get(opens=True)
for payload in payloads[:40]:
    forum.edit_post(post=edited, user=olivia, title=payload, text=payload, at=at)
moderation.hide_thread(thread=thread, user=olivia, reason=payloads[0], at=at)
print("thread", whole.pk, "post", edited.pk, "hidden", thread.pk)
"""
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


def look(page: Page, address: str, found: list[str]) -> None:
    page.goto(address)
    found += [f"{address}: {thing}" for thing in page.evaluate(ALIVE)]


@pytest.mark.parametrize("each", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_nothing_runs_that_somebody_writes_in_the_forum(windows: Windows, each: int) -> None:
    """Posts are read with every text; of searches for them, one in `each` is looked at."""
    assert len(PAYLOADS) >= 80
    stack = windows.demo.stack
    path = stack.folder / "payloads.json"
    path.write_text(json.dumps(PAYLOADS))
    said = stack.manage("shell", "-c", WRITE.format(path=str(path))).split()
    whole, edited, hidden = (said[said.index(name) + 1] for name in ("thread", "post", "hidden"))
    found: list[str] = []
    for who in ("bob", "olivia"):
        page = windows.open(who=who)
        page.add_init_script(LISTEN)
        lists = -(-len(PAYLOADS) // 30) + 1
        posts = -(-(2 * len(PAYLOADS) + 1) // 20)
        for number in range(1, lists + 1):
            look(page, f"{FORUM}?page={number}", found)
        for number in range(1, posts + 1):
            look(page, f"{FORUM}/{whole}?page={number}", found)
        look(page, f"{FORUM}/{whole}/{edited}", found)
        look(page, "/inbox", found)
    for address in (f"{FORUM}/{hidden}", "/c/daily-dialogue/desk/forum"):
        look(page, address, found)
    look(page, "/c/daily-dialogue/desk/audit", found)
    page.goto("/c/daily-dialogue/desk/forum")
    for address in page.locator("#reports a").evaluate_all("all => all.map((one) => one.href)"):
        look(page, address, found)  # each thread's page and reason, as the one who decides sees it
    for payload in PAYLOADS[::each]:
        look(page, f"{FORUM}?q={quote(payload)}", found)
    assert found == []
