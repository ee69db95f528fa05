"""The web server's worker carries every request to the application exactly, whatever its pieces."""

import hashlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from leaderboard.operations.web_clients import SMALL_BODY_BYTES, Body
from tests.leaderboard.operations.echo_server import HOST, EchoServer, get, post
from tests.servers import ROOT, wait_for

FILE = b"0123456789abcde\n" * 312_500  # 5,000,000 bytes
SUM = hashlib.sha256(FILE).hexdigest()


@pytest.fixture(scope="module")
def server() -> Iterator[EchoServer]:
    running = EchoServer()
    yield running
    running.close()


def chunked(*chunks: bytes) -> bytes:
    body = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    return (
        b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n" + body + b"0\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("request_", "size"),
    [
        (get(), 0),
        (post(b""), 0),
        (post(b"a"), 1),
        (post(b"a" * SMALL_BODY_BYTES), SMALL_BODY_BYTES),
        (post(b"a" * (SMALL_BODY_BYTES + 1)), SMALL_BODY_BYTES + 1),
        (chunked(b"abc", b"\r\n\r\n", b"d"), 8),
        (chunked(b"a" * 100_000), 100_000),
        (b"\r\n" + get(), 0),  # RFC 9112, 2.2
    ],
    ids=["get", "empty", "one", "small", "large", "chunks", "large-chunk", "blank-line"],
)
@pytest.mark.parametrize("piece", [None, 7, 1000], ids=["whole", "by-seven", "by-thousand"])
def test_a_request_arrives_whole_in_any_pieces(
    server: EchoServer, request_: bytes, size: int, piece: int | None
) -> None:
    if piece is not None and len(request_) // piece > 100:
        piece = len(request_) // 100  # as small, in a time that can be waited for
    with server.connect() as wire:
        for _ in range(2):  # the connection stays
            wire.send(request_, piece=piece)
            assert wire.reply().said["size"] == size


def test_requests_sent_ahead_are_answered_in_their_order(server: EchoServer) -> None:
    requests = [
        post(b"first"),
        get(b"/second"),
        post(FILE[:100_000], path=b"/third"),
        chunked(b"four", b"th"),
        post(b"fifth", path=b"/fifth"),
    ]
    together = b"".join(requests)
    with server.connect() as wire:
        wire.send(together[:-3])
        replies = [wire.reply().said for _ in requests[:-1]]
        wire.send(together[-3:])
        replies.append(wire.reply().said)
    asked = [(said["path"], said["size"]) for said in replies]
    assert asked == [("/", 5), ("/second", 0), ("/third", 100_000), ("/", 6), ("/fifth", 5)]


def test_a_body_that_is_asked_for_first(server: EchoServer) -> None:
    head, body = post(FILE, b"Expect: 100-continue").split(b"\r\n\r\n")
    with server.connect() as wire:
        wire.send(head + b"\r\n\r\n")
        assert wire.reply().status == 100
        wire.send(body)
        assert wire.reply().said["sha256"] == SUM


def test_forty_files_of_one_address_at_once_are_all_taken(server: EchoServer) -> None:
    """A class at the deadline: proper bodies are not counted, from no proxy either."""
    with ThreadPoolExecutor(40) as pool:
        asked = [pool.submit(server.ask, post(FILE), "127.0.0.2") for _ in range(40)]
        said = [one.result().said for one in asked]
    assert [each["sha256"] for each in said] == [SUM] * 40
    assert {each["address"] for each in said} == {"127.0.0.2"}


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (get(b"/" + b"a" * 5000), 414),
        (get(b"/", *(b"X-%d: a" % n for n in range(60))), 431),
        (get(b"/", b"X-Long: " + b"a" * 9000), 431),
        (get(b"/", *(b"X-%d: " % n + b"a" * 6000 for n in range(3))), 431),
        (b"GET / HTTP/1.1\r\nX-Endless: " + b"a" * 40_000, 431),
        (b"GET / HTTP/1.1\nHost: a\n\n", 400),
        (post(b"a", b"Content-Length: 2"), 400),
        (post(b"a", b"Transfer-Encoding: chunked"), 400),
        (get(b"/", b"Content-Length: " + b"9" * 6000), 400),
        (get(b"/", b"Content-Length: -1"), 400),
        (get(b"/", b"User-Agent: a\0b"), 400),  # PostgreSQL takes no NUL: a session keeps this
        (b"nonsense\r\n\r\n", 400),
        (b"\r\n\r\n", 400),
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused_at_once(
    server: EchoServer, request_: bytes, status: int
) -> None:
    reply = server.ask(request_)
    assert (reply.status, reply.seconds < 5) == (status, True)


def test_who_says_that_no_more_comes_is_still_answered(server: EchoServer) -> None:
    with server.connect() as wire:
        wire.send(get(b"/sleep?0.5"))
        wire.socket.shutdown(socket.SHUT_WR)
        assert wire.reply().status == 200


