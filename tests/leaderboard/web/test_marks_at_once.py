"""A million combining marks in a text, eight times at once: everybody is answered meanwhile.

Against a real web server. Python's own normal forms need half an hour for such a text, and no
thread of the process answers before they end. That nobody calls these a rule holds
(architecture/rules.py), that every text has an end test_text_lengths.
"""

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from leaderboard.web.uploads import FIELD_CHARACTERS
from tests.leaderboard import builders
from tests.leaderboard.api.calling import token
from tests.leaderboard.web.pages import running
from tests.stack import Stack

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 8
EDGE = "edge"
SECRET = "c" * 32  # a CSRF token is any secret that cookie and header share
MARKS = "\u0301\u0323"  # out of order, so that they have to be sorted
LENGTHS = (1_000_000, FIELD_CHARACTERS)  # what the promise names, what one field may hold
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
    yield Text("staff", f"{api}/announcements", "text", json_by="POST")


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
    for role in ("charlie", "alice", "olivia"):
        client = Client()
        client.force_login(builders.user(role), "django.contrib.auth.backends.ModelBackend")
        session = client.cookies["sessionid"].value
        found[role] = {"Cookie": f"csrftoken={SECRET}; sessionid={session}"}
    found["program"] = {"Authorization": f"Bearer {token('alice')}"}
    found["staff"] = {"Authorization": f"Bearer {token('olivia', 'organize')}"}
    return found


def send(stack: Stack, texts: list[Text], length: int) -> tuple[list[float], list[float]]:
    """Send each text with so many marks, `AT_ONCE` at a time: the seconds until the last byte of
    each answer, and of /livez meanwhile."""
    waits: list[float] = []
    livez: list[float] = []
    who, is_over = heads(), threading.Event()

    def ask(method: str, where: str, body: bytes | None, head: dict[str, str]) -> float:
        begun = time.monotonic()
        server = http.client.HTTPConnection("127.0.0.1", stack.port, timeout=120)
        server.request(method, where, body, head)
        answer = server.getresponse()
        answer.read()
        server.close()
        assert answer.status < 500, where
        return time.monotonic() - begun

    def look() -> None:
        while not is_over.wait(0.05):
            livez.append(ask("GET", "/livez", None, {}))

    def one(text: Text, sent: tuple[str, bytes]) -> None:
        kind, body = sent
        head = {"Content-Type": kind, "X-CSRFToken": SECRET, **who[text.role]}
        waits.append(ask(text.json_by or "POST", text.where, body, head))

    with ThreadPoolExecutor(AT_ONCE + 1) as crowd:
        looking = crowd.submit(look)
        for begin in range(0, len(texts), AT_ONCE):
            few = texts[begin : begin + AT_ONCE]
            list(crowd.map(one, few, [text.body(length) for text in few]))
        is_over.set()
        looking.result()
    return waits, livez


@pytest.mark.whole
def test_everybody_is_answered_while_eight_send_marks() -> None:
    """Within so long, whatever else the machine has to do."""
    contest = running()
    builders.team(contest, "alice")
    builders.user("charlie")
    texts = [*of_contest(contest.slug)]
    with web() as stack:
        send(stack, texts, 10)  # what a process reads and imports at its first request of a kind
        for length in LENGTHS:
            waits, livez = send(stack, texts, length)
            print(f"{length:,} marks: longest {max(waits):.2f} s, /livez {max(livez):.3f} s")
            assert max(waits) < 10
            assert sorted(livez)[int(len(livez) * 0.95)] < 5
