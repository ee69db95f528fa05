"""The proxy of compose.yaml, as nginx reads its file: what it lets through, and what it adds."""

import contextlib
import json
import re
import signal
import ssl
import subprocess
from collections.abc import Iterator

import pytest
import yaml
from django.conf import settings

from tests.leaderboard.operations.echo_server import EchoServer, Reply, Wire, get, post
from tests.servers import ROOT, Server, SilentServer, free_port, need, wait_for

MEGABYTE = 1024 * 1024
pytestmark = pytest.mark.services


class Nginx(Server):
    """nginx with `nginx.conf`, in front of whatever listens on a port of this machine.

    `resolver`: the port of a server that knows where `web` is.
    """

    quick_stop = signal.SIGTERM

    def __init__(self, web: int, resolver: int | None = None) -> None:
        program, openssl = need("nginx", "nginx-light"), need("openssl", "openssl")
        super().__init__("nginx")
        self.plain_port = free_port()
        tls = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1"
        names = f"-keyout {self.folder}/privkey.pem -out {self.folder}/fullchain.pem"
        command = [openssl, *tls.split(), *names.split()]
        subprocess.run(command, check=True, capture_output=True)
        ours = (ROOT / "nginx.conf").read_text()
        for theirs, here in {
            "listen 80;": f"listen 127.0.0.1:{self.plain_port};",
            "listen 443 ssl;": f"listen 127.0.0.1:{self.port} ssl;",
            "/etc/nginx/tls/": f"{self.folder}/",
            "resolver 127.0.0.11": f"resolver 127.0.0.1:{resolver or 1}",
            "http://web:8000": f"http://{'web' if resolver else '127.0.0.1'}:{web}",
            "/var/log/nginx/": f"{self.folder}/",
        }.items():
            assert theirs in ours
            ours = ours.replace(theirs, here)
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        folders = "\n".join(f"{kind}_temp_path {self.folder}/{kind};" for kind in kinds)
        file = self.folder / "nginx.conf"
        file.write_text(
            f"{'user root;' if self.folder.owner() == 'root' else ''}\n"
            f"daemon off; pid {self.folder}/pid; error_log stderr;\n"
            "events { worker_connections 2048; }\nhttp { gzip on;\n"  # as Debian's has it
            f"access_log {self.folder}/all.log; {folders}\n{ours} }}\n"
        )
        subprocess.run([program, "-t", "-q", "-c", file], check=True)
        self.daemon.command = [program, "-c", str(file)]
        self.start()

    def answers(self) -> bool:
        with contextlib.suppress(OSError), self.connect():
            return True
        return False

    def connect(self) -> Wire:
        wire = Wire(self.port)
        anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
        wire.socket = anybody.wrap_socket(wire.socket)
        return wire

    def ask(self, request: bytes) -> Reply:
        with self.connect() as wire:
            with contextlib.suppress(OSError):  # refused before all of it was sent
                wire.send(request)
            return wire.reply()


@pytest.fixture(scope="module")
def proxy() -> Iterator[Nginx]:
    """nginx before the product's gunicorn."""
    web = EchoServer()
    try:
        running = Nginx(web.port)
        yield running
        running.close()
    finally:
        web.close()


def test_what_a_client_says_of_itself_is_replaced(proxy: Nginx) -> None:
    said = proxy.ask(
        get(
            b"/desk",
            b"X-Forwarded-For: 6.6.6.6",
            b"X-Forwarded-Proto: http",
            b"X-Forwarded-Host: evil.example",
            b"Forwarded: for=6.6.6.6",
            b"SCRIPT_NAME: /desk",
            b"X-Request-ID: mine",
        )
    ).said
    assert (said["path"], said["script"], said["scheme"]) == ("/desk", "", "https")
    assert re.fullmatch("[0-9a-f]{32}", said["fields"].pop("HTTP_X_REQUEST_ID"))
    assert said["fields"] == {
        "HTTP_HOST": "127.0.0.1",
        "HTTP_X_FORWARDED_FOR": "127.0.0.1",
        "HTTP_X_FORWARDED_PROTO": "https",
    }


def test_the_answer_s_request_id_passes(proxy: Nginx) -> None:
    with proxy.connect() as wire:
        wire.send(get())
        assert b"X-Request-ID: the-answer-s\r\n" in wire.socket.recv(65536)


def test_no_answer_is_compressed(proxy: Nginx) -> None:
    """The length of what repeats a request would tell the secrets beside it (BREACH)."""
    with proxy.connect() as wire:
        wire.send(get(b"/", b"Accept-Encoding: gzip"))
        assert b"Content-Encoding" not in wire.socket.recv(65536)


def test_the_log_has_the_request_id_and_nothing_that_lets_in(proxy: Nginx) -> None:
    log = proxy.folder / "access.log"
    for path in (b"/accounts/password/link?token=of-alice", b"/join/a-code", b"/c/written/"):
        proxy.ask(get(path))
    wait_for(lambda: "/c/written/" in log.read_text(), 20, "written")
    assert (proxy.folder / "all.log").read_text() == "", "an outer one is not written beside ours"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    asked = {one["path"]: one for one in lines}
    assert {"/accounts/password/link", "/join/…", "/c/written/"} <= asked.keys()
    assert not re.search("of-alice|a-code", log.read_text())
    assert re.fullmatch("[0-9a-f]{32}", asked["/c/written/"]["request"])