@pytest.mark.parametrize("sent", [50, 300, 30_000, 4_999_000])
def test_a_body_that_ends_early_is_never_taken_for_whole(server: EchoServer, sent: int) -> None:
    with server.connect() as wire:
        wire.send(post(FILE)[:sent])
        wire.socket.shutdown(socket.SHUT_WR)
        with pytest.raises(ConnectionResetError):
            wire.reply()


def test_a_body_that_nobody_reads_is_no_next_request(server: EchoServer) -> None:
    hidden = get(b"/hidden")
    with server.connect() as wire:
        wire.send(post(hidden, path=b"/unread") + get(b"/next"))
        assert [wire.reply().said["path"] for _ in range(2)] == ["/unread", "/next"]
    with server.connect() as wire:
        wire.send(post(hidden * 10_000, path=b"/unread")[:200_000])
        assert wire.reply().said["path"] == "/unread"
        with pytest.raises(ConnectionResetError):
            wire.reply()


def test_large_answers_and_files_come_whole(server: EchoServer, tmp_path: Path) -> None:
    assert len(server.ask(get(b"/size?20000000")).body) == 20_000_000
    file = tmp_path / "file"
    file.write_bytes(FILE)
    reply = server.ask(get(b"/file?" + bytes(file)))
    assert hashlib.sha256(reply.body).hexdigest() == SUM


def test_no_client_names_a_part_of_the_path(server: EchoServer) -> None:
    """SCRIPT_NAME is left out even from a proxy: few of them take it from their clients."""
    fields = (b"SCRIPT_NAME: /desk", b"SCRIPT-NAME: /desk", b"PATH_INFO: /other", b"X_A: b")
    for address in ("127.0.0.1", "127.0.0.2"):
        said = server.ask(get(b"/desk/golds", *fields), address).said
        assert (said["script"], said["path"]) == ("", "/desk/golds")


def test_only_a_proxy_says_that_it_was_https_and_by_one_field(server: EchoServer) -> None:
    def scheme(field: bytes, address: str = "127.0.0.1") -> str:
        return str(server.ask(get(b"/", field), address).said["scheme"])

    assert scheme(b"X-Forwarded-Proto: https") == "https"
    assert scheme(b"X-Forwarded-Proto: https", "127.0.0.2") == "http"
    assert scheme(b"X-Forwarded-Ssl: on") == scheme(b"X-Forwarded-Protocol: ssl") == "http"


def test_a_stopping_server_finishes_what_it_was_asked() -> None:
    running = EchoServer()
    try:
        with running.connect() as silent, running.connect() as form, running.connect() as file:
            form.send(post(b"abc")[:-1])
            file.send(post(FILE)[:1_000_000])
            slept: list[int] = []
            asked = threading.Thread(
                target=lambda: slept.append(running.ask(get(b"/sleep?2")).status)
            )
            asked.start()
            time.sleep(0.5)
            running.send(signal.SIGTERM)
            time.sleep(0.5)
            form.send(b"c")
            file.send(post(FILE)[1_000_000:])
            assert file.reply().said["sha256"] == SUM
            assert form.reply().said["size"] == 3
            asked.join()
            assert slept == [200]
            assert silent.closed_after() < 10
        wait_for(lambda: not running.daemon.running(), 10, "the server's end")
    finally:
        running.close()


def test_protocols_that_the_poller_cannot_read_are_refused_at_the_start() -> None:
    for option in ("--certfile=LICENSE", "--proxy-protocol=v1"):
        command = [sys.executable, "-m", "gunicorn", option, "tests.leaderboard.operations.echo"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert "end at the proxy in front" in done.stderr


def test_what_a_head_announces() -> None:
    def of(*fields: bytes) -> tuple[float, int]:
        return tuple(Body.announced(b"\r\n".join((b"POST / HTTP/1.1", b"Host: a", *fields))))

    large, endless = 10 * SMALL_BODY_BYTES, float("inf")
    assert of() == (0, 0)
    assert of(b"X-Content-Length: 7") == (0, 0)
    assert of(b"content-LENGTH:7") == (7, 7)
    assert of(b"Content-Length: \t%d " % large) == (large, SMALL_BODY_BYTES)
    assert of(b"Transfer-Encoding: chunked") == (endless, SMALL_BODY_BYTES)
    for odd in (b"", b"-1", b"1 1", b"+1", b"9" * 5000, "２".encode()):
        assert of(b"Content-Length: " + odd) == (endless, 0)
    assert of(b"Content-Length: 7", b"Expect: 100-continue") == (endless, 0)
    assert of(b"Content-Length: 7", b"Transfer-Encoding: chunked") == (endless, 0)
