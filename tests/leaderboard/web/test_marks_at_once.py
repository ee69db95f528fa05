"""A million combining marks in a text, eight times at once: everybody is answered meanwhile.

Against a real web server. Python's own normal forms need half an hour for such a text, and no
thread of the process answers before they end.
"""

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urldefrag

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from leaderboard.web.uploads import FIELD_CHARACTERS
from tests.leaderboard import builders
from tests.leaderboard.api.calling import token
from tests.leaderboard.web.addresses import address, known_values, url_list
from tests.leaderboard.web.expectations import TABLE
from tests.leaderboard.web.forms_of import forms_of
from tests.leaderboard.web.pages import running
from tests.leaderboard.web.stage import build, clients
from tests.stack import Stack

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 8
EDGE = "edge"
SECRET = "c" * 32  # a CSRF token is any secret that cookie and header share
MARKS = "\u0301\u0323"  # out of order, so that they have to be sorted
# What the promise names; what a form without a file may hold; what one of its fields may.
LENGTHS = (1_000_000, 480_000, FIELD_CHARACTERS)
FILE = "fname,summary\r\n"


@dataclass(frozen=True)
class Text:
    """A text that somebody sends: a field of a form with these others, or of a JSON object."""

    role: str
    where: str
    name: str
    others: Mapping[str, Any] = field(default_factory=dict)
    json_by: str = ""  # the method, of a JSON object

    def body(self, length: int) -> tuple[str, bytes]:
        """Its content type and its bytes."""
        sent = {**self.others, self.name: MARKS * (length // 2)}
        if self.json_by:
            return "application/json", json.dumps(sent, ensure_ascii=False).encode()
        head = f"--{EDGE}\r\nContent-Disposition: form-data; name="
        parts = [f'{head}"{name}"\r\n\r\n{value}\r\n' for name, value in sent.items()]
        parts.append(f'{head}"file"; filename="p.csv"\r\n\r\n{FILE}\r\n--{EDGE}--\r\n')
        return f"multipart/form-data; boundary={EDGE}", "".join(parts).encode()


def of_contest(slug: str) -> Iterator[Text]:
    """One text of each kind of place: pages and API."""
    contest, api = f"/c/{slug}", f"/api/v1/competitions/{slug}"
    yield Text("visitor", "/accounts/login/", "login", {"password": "x"})
    yield Text("visitor", "/accounts/signup/", "username", {"password1": "x", "password2": "x"})
    yield Text("charlie", f"{contest}/join", "team_name", {"verb": "join"})
    yield Text("alice", f"{contest}/team", "name", {"verb": "rename"})
    yield Text("alice", f"{contest}/team", "username", {"verb": "invite_person"})
    for button in ("start", "preview"):
        told = {"verb": button, "kind": "question", "title": "x"}
        yield Text("alice", f"{contest}/forum/new", "text", told)
    for name in ("note", "carried_name"):
        sent = {"key": "k", "carried": "Zm5hbWUsc3VtbWFyeQo=", "note": "x"}
        yield Text("alice", f"{contest}/submit", name, sent)
    yield Text("alice", f"{contest}/lab", "text", {"verb": "row", "row": "dev_1"})
    yield Text("olivia", f"{contest}/desk/people", "username", {"verb": "appoint"})
    yield Text("program", f"{api}/submissions", "note")
    yield Text("program", f"{api}/forum", "text", {"title": "x"}, json_by="POST")


def of_every_page() -> Iterator[Text]:
    """Every text of every form that people of all kinds see."""
    things = known_values(build())
    known: set[tuple[str, ...]] = set()
    for role in ("visitor", "charlie", "alice", "olivia", "sue"):
        browser = clients()[role]
        for listed in url_list():
            if listed.name not in TABLE or listed.name == "account_logout":
                continue
            page = browser.get(where := address(listed, things))
            if page.status_code != 200 or "text/html" not in page["Content-Type"]:
                continue
            for form in forms_of(page.text, where):
                form.fields.pop("csrfmiddlewaretoken", None)  # the head has it
                for key, value, elsewhere in form.buttons or [("", "", "")]:
                    others = {**form.fields, **({key: value} if key else {})}
                    # To hash passwords is as slow for short ones.
                    for name in (name for name in form.fields if "password" not in name):
                        kind = (urldefrag(elsewhere or form.action).url, key, value, name)
                        if kind not in known:
                            known.add(kind)
                            yield Text(role, kind[0], name, others)


@contextmanager
def web() -> Iterator[Stack]:
    """The web server over the database of the test."""
    database = connection.settings_dict
    url = f"sqlite:///{database['NAME']}"
    if connection.vendor == "postgresql":
        url = "postgres://{USER}@{HOST}:{PORT}/{NAME}".format(**database)
    env = {"DATABASE_URL": url, "SECRET_KEY": settings.SECRET_KEY}
    with Stack(env=env, only=("web",)) as stack:
        yield stack


def heads() -> dict[str, dict[str, str]]:
    """What says who asks, by role."""
    found = {"visitor": {"Cookie": f"csrftoken={SECRET}"}}
    for role in ("charlie", "alice", "olivia", "sue"):
        client = Client()
        client.force_login(builders.user(role), "django.contrib.auth.backends.ModelBackend")
        session = client.cookies["sessionid"].value
        found[role] = {"Cookie": f"csrftoken={SECRET}; sessionid={session}"}
    found["program"] = {"Authorization": f"Bearer {token('alice')}"}
    return found


@dataclass
class Waits:
    """Seconds until the last byte of each answer: of the texts, and of /livez meanwhile."""

    texts: list[tuple[float, int, Text]] = field(default_factory=list)
    livez: list[float] = field(default_factory=list)

    def alive(self, percent: float) -> float:
        """The wait for /livez that so many per cent had at most."""
        return sorted(self.livez)[int(len(self.livez) * percent / 100)]


def send(stack: Stack, texts: list[Text], length: int) -> Waits:
    """Send each text with so many marks, `AT_ONCE` at a time."""
    waits, who, is_over = Waits(), heads(), threading.Event()

    def ask(method: str, where: str, body: bytes | None, head: dict[str, str]) -> tuple[float, int]:
        begun = time.monotonic()
        server = http.client.HTTPConnection("127.0.0.1", stack.port, timeout=120)
        server.request(method, where, body, head)
        answer = server.getresponse()
        answer.read()
        server.close()
        return time.monotonic() - begun, answer.status

    def look() -> None:
        while not is_over.wait(0.05):
            waits.livez.append(ask("GET", "/livez", None, {})[0])

    def one(text: Text, sent: tuple[str, bytes]) -> None:
        kind, body = sent
        head = {"Content-Type": kind, "X-CSRFToken": SECRET, **who[text.role]}
        seconds, status = ask(text.json_by or "POST", text.where, body, head)
        waits.texts.append((seconds, status, text))

    with ThreadPoolExecutor(AT_ONCE + 1) as crowd:
        looking = crowd.submit(look)
        for begin in range(0, len(texts), AT_ONCE):
            few = texts[begin : begin + AT_ONCE]
            list(crowd.map(one, few, [text.body(length) for text in few]))
        is_over.set()
        looking.result()
    return waits


def check(
    texts: list[Text],
    *,
    seconds: float,
    lengths: Sequence[int] = LENGTHS,
    fileless: Set[str] = frozenset(),
) -> None:
    """Send all, in each length. `fileless`: pages of files, which this server does not have."""
    with web() as stack:
        send(stack, texts, 10)  # what a process reads and imports at its first request of a kind
        for length in lengths:
            waits = send(stack, texts, length)
            longest = max(waits.texts, key=lambda found: found[0])
            print(f"{len(texts)} texts of {length:,} marks: longest {longest},", end=" ")
            print(f"/livez p95 {waits.alive(95):.3f} s of {len(waits.livez)}")
            lost = {text.where for _, status, text in waits.texts if status >= 500}
            assert lost <= fileless
            assert longest[0] < seconds
            assert waits.alive(95) < seconds / 2


@pytest.mark.whole
def test_everybody_is_answered_while_eight_send_marks() -> None:
    contest = running()
    builders.team(contest, "alice")
    builders.user("charlie")
    builders.user("sue")
    # Whatever else the machine has to do.
    check([*of_contest(contest.slug)], seconds=10, lengths=(max(LENGTHS), min(LENGTHS)))


@pytest.mark.slow
def test_no_text_of_any_page_holds_others_up() -> None:
    """The bar is for a quiet machine of two processors."""
    texts = list(of_every_page())
    assert len(texts) > 150
    check(
        texts, seconds=1, fileless={text.where for text in texts if "/submissions/" in text.where}
    )
