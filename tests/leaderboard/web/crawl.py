"""Walking the site: every address the resolver knows, and every link on every page."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit
from uuid import UUID

from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests.leaderboard import builders
from tests.leaderboard.web.stage import GOLDS, POOR, Stage, undone

# --- Addresses -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Listed:
    """One entry of the URL list: its name (or its route, if nobody named it) and its route."""

    name: str
    route: str

    @property
    def family(self) -> str:
        """The row of expectations that it belongs to: the administrator's pages share one."""
        return "admin:*" if self.name.startswith("admin:") else self.name

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the variable parts of the address, from left to right."""
        return tuple(PARAMETER.findall(self.route.replace("?P<", "<")))


PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


def url_list(urlconf: Any = None) -> list[Listed]:
    """Every URL pattern of the project, namespaces and included lists walked through."""
    return list(_walk(get_resolver(urlconf).url_patterns, "", ""))


def _walk(patterns: Iterable[URLPattern | URLResolver], route: str, space: str) -> Iterator[Listed]:
    for pattern in patterns:
        here = route + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from _walk(pattern.url_patterns, here, inner)
        else:
            yield Listed(space + (pattern.name or here), here)


def address(listed: Listed, values: Mapping[str, object]) -> str:
    """The route with its parameters filled in. A parameter nobody knows is a KeyError."""
    if "object_id" in listed.parameters and "object_id" not in values:
        values = {**values, "object_id": _some_row(listed.route)}
    route = re.sub(r"\(\?P(<\w+>)[^)]*\)", r"\1", listed.route)
    filled = PARAMETER.sub(lambda found: str(values[found[1]]), route)
    return "/" + filled.replace("^", "").replace("$", "")


def _some_row(route: str) -> object:
    """The key of a row that a page of the administrator's is about; 1 where there is none."""
    app, model = route.split("/")[1:3]
    if (app, model) not in {(m._meta.app_label, m._meta.model_name) for m in apps.get_models()}:
        return 1
    row = apps.get_model(app, model)._default_manager.first()
    return row.pk if row else 1


def known_values(stage: Stage) -> dict[str, object]:
    """What the parameters stand for when somebody asks for things of the contest `talk`."""
    return {
        "slug": stage.contest.slug,
        "submission_id": stage.best.pk,
        "version_id": stage.draft.pk,
        "file_id": stage.data_file.pk,
        # Of the administrator's pages; `object_id` is filled in per table.
        "id": builders.user("alice").pk,
        "content_type_id": 1,
        "app_label": "competitions",
        "url": "nothing-here",
    }


def strange_values(stage: Stage) -> dict[str, dict[str, UUID]]:
    """The same parameters naming what is not theirs to see: another team's, contest's, nobody's."""
    nobody = UUID(int=7)
    return {
        "submission_id": {
            "another team's": stage.rivals.pk,
            "another contest's": stage.danas.pk,
            "nobody's": nobody,
        },
        "version_id": {"another contest's": stage.elsewhere_version.pk, "nobody's": nobody},
        "file_id": {"another contest's": stage.elsewhere_file.pk, "nobody's": nobody},
    }


def form_of(name: str, stage: Stage) -> dict[str, object]:
    """What a browser would send with a POST to this address when all is well."""
    forms: dict[str, dict[str, object]] = {
        "join": {"team_name": "새벽"},
        "submit": {"file": csv_file(), "key": "k" * 32, "note": "", "method_name": ""},
        "check": {"file": csv_file()},
        "note": {"note": "다시 봄", "method_name": "첫 줄"},
        "desk_golds": {
            "files": SimpleUploadedFile("golds.csv", builders.gold_csv(GOLDS)),
            "preset": "max-sum",
            "tokenizer": "mecab-ko",
        },
        "desk_teams": {"username": "bob", "team": str(stage.rivals.team_id)},
        "set_language": {"language": "en", "next": "/inbox"},
        "account_login": {"login": "alice", "password": "alice-secret"},
        "account_signup": {
            "username": "henry",
            "password1": "long-enough-7",
            "password2": "long-enough-7",
        },
    }
    return forms.get(name, {})


def csv_file(data: bytes | None = None, name: str = "predictions.csv") -> SimpleUploadedFile:
    """A file as a browser sends it."""
    content = data if data is not None else builders.prediction_csv(POOR)
    return SimpleUploadedFile(name, content, content_type="text/csv")


# --- Answers -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Page:
    """One answer: who asked for what, and all that came back."""

    role: str
    asked: str
    status: int
    headers: str
    body: bytes

    @property
    def text(self) -> str:
        """Everything that the asker could read, headers first."""
        return f"{self.status}\n{self.headers}\n\n{self.body.decode('utf-8', 'replace')}"

    @property
    def is_html(self) -> bool:
        return "Content-Type: text/html" in self.headers


@dataclass(frozen=True)
class Probe:
    """One request of the crawl. A fresh `form` is made for every sending."""

    address: str
    method: str = "GET"
    form: Any = None  # a function without arguments, since files are read only once
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> str:
        extra = " ".join(f"[{name}: {value}]" for name, value in self.headers.items())
        return f"{self.method} {self.address} {extra}".rstrip()


def send(role: str, browser: Client, probe: Probe) -> Page:
    """One request and its whole answer, with the database as it was afterwards."""
    data = probe.form() if probe.form else {}
    with undone(browser, probe.address):
        response = getattr(browser, probe.method.lower())(
            probe.address, data, headers=probe.headers
        )
        return Page(role, probe.asked, response.status_code, _headers(response), content(response))


