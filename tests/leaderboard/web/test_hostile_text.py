"""What people write is shown as they wrote it, and does nothing. Nor does what they forge."""

import re
from html.parser import HTMLParser

import pytest
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.test import Client

from leaderboard.actions.data_files import add_data_file
from leaderboard.competitions.models import Competition
from leaderboard.submissions.intake import Upload
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team
from leaderboard.web.uploads import carried
from tests.leaderboard import builders
from tests.leaderboard.builders import OPENS
from tests.leaderboard.web.addresses import address, csv_file, known_values, url_list
from tests.leaderboard.web.crawl import (
    SCRIPT,
    Page,
    Probe,
    content,
    crawl,
    every_address,
    every_page,
    everything,
    exchange,
    send,
)
from tests.leaderboard.web.stage import Stage, clients

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:No directory at"),
]


def hostile(place: str) -> str:
    """Text that would run in a browser if it were not escaped; `place` says where it was put."""
    return f"<script>xss('{place}')</script>"


# Ends an attribute, then runs; and two that only a careless template language would run.
ATTRIBUTE = '"><img src=x onerror=xss(1)>'
TEMPLATE = "{{ 7|add:7 }}{% now 'Y' %}"
RULES = f"""# 룰

{hostile("rules")}

[press](javascript:xss(2)) [data](data:text/html,xss) <a href="#" onclick="xss(3)">here</a>

![spy](https://spy.example/p.png) <iframe src="https://spy.example"></iframe>
"""


class Reader(HTMLParser):
    """Reads a page as a browser would: what is text, and what would run or call elsewhere."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.shown: list[str] = []
        self.alive: list[str] = []
        self.feed(page.body.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.shown += given.values()
        if tag in ("img", "iframe", "object", "embed", "base", "style", "frame", "applet"):
            self.alive.append(f"<{tag}>")
        if tag == "script" and not given.get("src", "").startswith("/static/"):
            self.alive.append("<script>")
        for name, value in given.items():
            target = (
                value.strip().lower() if name in ("href", "src", "action", "formaction") else ""
            )
            if name.startswith("on") or name in ("style", "srcdoc"):
                self.alive.append(f"{name}=")
            if target.startswith(("javascript:", "data:", "vbscript:")) or "spy.example" in target:
                self.alive.append(f"{name}={value}")

    def handle_data(self, data: str) -> None:
        self.shown.append(data)


def alive(pages: list[Page]) -> list[str]:
    """Everything in these pages that would run or call elsewhere."""
    return [
        f"{page.role} {page.asked}: {thing}"
        for page in pages
        if page.is_html
        for thing in Reader(page).alive
    ]


def put_everywhere(stage: Stage) -> set[str]:
    """Write hostile text into everything that somebody can write, through the pages if possible."""
    Competition.objects.filter(pk=stage.contest.pk).update(
        title=hostile("title"),
        title_en=hostile("title_en"),
        introduction=hostile("introduction"),
        rules=RULES,
    )
    add_data_file(
        competition=stage.contest,
        user=builders.user("olivia"),
        upload=Upload(ATTRIBUTE, b"<script>xss(4)</script>"),
        description=hostile("description"),
        at=OPENS,
    )
    mallory = Client(raise_request_exception=False)
    mallory.force_login(builders.user(hostile("user")))
    joining = {"team_name": hostile("team"), "terms": "1", "accepted": "on"}
    assert mallory.post("/c/talk/join", joining).status_code == 302
    uploads = {"file": csv_file(name=hostile("file")), "key": "h", "method_name": hostile("method")}
    made = mallory.post("/c/talk/submit", {**uploads, "note": ATTRIBUTE + TEMPLATE})
    assert made.status_code == 302
    uploads = {"file": csv_file(name=hostile("file")), "key": "i", "note": ""}
    assert mallory.post("/c/talk/submit", uploads).status_code == 302
    builders.score_all()
    olivia = clients()["olivia"]
    golds = csv_file(builders.gold_csv(), name=hostile("golds"))
    drafted = {"files": golds, "preset": "max-sum", "tokenizer": "chars"}
    assert olivia.post("/c/talk/desk/golds", drafted).status_code == 302
    places = ("title", "title_en", "introduction", "rules", "description", "user", "team", "method")
    # `/` separates folders, so of a file's name only the end is kept.
    ends = {hostile(place).rpartition("/")[2] for place in ("file", "golds")}
    return {*map(hostile, places), ATTRIBUTE, TEMPLATE, *ends}


def answers_to_hostile_files(role: str, browser: Client) -> list[Page]:
    """The file check's answers to predictions that are hostile, well formed or not."""
    texts = {name: f"{hostile('summary')} {number}" for number, name in enumerate(builders.GOLDS)}
    good = builders.prediction_csv(texts)
    bad = good + f"{hostile('id')},<img src=x onerror=xss(1)>\n".encode()
    return [
        send(role, browser, Probe("/c/talk/submit/check", "POST", form, headers))
        for form in (lambda: {"file": csv_file(good)}, lambda: {"file": csv_file(bad)})
        for headers in ({}, SCRIPT)
    ]


