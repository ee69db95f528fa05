"""Walking the site: every address, every link on every page, and the errors between."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.apps import apps
from django.db import connection
from django.http import HttpResponseBase
from django.test import Client
from django.urls import resolve

from leaderboard.references.models import Example
from leaderboard.web.uploads import PREDICTIONS_BYTES
from tests.leaderboard.web.addresses import (
    WRONG_CODE,
    csv_file,
    form_of,
)
from tests.leaderboard.web.stage import Stage, own_pair, undone


@dataclass(frozen=True)
class Page:
    """One answer: who asked for what, and all that came back.

    `reads_secrets`: on the way to it a statement named one of `secret_tables`.
    """

    role: str
    asked: str
    status: int
    headers: str
    body: bytes
    reads_secrets: bool = False

    @property
    def text(self) -> str:
        """Everything that the asker could read, headers first."""
        return f"{self.status}\n{self.headers}\n\n{self.body.decode('utf-8', 'replace')}"

    @property
    def is_html(self) -> bool:
        return "Content-Type: text/html" in self.headers

    @property
    def address(self) -> str:
        return self.asked.split()[1]

    @property
    def outcome(self) -> str:
        """The status, or `→name` of the page that a redirect leads to."""
        target = LOCATION.search(self.headers)
        if 300 <= self.status < 400 and target:
            where = urlsplit(urljoin(f"http://testserver{self.address}", target[1]))
            return f"→{resolve(where.path).view_name}"
        return str(self.status)


@dataclass(frozen=True)
class Probe:
    """One request of the crawl. Its form is made for each sending, since files are read once.

    `kind` is its content type, if it is no form; `forged` asks for the CSRF token.
    """

    address: str
    method: str = "GET"
    form: Callable[[], dict[str, Any]] = dict
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = ""
    forged: bool = False

    @property
    def asked(self) -> str:
        extra = " ".join(f"[{name}: {value}]" for name, value in self.headers.items())
        return f"{self.method} {self.address} {extra}".rstrip()


# The one GET that writes for a person signed in: guesses are counted.
GUESS = f"/join/{WRONG_CODE}"

# --- Asking --------------------------------------------------------------------------------------

# Apps whose tables hold scores, what is made of them, or what is private in a forum.
SECRET = ("boards", "community", "evaluation", "insight", "judging")


@cache
def secret_tables() -> tuple[str, ...]:
    """The tables of these apps and that of the references."""
    models = [model for model in apps.get_models() if model._meta.app_label in SECRET]
    return (Example._meta.db_table, *(model._meta.db_table for model in models))


@contextmanager
def watched() -> Iterator[list[str]]:
    """The statements inside that name a secret table."""
    found: list[str] = []

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        found.extend([sql] if any(table in sql for table in secret_tables()) else [])
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        yield found


def exchange(role: str, browser: Client, probe: Probe) -> list[Page]:
    """The answer, and after a form the page that it leads to; then all is undone."""
    more: dict[str, Any] = {"content_type": probe.kind} if probe.kind else {}
    if form := probe.form():
        more["data"] = form
    browser.handler.enforce_csrf_checks = probe.forged
    with undone(browser), watched() as statements:
        response = getattr(browser, probe.method.lower())(
            probe.address, headers=probe.headers, **more
        )
        pages = [_page(role, probe.asked, response)]
        onward = next(links(pages[0]), "") if 300 <= response.status_code < 400 else ""
        if onward and probe.method == "POST":
            pages.append(_page(role, f"THEN {onward}", browser.get(onward)))
        return [replace(page, reads_secrets=bool(statements)) for page in pages]


def send(role: str, browser: Client, probe: Probe) -> Page:
    """The whole answer to one request, with the database as it was afterwards."""
    return exchange(role, browser, probe)[0]


def content(response: Any) -> bytes:
    """The body, also of a file that is streamed."""
    if response.streaming:
        return b"".join(response.streaming_content)
    return bytes(response.content)


def _page(role: str, asked: str, response: HttpResponseBase) -> Page:
    body = content(response)
    lines = [
        f"{name}: {value}"
        for name, value in response.headers.items()
        # A length may equal a stored number by chance, and a HEAD's says no more than its GET.
        if name != "Content-Length"
    ]
    headers = "\n".join([*lines, response.cookies.output()])
    return Page(role, asked, response.status_code, headers, body)


LINK = re.compile(r'(?:href|src|action|hx-get)="([^"]+)"')
LOCATION = re.compile(r"^Location: (.+)$", re.M)


def links(page: Page) -> Iterator[str]:
    """Addresses of this site that the page leads to, without fragments."""
    found = LINK.findall(page.text) if page.is_html else []
    for target in [*LOCATION.findall(page.headers), *found]:
        parts = urlsplit(urljoin(f"http://testserver{page.address}", unescape(target)))
        if parts.netloc != "testserver" or parts.path.startswith("/static/"):
            continue
        # Sort orders and filters there; here one sign-in page for each page that asks for it.
        if parts.path.startswith(("/admin/", "/accounts/")) and parts.query:
            continue
        # One order for all: `querystring` keeps the order in which a reader chose.
        query = "&".join(sorted(parts.query.split("&")))
        yield parts.path + (f"?{query}" if query else "")


# --- What to ask ---------------------------------------------------------------------------------


SCRIPT = {"HX-Request": "true"}
ENGLISH = {"Accept-Language": "en"}


def curious(stage: Stage) -> list[Probe]:
    """Parameters that no link has, wrong addresses, and the answers made for scripts."""
    contest = f"/c/{stage.contest.slug}"
    board = f"{contest}/leaderboard"
    queries = (
        "board=private",
        "board=gold",
        "sort=private",
        "sort=rouge1",
        "page=99",
        "q=%ED%96%87",
        "q=zz",
        "q=%22%3E%3Cscript%3Exss()%3C/script%3E",
    )
    wrong = ("/c/none/", f"{contest}/none", f"{contest}/submissions/7")
    own = f"{contest}/submissions/{stage.best.pk}"
    english = (board, own, f"{board}?board=private", f"{contest}/", f"{contest}/data")
    return [
        *(Probe(f"{board}?{query}") for query in queries),
        *(Probe(f"{board}?board={name}", headers=SCRIPT) for name in ("public", "private")),
        *(Probe(path) for path in wrong),
        *(Probe(path, headers=ENGLISH) for path in english),
        *(Probe(f"{contest}/reliability?board={name}") for name in ("private", "gold")),
        Probe(f"{contest}/shake-up?page=2"),
        Probe(f"{contest}/join?next=%22%3E%3Cimg+src=x%3E"),
        Probe(f"{contest}/submissions/compare?a={stage.best.pk}&b={stage.rivals.pk}"),
        Probe(own_pair(stage)),
        Probe(f"{own}/progress", headers=SCRIPT),
        Probe(board, headers={"If-None-Match": '"x"', "Range": "bytes=0-99"}),
    ]


HOSTILE = "<script>xss()</script><img src=x onerror=xss()>"
BAD_FILES = {
    "empty": b"",
    "without header": b"talk_1,x\n",
    "rows missing": b"fname,summary\ntalk_1,x\n",
    "unknown id": b"fname,summary\ntalk_1,x\ntalk_9,<b>y</b>\n",
    "NUL": b"fname,summary\ntalk_1,\0\n",
    "not text": b"PK\x03\x04\xff\xfe\x00",
    "hostile": f"fname,summary\ntalk_1,{HOSTILE}\n{HOSTILE},x\n".encode(),
    "too large": b"x" * (PREDICTIONS_BYTES + 100_000),
}


def bad_uploads(stage: Stage) -> list[Probe]:
    """Files that are refused, looked at and handed in, with and without script, or left out."""
    submit = f"/c/{stage.contest.slug}/submit"

    def form(data: bytes) -> dict[str, Any]:
        return {"file": csv_file(data), "key": "bad"}

    probes = [
        Probe(path, "POST", partial(form, data), headers)
        for data in BAD_FILES.values()
        for path, headers in ((f"{submit}/check", SCRIPT), (submit, {}))
    ]
    checked = Probe(f"{submit}/check", "POST", partial(form_of, "check", stage), SCRIPT)
    return [*probes, checked, Probe(submit, "POST", lambda: {"key": "bad"})]


# --- What differs from request to request and says nothing ---------------------------------------

NOISE = (
    (re.compile(r'(name="csrfmiddlewaretoken" value=")[^"]*'), r"\1~"),
    (re.compile(r"(csrftoken|sessionid|messages|device)=[^;\n]*"), r"\1=~"),
    (re.compile(r"(expires=|^Expires: )[^;\n]*", re.M), r"\1~"),
    (re.compile(r"(nonce[-=]\"?)[\w+/=-]{16,}"), r"\1~"),
    (re.compile(r"^(X-Request-ID: ).*$", re.M), r"\1~"),
    (re.compile(r'(name="key" value=")[^"]*'), r"\1~"),
    # When this crawl itself signed in.
    (re.compile(r"(로그인한 시각 ).*"), r"\1~"),
    (re.compile(r'("request": ")[^"]*'), r"\1~"),
    (re.compile(r'(<code id="secret">slb_)[^<]*'), r"\1~"),
    # How long the look at a file took.
    (re.compile(r"[\d.]+초(?= 만에 확인|</p></header>)"), "~초"),
)
# What a form has just made has an address that nobody could know before.
MADE = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def masked(page: Page) -> str:
    """The whole answer without tokens, nonces and clocks."""
    text = f"{page.asked}\n{page.text}"
    for pattern, instead in NOISE:
        text = pattern.sub(instead, text)
    return text if page.asked.startswith("GET") else MADE.sub("~", text)
