"""Who holds a request open over the deadline reads the private scores first, and decides nothing.

By page and API: finals, files and withdrawals. A contest that reveals a second after its
close stands for those that do so after ten minutes; the other one reveals much later.
"""

import json
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.leaderboard.material import prediction_csv
from tests.stack import DATABASE, Stack

pytestmark = pytest.mark.faults
CSRF = "c" * 32  # any secret that cookie and header share
EDGE = "edge"
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Way:
    """One way to decide something: what is sent where."""

    method: str
    path: str
    kind: str
    body: bytes


def multipart(**fields: str) -> tuple[str, bytes]:
    """A form with a good file, more than a server reads ahead."""
    parts = [
        f'--{EDGE}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in {**fields, "padding": "x" * 40_000}.items()
    ]
    head = f'--{EDGE}\r\nContent-Disposition: form-data; name="file"; filename="p.csv"\r\n\r\n'
    end = f"\r\n--{EDGE}--\r\n".encode()
    body = "".join(parts).encode() + head.encode() + prediction_csv() + end
    return f"multipart/form-data; boundary={EDGE}", body


class Alice:
    """Her session, her token and her files, by raw sockets."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        made = stack.drive("faults.held", "prepare")
        self.files: dict[str, list[str]] = made["files"]
        self.session, self.token = made["session"], made["token"]

    def begin(self, way: Way, *, held: int) -> socket.socket:
        """Send the request but for the last `held` bytes of its body."""
        sock = socket.create_connection(("127.0.0.1", self.stack.port), timeout=60)
        head = (
            f"{way.method} {way.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.stack.port}\r\n"
            f"Connection: close\r\nContent-Type: {way.kind}\r\nContent-Length: {len(way.body)}\r\n"
        )
        if way.path.startswith("/api/"):
            head += f"Authorization: Bearer {self.token}\r\n\r\n"
        else:
            head += f"X-CSRFToken: {CSRF}\r\n"
            head += f"Cookie: csrftoken={CSRF}; sessionid={self.session}\r\n\r\n"
        sock.sendall(head.encode() + way.body[: len(way.body) - held])
        return sock

    def ways(self, slug: str) -> dict[str, Way]:
        """All that decides what counts."""
        first, second, waiting = self.files[slug]
        own, api = f"/c/{slug}/submissions", f"/api/v1/competitions/{slug}"
        finals = json.dumps({"submissions": [second]}).encode()
        return {
            "finals by page": Way("POST", f"{own}/{first}/final", FORM, b"final=on"),
            "finals by API": Way("PUT", f"{api}/finals", "application/json", finals),
            "withdrawal by page": Way("POST", f"{own}/{waiting}/cancel", FORM, b"sure=yes"),
            "file by page": Way("POST", f"/c/{slug}/submit", *multipart(key="of a page")),
            "file by API": Way("POST", f"{api}/submissions", "text/csv", prediction_csv()),
            "form by API": Way("POST", f"{api}/submissions", *multipart()),
        }


def answer(sock: socket.socket) -> int:
    """The status."""
    with sock, sock.makefile("rb") as read:
        return int(read.readline().split()[1])


@pytest.fixture
def alice() -> Iterator[Alice]:
    with Stack(only=("web",)) as stack:
        yield Alice(stack)


REVEALS = {"late": 0.2, "strict": 0.2, "slow": 600.0}  # seconds after the close
READ = 2.0  # until the server has read each request and waits for the lock
REVEALED = 0.5  # until the contests that reveal soon have done so


LATE = {
    "finals by page": 403,
    "finals by API": 403,
    "withdrawal by page": 409,
    "file by page": 302,
    "file by API": 201,
    "form by API": 201,
}
REFUSED = {way: 409 if "withdrawal" in way else 403 for way in LATE}
IN_TIME = {
    "finals by page": 302,
    "finals by API": 200,
    "withdrawal by page": 302,
    "file by page": 302,
    "file by API": 201,
    "form by API": 201,
}
BEFORE: dict[str, Any] = {"finals": [], "in_time": 3, "late": 0, "files": 3, "cancelled": 0}


def end(writer: sqlite3.Connection, *slugs: str) -> None:
    """Close these contests at this moment, within the transaction of this connection."""
    closes = timezone.now()
    for slug in slugs:
        dates = (closes, closes + timedelta(seconds=REVEALS[slug]))
        writer.execute(
            "UPDATE competitions_competition SET closes_at = ?, reveals_at = ? WHERE slug = ?",
            (*(date.strftime("%Y-%m-%d %H:%M:%S.%f") for date in dates), slug),
        )


def test_a_body_that_ends_after_the_reveal_decides_nothing(alice: Alice) -> None:
    ways = {slug: alice.ways(slug) for slug in ("late", "strict")}
    held = {
        slug: {name: alice.begin(way, held=1) for name, way in some.items()}
        for slug, some in ways.items()
    }
    with closing(sqlite3.connect(alice.stack.folder / DATABASE, isolation_level=None)) as writer:
        end(writer, *ways)
    time.sleep(REVEALED)
    statuses = {}
    for slug, some in held.items():
        for name, sock in some.items():
            sock.sendall(ways[slug][name].body[-1:])
        statuses[slug] = {name: answer(sock) for name, sock in some.items()}
    found = alice.stack.drive("faults.held", "found")
    assert statuses == {"late": LATE, "strict": REFUSED}
    assert found["late"] == BEFORE | {"late": 3, "files": 6}
    assert found["strict"] == BEFORE


def test_who_waits_for_a_lock_is_in_time_until_the_reveal_and_never_after_it(alice: Alice) -> None:
    statuses = {}
    with closing(sqlite3.connect(alice.stack.folder / DATABASE, isolation_level=None)) as writer:
        for slug in ("late", "slow"):  # one process has a thread for each of its requests
            ways = alice.ways(slug)
            writer.execute("BEGIN IMMEDIATE")
            sent = {name: alice.begin(way, held=0) for name, way in ways.items()}
            time.sleep(READ)
            end(writer, slug)
            time.sleep(REVEALED)
            writer.execute("COMMIT")
            statuses[slug] = {name: answer(sock) for name, sock in sent.items()}
    found = alice.stack.drive("faults.held", "found")
    assert statuses == {"late": LATE, "slow": IN_TIME}
    assert found["late"] == BEFORE | {"late": 3, "files": 6}
    ticked, named, _ = alice.files["slow"]
    # The API says which are final, a tick adds one: their order is the order of the lock.
    assert found["slow"].pop("finals") in ([named], sorted([ticked, named]))
    assert found["slow"] == {"in_time": 6, "late": 0, "files": 6, "cancelled": 1}