@pytest.mark.crawl
@pytest.mark.parametrize(
    "roles",
    [
        pytest.param(("mallory", "olivia"), id="who writes and who decides"),
        pytest.param(("visitor", "charlie"), marks=pytest.mark.slow, id="who only reads"),
    ],
)
def test_hostile_text_is_shown_and_does_nothing(stage: Stage, roles: tuple[str, ...]) -> None:
    written = put_everywhere(stage)
    browsers = clients()
    mallory = Client(raise_request_exception=False)
    mallory.force_login(builders.user(hostile("user")))
    curious = [
        Probe("/c/talk/leaderboard", "GET", lambda: {"q": hostile("query")}),
        Probe("/c/talk/join", "GET", lambda: {"next": ATTRIBUTE}),
        Probe("/c/talk/desk/teams", "POST", lambda: {"username": hostile("name"), "team": "x"}),
    ]
    pages = answers_to_hostile_files("mallory", mallory)
    for role, browser in {"mallory": mallory, **browsers}.items():
        if role in roles:
            probes = [*every_address(stage, role), *curious]
            pages += crawl(role, browser, probes, beside="/admin/")
    assert alive(pages) == []
    if "olivia" not in roles:  # who sees all of it
        return
    shown = "\n".join(text for page in pages if page.is_html for text in Reader(page).shown)
    written |= {hostile("query"), hostile("summary"), hostile("name")}
    assert {text for text in written if text not in shown} == set()
    assert "javascript:xss(2)" in shown  # as the text that the organizer typed


