"""50 MB to every address, by people without a role: refused by the head, and written nowhere.

That each address refuses is asked in this process. That nothing is written or kept is asked of a
real gunicorn at a few addresses of each kind, by its own counters in /proc.
"""

import contextlib
import itertools
import re
import select
import socket
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from leaderboard.web.uploads import STRANGERS_BYTES
from tests.leaderboard import builders
from tests.leaderboard.web.addresses import Listed, address, known_values, url_list
from tests.leaderboard.web.stage import build
from tests.stack import Stack

pytestmark = pytest.mark.django_db(transaction=True)
counted = pytest.mark.skipif(
    not Path("/proc/self/io").exists(), reason="Linux counts in /proc what a process wrote"
)

BODY = 50_000_000
CHUNK = b"x" * 65_536
EDGE = "edge"
# Of each kind of page, and the widest upload.
SOME = ("home", "overview", "submit", "desk_golds", "account_login", "api:submissions")
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


def walk(server: Server, names: list[Listed], kinds: Iterable[str]) -> None:
    """These addresses by both people, by POST and PUT, with each kind of body."""
    values = known_values(build())
    requests = list(itertools.product(server.sessions, names, kinds, ("POST", "PUT")))
    with ThreadPoolExecutor(24) as crowd:  # so many that every thread of the server starts
        knocks = ((role, address(listed, values), how) for role, listed, _, how in requests)
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


@counted
@pytest.mark.crawl
def test_a_server_writes_and_keeps_nothing_of_it(server: Server) -> None:
    walk(server, [listed for listed in url_list() if listed.name in SOME], KINDS)


class Counting:
    """A body of 50 MB, which counts how much of it is read."""

    def __init__(self, kind: str) -> None:
        self.begin = BEGINS[kind].encode()
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        size = min(BODY if size < 0 else size, BODY - self.taken)
        part = (self.begin[self.taken :] + b"x" * size)[:size]
        self.taken += size
        return part

    readline = read


@pytest.mark.parametrize("role", ["visitor", "charlie"])
def test_no_address_reads_what_nobody_may_send(role: str) -> None:
    values, wrong = known_values(build()), []
    browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
    browser.cookies["csrftoken"] = TOKEN
    if role != "visitor":
        browser.force_login(builders.user(role))
    kinds = itertools.cycle(("multipart", "form", "raw"))
    for listed, kind in zip(url_list(), kinds, strict=False):
        sent = Counting(kind)
        answer = browser.generic(
            "POST",
            address(listed, values),
            headers={"x-csrftoken": TOKEN},
            **{"wsgi.input": sent, "CONTENT_LENGTH": str(BODY), "CONTENT_TYPE": KINDS[kind]},
        )
        if answer.status_code not in RIGHT or sent.taken > STRANGERS_BYTES + len(CHUNK):
            wrong.append(f"{listed.name} {kind}: {answer.status_code}, {sent.taken:,} read")
    assert wrong == []
