"""50 MB to every address, by people without a role: refused by the head, and written nowhere.

Against a real gunicorn, whose own counters in /proc say what it wrote and how large it grew.
"""

import contextlib
import itertools
import re
import select
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from tests.leaderboard import builders
from tests.leaderboard.web.addresses import address, known_values, url_list
from tests.leaderboard.web.stage import build
from tests.stack import Stack

pytestmark = [
    pytest.mark.crawl,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        not Path("/proc/self/io").exists(), reason="Linux counts in /proc what a process wrote"
    ),
]

BODY = 50_000_000
CHUNK = b"x" * 65_536
EDGE = "edge"
RIGHT = {302, 401, 403, 404, 405, 413}
TOKEN = "c" * 32  # a CSRF token is any secret that cookie and header share
KINDS = {
    "multipart": f"multipart/form-data; boundary={EDGE}",
    "form": "application/x-www-form-urlencoded",
    "raw": "application/octet-stream",
    "chunked": f"multipart/form-data; boundary={EDGE}",
}
BEGINS = {
    "multipart": f'--{EDGE}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n'
    f"{TOKEN}\r\n--{EDGE}\r\n"
    'Content-Disposition: form-data; name="file"; filename="big.csv"\r\n\r\n',
    "form": f"csrfmiddlewaretoken={TOKEN}&text=",
    "raw": "",
}


@dataclass(frozen=True)
class Used:
    """What the processes of a web server have written until now, and the most memory of one."""

    processes: frozenset[int]
    written: int
    memory: int


class Server:
    """The web processes of a stack, asked as somebody with or without a session."""

    def __init__(self, stack: Stack, sessions: dict[str, str]) -> None:
        self.stack = stack
        self.sessions = sessions

    def used(self) -> Used:
        pids = (self.stack.pid("web"), *self.stack.children("web"))
        return Used(
            frozenset(pids),
            sum(_number(f"/proc/{pid}/io", "wchar") for pid in pids),
            max(_number(f"/proc/{pid}/status", "VmHWM") * 1024 for pid in pids),
        )

    def knock(self, role: str, where: str, method: str) -> None:
        """The same request without a body or a token: what it costs in itself."""
        request = urllib.request.Request(self.stack.url + where, method=method)
        request.add_header("Cookie", self.sessions[role])
        with contextlib.suppress(urllib.error.HTTPError):
            urllib.request.urlopen(request, timeout=30).close()

    def send(self, role: str, where: str, kind: str, method: str) -> int:
        """The status that a body of 50 MB gets; sending stops as soon as there is an answer."""
        host = urlsplit(self.stack.url)
        length = "Transfer-Encoding: chunked" if kind == "chunked" else f"Content-Length: {BODY}"
        head = (
            f"{method} {where} HTTP/1.1\r\nHost: {host.netloc}\r\n{length}\r\n"
            f"Content-Type: {KINDS[kind]}\r\nX-CSRFToken: {TOKEN}\r\n"
            f"Cookie: csrftoken={TOKEN}; {self.sessions[role]}\r\n\r\n"
        )
        with socket.create_connection((host.hostname or "", host.port or 0), timeout=30) as sock:
            sock.sendall(head.encode())
            for part in body(kind):
                if select.select([sock], [], [], 0)[0]:
                    break
                try:
                    sock.sendall(part)
                except OSError:
                    break
            return int(sock.makefile("rb").readline().split()[1])


def body(kind: str) -> Iterator[bytes]:
    """50 MB, made while they are sent."""
    parts = itertools.chain(
        [BEGINS["multipart" if kind == "chunked" else kind].encode()],
        itertools.repeat(CHUNK, BODY // len(CHUNK) + 1),
    )
    if kind != "chunked":
        return parts
    return (f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in [*parts, b""])


def _number(file: str, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+)", Path(file).read_text(), re.M)
    assert found is not None
    return int(found[1])


@pytest.fixture
def server() -> Iterator[Server]:
    """gunicorn over the database of the test, with a contest that has everything."""
    database = connection.settings_dict
    url = f"sqlite:///{database['NAME']}"
    if connection.vendor == "postgresql":
        url = "postgres://{USER}@{HOST}:{PORT}/{NAME}".format(**database)
    env = {"DATABASE_URL": url, "SECRET_KEY": settings.SECRET_KEY}
    with Stack(env=env, only=("web",)) as stack:
        charlie = Client()
        charlie.force_login(builders.user("charlie"))
        session = f"sessionid={charlie.cookies['sessionid'].value}"
        yield Server(stack, {"visitor": "theme=dark", "charlie": session})


def walk(server: Server, kinds: Iterator[tuple[str, ...]], methods: tuple[str, ...]) -> int:
    """Every address by both; answers how many requests that were."""
    values = known_values(build())
    requests = [
        (role, listed, kind, method)
        for listed in url_list()
        for kind in next(kinds)
        for role, method in itertools.product(server.sessions, methods)
    ]
    with ThreadPoolExecutor(24) as crowd:  # so many that every thread of the server starts
        knocks = ((role, address(listed, values), method) for role, listed, _, method in requests)
        list(crowd.map(lambda knock: server.knock(*knock), knocks))
    before = server.used()
    wrong = []
    for role, listed, kind, method in requests:
        status = server.send(role, address(listed, values), kind, method)
        if status not in RIGHT:
            wrong.append(f"{method} {listed.name} {kind} by {role}: {status}")
    after = server.used()
    print(f"{len(requests)} requests, {after.written - before.written:,} bytes written,", end=" ")
    print(f"{(after.memory - before.memory) / 1e6:.1f} MB more memory")
    assert wrong == []
    assert after.processes == before.processes  # what another one wrote would not be counted
    assert after.written - before.written < 1_000_000
    assert after.memory - before.memory < 20_000_000
    return len(requests)


def test_no_address_reads_what_nobody_may_send(server: Server) -> None:
    alternately = itertools.cycle([("multipart", "chunked"), ("form", "multipart"), ("raw",)])
    assert walk(server, alternately, ("POST",)) > 2 * len(url_list())


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nor_any_kind_of_body_at_all(kind: str, server: Server) -> None:
    assert walk(server, itertools.repeat((kind,)), ("POST", "PUT")) == 4 * len(url_list())