def test_text_that_is_not_escaped_is_found(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.web.contest.board.render", _render_unescaped)
    Team.objects.filter(pk=stage.alices.pk).update(name=hostile("team"))
    page = send("visitor", Client(), Probe("/c/talk/leaderboard"))
    assert alive([page]) == ["visitor GET /c/talk/leaderboard: <script>"]
    for harm in ("<p onclick=x>", "<a href=' JavaScript:x'>", "<iframe>", "<p style='x'>"):
        assert Reader(Page("", "GET /", 200, "", harm.encode())).alive


def _render_unescaped(*_: object, **__: object) -> HttpResponse:
    return HttpResponse(Team.objects.get(name__contains="xss").name)


# --- Headers -------------------------------------------------------------------------------------

ALWAYS = (
    "X-Content-Type-Options: nosniff",
    "X-Frame-Options: DENY",
    "Referrer-Policy: same-origin",
    "Cross-Origin-Opener-Policy: same-origin",
)


@pytest.mark.crawl
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_answer_forbids_scripts_and_frames_from_elsewhere(
    stage: Stage, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alice tries everything; the others see each page once, or (`whole`) do the same."""
    browsers = clients()
    pages = [
        page
        for role in ("visitor", "alice", "olivia")
        for probe in (everything(stage, role) if whole or role == "alice" else every_page(stage))
        for page in exchange(role, browsers[role], probe)
    ]
    pages += [
        send("sue", browsers["sue"], probe)
        for probe in every_address(stage, "sue")
        if whole or probe.address.startswith("/admin/")
    ]
    pages += _rare_errors(monkeypatch)
    assert {200, 302, 400, 403, 404, 405, 413, 422, 429, 500} <= {page.status for page in pages}
    bare = [
        f"{page.role} {page.asked}"
        for page in pages
        if not all(line in page.headers for line in ALWAYS) or not _has_policy(page)
    ]
    assert bare == []


def _has_policy(page: Page) -> bool:
    policy = page.headers.partition("Content-Security-Policy: ")[2].partition("\n")[0]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";") if rule.strip())
    return (
        rules.get("default-src") == "'self'"
        and rules.get("object-src") == rules.get("base-uri") == "'none'"
        and rules.get("form-action") == "'self'"
        and "unsafe" not in policy
    )


def _rare_errors(patch: pytest.MonkeyPatch) -> list[Page]:
    """429 of the sign-in, a stale form, a broken request and an error of ours."""
    visitor = Client(raise_request_exception=False)
    strict = Client(enforce_csrf_checks=True)
    pages = [send("visitor", strict, Probe("/accounts/login/", "POST"))]
    for _ in range(6):  # one more than an account's password may be tried from one address
        answer = visitor.post("/accounts/login/", {"login": "alice", "password": "wrong"})
    headers = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
    pages.append(Page("visitor", "POST many", answer.status_code, headers, answer.content))
    for error in (BadRequest("broken"), RuntimeError("ours")):

        def broken(*_: object, error: Exception = error) -> None:
            raise error

        with patch.context() as once:
            once.setattr("leaderboard.web.find.competition", broken)
            pages.append(send("visitor", visitor, Probe("/c/talk/")))
    return pages


def test_downloads_are_saved_and_never_shown(stage: Stage) -> None:
    kinds = {
        "sample": "text/csv; charset=utf-8",
        "data_file": "application/octet-stream",
        "submission_file": "text/plain; charset=utf-8",
    }
    alice = clients()["alice"]
    values = known_values(stage)
    for listed in url_list():
        if listed.name in kinds:
            answer = alice.get(address(listed, values))
            content(answer)
            assert answer.headers["Content-Type"] == kinds[listed.name]
            assert answer.headers["Content-Disposition"].startswith("attachment; filename")
            assert answer.headers["X-Content-Type-Options"] == "nosniff"


FILE = builders.prediction_csv()
EVIL_NAMES = (
    "../../x.csv",
    "..\\..\\x.csv",
    "C:\\x\\y.csv",
    "a\0b.csv",
    "a\r\nSet-Cookie: b=c.csv",
    'a"; filename="b.html',
    "x.html",
    "\u202egpj.csv",
    "가" * 300,
    ".",
    "   ",
    "con.csv",
)


def test_evil_file_names_are_kept_out_of_paths_and_headers(stage: Stage) -> None:
    alice = clients()["alice"]
    Competition.objects.update(daily_limit=100)
    for name in EVIL_NAMES:
        # The second step without script takes any name, past Django's own cleaning of uploads.
        form = {"carried": carried(FILE), "carried_name": name, "key": ascii(name)[:64]}
        sent = alice.post("/c/talk/submit", form)
        if "\0" in name:  # no form may hold one
            assert sent.status_code == 400
            assert not Submission.objects.filter(key=ascii(name)[:64]).exists()
            continue
        where = sent.headers["Location"]
        made = Submission.objects.get(key=ascii(name)[:64])
        assert re.fullmatch(r"[-0-9a-f]{36}\.csv", str(made.file))
        assert not {"/", "\\", "\r", "\n", "\0", "\u202e"} & set(made.file_name)
        assert 0 < len(made.file_name) <= 120
        answer = alice.get(f"{where}/file")
        assert content(answer) == FILE
        assert answer.headers["Content-Disposition"].startswith("attachment; filename")
        assert "Set-Cookie" not in answer.headers