def test_http_leads_to_https(proxy: Nginx) -> None:
    with Wire(proxy.plain_port) as wire:
        wire.send(get(b"/c/a?b"))
        head = wire.socket.recv(65536)
    assert head.startswith(b"HTTP/1.1 301 ")
    assert b"\r\nLocation: https://127.0.0.1/c/a?b\r\n" in head


@pytest.mark.parametrize("path", [b"/c/news/desk/golds", b"/c/news/desk/data", b"/contests/import"])
def test_only_organizers_addresses_take_large_bodies(proxy: Nginx, path: bytes) -> None:
    large = b"x" * (8 * MEGABYTE)
    assert proxy.ask(post(large, path=path)).said["size"] == len(large)
    too_large = post(b"", path=path).replace(b"Length: 0", b"Length: %d" % (201 * MEGABYTE))
    assert proxy.ask(too_large).status == 413


@pytest.mark.parametrize("path", [b"/", b"/c/news/submit", b"/accounts/login/", b"/c/desk/submit"])
def test_everything_else_takes_a_file_of_predictions_at_most(proxy: Nginx, path: bytes) -> None:
    largest = b"x" * (5 * MEGABYTE)
    assert proxy.ask(post(largest, path=path)).said["size"] == len(largest)
    head = b"POST " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    assert proxy.ask(head + b"Content-Length: %d\r\n\r\n" % (7 * MEGABYTE)).status == 413
    chunks = b"100000\r\n" + b"x" * MEGABYTE + b"\r\n"
    endless = head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks * 7
    assert proxy.ask(endless).status == 413


def test_nothing_half_sent_reaches_the_web_server_and_no_address_too_often() -> None:
    limit = int(re.findall(r"limit_conn address (\d+);", (ROOT / "nginx.conf").read_text())[0])
    assert limit >= 300, "a campus behind one address uploads in the last minute"
    with SilentServer() as web, contextlib.ExitStack() as stack:
        stack.callback((proxy := Nginx(web.port)).close)
        halves = [stack.enter_context(proxy.connect()) for _ in range(40)]
        for wire in halves:
            wire.send(post(b"x" * 100_000)[:-1])
        others = [stack.enter_context(proxy.connect()) for _ in range(limit - 40)]
        for wire in others:
            wire.send(get())
        wait_for(lambda: web.connections == limit - 40, 20, "the whole ones there")
        assert proxy.ask(get()).status == 429
        for wire in halves:
            wire.send(b"x")
        wait_for(lambda: web.connections == limit, 20, "all there")
        silent = stack.enter_context(proxy.connect())
        slow = stack.enter_context(proxy.connect())
        slow.send(get()[:-2])
        assert 9 < slow.closed_after() < 25
        assert 9 < silent.closed_after() < 25


def test_while_nobody_answers_a_page_of_ours_does(proxy: Nginx) -> None:
    """With what a client needs to come back; an answer of the pages is never replaced."""
    nobody = Nginx(free_port())
    try:
        for request in (get(b"/c/news/"), post(b"x" * 100_000, path=b"/c/news/submit")):
            with nobody.connect() as wire:
                wire.send(request)
                head, _, body = wire.socket.recv(65536).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 503 ")
            assert b"\r\nRetry-After: 10\r\n" in head
            assert b"text/html; charset=utf-8" in head
            text = body.decode()
            assert "다시 시작하고 있습니다" in text
            assert "is restarting" in text
            assert not re.search("https?:|src=|nginx", text)
    finally:
        nobody.close()


def test_database_connections_of_the_default_stack_stay_below_eighty() -> None:
    """PostgreSQL's default is 100, some of them for its administrator and for commands."""
    text = (ROOT / "compose.yaml").read_text()
    web = yaml.safe_load(text)["services"]["web"]["deploy"]["replicas"]
    assert web >= 2
    gunicorn = (ROOT / "gunicorn.conf.py").read_text()
    threads = int(re.findall(r"WEB_THREADS:-(\d+)}", text)[0])
    processes = int(re.findall(r'"WEB_WORKERS", "(\d+)"', gunicorn)[0])
    children = settings.CELERY_WORKER_CONCURRENCY
    # A thread for signs beside those of the pages; of a child its task, its polling and its signs;
    # of the sweeper its round, webhooks (8), mails, alarms and a sign.
    most = web * processes * (threads + 1) + children * 3 + 1 + 12 + 1
    assert f"{most} at most" in text
    assert most < 80


def test_compose_puts_the_file_where_nginx_looks_and_publishes_nothing_else() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert "./nginx.conf:/etc/nginx/conf.d/default.conf:ro" in services["proxy"]["volumes"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
