"""One POST against real servers that answer, hang, refuse, die, lead elsewhere or never end."""

import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from leaderboard.outbox.outgoing import Answer, post

Handle = Callable[[socket.socket], None]
# For what may take as long as a busy machine likes, and for what is to be cut.
PATIENT, SECONDS = 30, 0.4


@contextmanager
def listening(handle: Handle) -> Iterator[int]:
    """A server that does this with each connection; its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=alone, args=(connection,), daemon=True).start()

        def alone(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                handle(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


def answering(*parts: bytes, pause: float = 0, heard: list[bytes] | None = None) -> Handle:
    def handle(connection: socket.socket) -> None:
        asked = b""
        while b"}" not in asked:  # what is left unread would be a reset
            asked += connection.recv(65_536)
        if heard is not None:
            heard.append(asked)
        for part in parts:
            connection.sendall(part)
            time.sleep(pause)

    return handle


def ask(port: int, **options: object) -> Answer:
    url = f"http://127.0.0.1:{port}/hooks/T0?a=b"
    given = {"allowed": [f"127.0.0.1:{port}"], "ports": (443,), "seconds": PATIENT, **options}
    return post(url, b'{"text": "x"}', {"Webhook-Id": "1"}, **given)  # type: ignore[arg-type]


def test_it_works() -> None:
    heard: list[bytes] = []
    with listening(answering(b"HTTP/1.1 204 No Content\r\n\r\n", heard=heard)) as port:
        assert ask(port) == Answer(204)
        assert ask(port).arrived
        assert not Answer(302).arrived
    head, body = heard[0].split(b"\r\n\r\n")
    assert head.startswith(b"POST /hooks/T0?a=b HTTP/1.1\r\n")
    assert f"Host: 127.0.0.1:{port}".encode() in head
    assert body == b'{"text": "x"}'


@pytest.mark.parametrize(
    ("handle", "expected"),
    [
        pytest.param(lambda connection: time.sleep(9), Answer(failure="timed_out"), id="hangs"),
        pytest.param(
            answering(*[b"H"] * 40, pause=0.05), Answer(failure="timed_out"), id="a byte a time"
        ),
        pytest.param(
            answering(b"HTTP/1.1 200 OK\r\n", *[b"a: b\r\n"] * 40, pause=0.05),
            Answer(failure="timed_out"),
            id="a header a time",
        ),
        pytest.param(lambda connection: None, Answer(failure="cut_off"), id="dies"),
        pytest.param(answering(b"SSH-2.0-x\r\n"), Answer(failure="no_http"), id="no http"),
        pytest.param(
            answering(b"HTTP/1.1 200 OK\r\na: " + b"b" * 200_000),
            Answer(failure="no_http"),
            id="endless header",
        ),
        pytest.param(
            answering(b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n"),
            Answer(200),
            id="endless body",
        ),
        pytest.param(
            answering(b"HTTP/1.1 500 No\r\nRetry-After: 99999999999999\r\n\r\n"),
            Answer(500),
            id="wait for ever",
        ),
        pytest.param(
            answering(b"HTTP/1.1 429 No\r\nRetry-After: 7\r\n\r\n"),
            Answer(429, retry_after=7),
            id="too many",
        ),
        pytest.param(
            answering(b"HTTP/1.1 410 Gone\r\n\r\n"), Answer(410, is_final=True), id="gone"
        ),
    ],
)
def test_whatever_is_at_the_other_end(handle: Handle, expected: Answer) -> None:
    cut = expected.failure == "timed_out"  # each of these goes on for longer
    with listening(handle) as port:
        assert ask(port, seconds=SECONDS if cut else PATIENT) == expected


def test_no_redirect_is_followed() -> None:
    heard: list[bytes] = []
    with listening(answering(b"HTTP/1.1 200 OK\r\n\r\n", heard=heard)) as secret:
        to = f"HTTP/1.1 307 Go\r\nLocation: http://127.0.0.1:{secret}/\r\n\r\n"
        with listening(answering(to.encode())) as port:
            assert ask(port, allowed=[f"127.0.0.1:{port}", f"127.0.0.1:{secret}"]) == Answer(307)
    assert heard == []


def test_a_name_is_looked_up_once_and_called_where_it_was_checked() -> None:
    """A second look could find an address inside; the Host is still the name's."""
    heard: list[bytes] = []
    asked: list[str] = []
    with listening(answering(b"HTTP/1.1 200 OK\r\n\r\n", heard=heard)) as port:

        def resolve(host: str, _: int) -> list[str]:
            asked.append(host)
            return ["127.0.0.1"]

        listed = [f"chat.example.org:{port}"]
        answer = post(
            f"http://chat.example.org:{port}/",
            b"{}",
            {},
            allowed=listed,
            ports=(443,),
            seconds=PATIENT,
            resolve=resolve,
        )
    assert answer == Answer(200)
    assert asked == ["chat.example.org"]
    assert f"Host: chat.example.org:{port}".encode() in heard[0]


def by_name(host: str, resolve: Callable[..., list[str]]) -> Answer:
    """Of a service that nobody allowed by its address."""
    limits = {"allowed": [], "ports": (443,), "seconds": SECONDS}
    return post(f"https://{host}/", b"{}", {}, resolve=resolve, **limits)


@pytest.mark.parametrize("ip", ["127.0.0.1", "::1", "169.254.169.254", "::ffff:10.0.0.1"])
def test_a_name_that_leads_inside_is_not_called(ip: str) -> None:
    answer = by_name("evil.example.org", lambda *_: [ip])
    assert answer == Answer(failure="address_not_allowed", is_final=True)


def test_a_certificate_of_somebody_else_is_refused_and_the_name_is_asked_for(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TLS to the checked address, with the name's SNI and certificate."""
    folder = tmp_path_factory.mktemp("tls")
    key, cert = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"),
            *("-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-keyout", str(key), "-out", str(cert), "-subj", "/CN=hooks.example.org"),
            *("-addext", "subjectAltName=DNS:hooks.example.org"),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    names: list[str | None] = []
    context.sni_callback = lambda _, name, __: names.append(name)  # type: ignore[assignment]

    def handle(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            answering(b"HTTP/1.1 200 OK\r\n\r\n")(secured)

    def to(name: str) -> Answer:
        return post(
            f"https://{name}:{port}/",
            b"{}",
            {},
            allowed=[f"{name}:{port}"],
            ports=(443,),
            seconds=5,
            resolve=lambda *_: ["127.0.0.1"],
        )

    with listening(handle) as port:
        assert to("hooks.example.org") == Answer(failure="certificate")
        monkeypatch.setenv("SSL_CERT_FILE", str(cert))
        assert to("hooks.example.org") == Answer(200)
        assert to("other.example.org") == Answer(failure="certificate")
    assert names == ["hooks.example.org", "hooks.example.org", "other.example.org"]
