"""What is looked at in every answer of a crawl: each observer names what is wrong with one.

An observer gets the request, with what is right for it, and the answer. None of these promises
depends on which page it is, so a page that somebody adds is looked at without being listed.
"""

import codecs
from collections.abc import Callable, Iterable
from html.parser import HTMLParser

from tests.leaderboard.web import needles, private_posts
from tests.leaderboard.web.asks import PROBES, Ask
from tests.leaderboard.web.crawl import Page
from tests.leaderboard.web.parts import parts
from tests.leaderboard.web.stage import Stage, private_scores

Observer = Callable[[Ask, Page], Iterable[str]]

FORBIDS = (
    "X-Content-Type-Options: nosniff",
    "X-Frame-Options: DENY",
    "Referrer-Policy: same-origin",
    "Cross-Origin-Opener-Policy: same-origin",
)
PROBLEM = "Content-Type: application/problem+json"


def outcome(ask: Ask, page: Page) -> Iterable[str]:
    """Not what the table of roles and addresses says, or an error of ours."""
    found = page.outcome
    # `→admin:` stands for any page of the administrator's.
    is_right = not ask.right or any(
        one in (found, str(page.status)) or (one[-1] == ":" and found.startswith(one))
        for one in ask.right
    )
    if page.status >= 500 or not is_right:
        yield f"{found}, not {'/'.join(ask.right)}"
    if ask.name.startswith("api:") and (page.status >= 400) is not (PROBLEM in page.headers):
        yield f"{found} as {'no ' if page.status >= 400 else 'a '}problem"


def forbids_scripts(ask: Ask, page: Page) -> Iterable[str]:
    """No header forbids scripts and frames from elsewhere."""
    if ask.name in PROBES:  # answered before anybody looks
        return
    policy = page.headers.partition("Content-Security-Policy: ")[2].partition("\n")[0]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";") if rule.strip())
    if (
        rules.get("default-src") != "'self'"
        or not rules.get("object-src") == rules.get("base-uri") == "'none'"
        or rules.get("form-action") != "'self'"
        or "unsafe" in policy
        or not all(line in page.headers for line in FORBIDS)
    ):
        yield "forbids no scripts"


def keeps_to_its_session(ask: Ask, page: Page) -> Iterable[str]:
    """An answer within somebody's session may be kept by a proxy, or is compressed."""
    if ask.name in PROBES or (page.role == "visitor" and "sessionid=" not in page.headers):
        return
    said = page.headers.partition("Cache-Control: ")[2].partition("\n")[0]
    if not {word.strip() for word in said.split(",")} >= {"private", "no-store"}:
        yield f"may be kept: {said!r}"
    if "Content-Encoding" in page.headers:
        yield "is compressed"


def opens_in_excel(_: Ask, page: Page) -> Iterable[str]:
    """A CSV of ours without a BOM: Korean Excel garbles its letters."""
    is_csv = "Content-Type: text/csv" in page.headers and page.body  # nothing after a HEAD
    if is_csv and not page.body.startswith(codecs.BOM_UTF8):
        yield "a CSV without a BOM"


def secrets_of(stage: Stage, role: str) -> needles.Needles:
    """The private numbers that this role must not know: all, but Oscar runs the other contest."""
    rows = private_scores()
    if role == "oscar":
        rows = [row for row in rows if row.evaluation.submission_id != stage.danas.pk]
    more = (one for part in parts() for one in part.private_scores())
    return needles.of_scores([*rows, *more])


def leaks(stage: Stage, role: str) -> Observer:
    """Holds a gold, a private number, or words of what is private in the forum."""
    numbers = secrets_of(stage, role)
    secret = needles.Needles(numbers.texts | needles.GOLDS.texts, numbers.wholes)

    def look(_: Ask, page: Page) -> Iterable[str]:
        yield from needles.hits([page], secret)
        # Organizers read all of the forum, and the superuser the log of what was hidden.
        if role != "ada" and "/admin/" not in page.asked:
            yield from private_posts.found([page])

    return look


class Reader(HTMLParser):
    """Reads a page as a browser would: what is text, and what would run or call elsewhere."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.shown: list[str] = []
        self.alive: list[str] = []
        self.feed(page.body.decode(errors="replace"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.shown += given.values()
        if tag in ("img", "iframe", "object", "embed", "base", "style", "frame", "applet"):
            self.alive.append(f"<{tag}>")
        is_data = given.get("type") == "application/json"  # which no browser runs
        if tag == "script" and not (is_data or given.get("src", "").startswith("/static/")):
            self.alive.append("<script>")
        for name, value in given.items():
            leads = name in ("href", "src", "action", "formaction")
            target = value.strip().lower() if leads else ""
            if name.startswith("on") or name in ("style", "srcdoc"):
                self.alive.append(f"{name}=")
            calls = "spy.example" in target and (tag, name) != ("a", "href")  # followed by hand
            if target.startswith(("javascript:", "data:", "vbscript:")) or calls:
                self.alive.append(f"{name}={value}")

    def handle_data(self, data: str) -> None:
        self.shown.append(data)


def does_nothing(_: Ask, page: Page) -> Iterable[str]:
    """Something that people wrote would run or call elsewhere."""
    if page.is_html and "/admin/" not in page.asked:  # which has pictures and scripts of its own
        yield from Reader(page).alive


EVERYWHERE: tuple[Observer, ...] = (
    outcome,
    forbids_scripts,
    keeps_to_its_session,
    opens_in_excel,
    does_nothing,
)