def content(response: Any) -> bytes:
    """The body, also of a file that is streamed."""
    if response.streaming:
        return b"".join(response.streaming_content)
    return bytes(response.content)


def _headers(response: HttpResponseBase) -> str:
    lines = [f"{name}: {value}" for name, value in response.headers.items()]
    return "\n".join([*lines, response.cookies.output()])


LINK = re.compile(r'(?:href|src|action|hx-get|hx-post)="([^"]+)"')


def links(page: Page) -> Iterator[str]:
    """Addresses of this site that the page leads to, without fragments."""
    base = page.asked.split()[1]
    found = LINK.findall(page.text) if page.is_html else []
    for target in [*found, *re.findall(r"^Location: (.+)$", page.headers, re.M)]:
        parts = urlsplit(urljoin(f"http://testserver{base}", unescape(target)))
        if parts.netloc != "testserver" or parts.path.startswith("/static/"):
            continue
        if parts.path.startswith("/admin/") and parts.query:  # sort orders and filters
            continue
        yield parts.path + (f"?{parts.query}" if parts.query else "")


def crawl(role: str, browser: Client, probes: Sequence[Probe], *, at_most: int = 400) -> list[Page]:
    """These requests, then every link found on the way, each once, breadth first."""
    waiting = list(probes)
    seen = {probe.asked for probe in probes}
    pages: list[Page] = []
    while waiting:
        page = send(role, browser, waiting.pop(0))
        pages.append(page)
        for target in links(page):
            probe = Probe(target)
            if probe.asked not in seen:
                seen.add(probe.asked)
                waiting.append(probe)
        assert len(seen) <= at_most, f"{role} finds no end: {sorted(seen)[-3:]}"
    return pages


def every_address(stage: Stage) -> list[Probe]:
    """A GET for every entry of the URL list, with own and with strange things."""
    probes: dict[str, Probe] = {}
    known, strange = known_values(stage), strange_values(stage)
    for listed in url_list():
        variants = [known, {**known, "slug": stage.elsewhere.slug}]
        for parameter in set(listed.parameters) & set(strange):
            variants += [{**known, parameter: value} for value in strange[parameter].values()]
        for values in variants:
            probe = Probe(address(listed, values))
            probes[probe.asked] = probe
    return list(probes.values())


def errors_and_extras(stage: Stage) -> list[Probe]:
    """Wrong addresses, curious parameters, bad uploads, and the answers made for scripts."""
    contest = f"/c/{stage.contest.slug}"
    board, submit = f"{contest}/leaderboard", f"{contest}/submit"
    script = {"HX-Request": "true"}
    queries = ("board=private", "board=gold", "sort=private", "page=99", "q=%ED%96%87", "q=zz")
    bad = {
        "empty": b"",
        "no header": b"talk_1,x\n",
        "missing": b"fname,summary\ntalk_1,x\n",
        "unknown": b"fname,summary\ntalk_1,x\ntalk_9,<b>y</b>\n",
        "nul": b"fname,summary\ntalk_1,\0\n",
        "not text": b"PK\x03\x04\xff\xfe\x00",
    }
    probes = [Probe(f"{board}?{query}") for query in queries]
    probes += [Probe(f"{board}?board={name}", headers=script) for name in ("public", "private")]
    probes += [Probe(f"{board}?board=private", headers={"Accept-Language": "en"})]
    probes += [Probe(path) for path in ("/c/none/", f"{contest}/none", f"{contest}/submissions/7")]
    for page in ("progress", "file"):
        probes.append(Probe(f"{contest}/submissions/{stage.best.pk}/{page}", headers=script))
    for data in bad.values():
        for path in (f"{submit}/check", submit):
            probes.append(
                Probe(path, "POST", lambda data=data: {"file": csv_file(data), "key": "k"})
            )
    probes.append(Probe(f"{submit}/check", "POST", lambda: {"file": csv_file()}, script))
    probes += [
        Probe(address(listed, known_values(stage)), "POST", lambda n=listed.name: form_of(n, stage))
        for listed in url_list()
        if not listed.name.startswith(("admin:", "account_"))
    ]
    return probes


# --- What differs from request to request and says nothing ---------------------------------------

NOISE = (
    (re.compile(r'(name="csrfmiddlewaretoken" value=")[^"]*'), r"\1~"),
    (re.compile(r"(csrftoken|sessionid|messages)=[^;\n]*"), r"\1=~"),
    (re.compile(r"(expires=)[^;\n]*"), r"\1~"),
    (re.compile(r"(nonce[-=]\"?)[\w+/=-]{16,}"), r"\1~"),
    (re.compile(r"^(X-Request-ID: ).*$", re.M), r"\1~"),
    (re.compile(r'(name="key" value=")[^"]*'), r"\1~"),
    # How long the look at a file took.
    (re.compile(r"[\d.]+초(?= 만에 확인|</p></header>)"), "~초"),
    # The address of a submission that the request itself made.
    (re.compile(r"^(Location: /c/\w+/submissions/)[-0-9a-f]{36}$", re.M), r"\1~"),
)


def masked(page: Page) -> str:
    """The whole answer without tokens, nonces and clocks."""
    text = page.text
    for pattern, instead in NOISE:
        text = pattern.sub(instead, text)
    return text


def readable(text: str) -> str:
    """The answer as it would be read: entities and percent codes undone."""
    return unquote(unescape(text))
