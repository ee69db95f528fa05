"""What slow, silent and stubborn clients cost everybody else: nothing; and how they end."""

import contextlib
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from leaderboard.operations.web_clients import (
    FAVOUR_SECONDS,
    HEAD_SECONDS,
    MOST_PATIENCE_SECONDS,
    PATIENCE_SECONDS,
    SMALL_BODY_BYTES,
)
from leaderboard.operations.web_worker import SLOW_ONES_OF_AN_ADDRESS
from tests.leaderboard.operations.echo_server import EchoServer, Wire, get, post
from tests.servers import wait_for

THREADS = 8  # of gunicorn.conf.py
FILE = b"0123456789abcde\n" * 312_500  # 5,000,000 bytes
# So much of a large body is read ahead; one byte more is what its thread begins to wait after.
BEGUN = post(FILE)[: SMALL_BODY_BYTES + 1000]
# What the machine that runs the tests may need on top.
SLACK = 15


@pytest.fixture(scope="module")
def server() -> Iterator[EchoServer]:
    running = EchoServer()
    yield running
    running.close()


@contextlib.contextmanager
def many(
    server: EchoServer,
    number: int,
    data: bytes,
    address: str = "127.0.0.1",
    read: int | None = None,
) -> Iterator[list[Wire]]:
    """So many connections that have sent `data` and stay silent."""
    with contextlib.ExitStack() as stack:
        wires = []
        for _ in range(number):
            wire = stack.enter_context(Wire(server.port, address, receive=read))
            wires.append(wire)
            if data:
                wire.send(data)
        yield wires


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET / HTTP/1.1\r\nX-Slow: ",
        post(b"x" * 2000)[:-1],
        BEGUN,
        post(FILE, b"Expect: 100-continue").split(b"x")[0],
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
    ],
    ids=["silent", "head", "small-body", "large-body", "asks-first", "chunks"],
)
def test_clients_that_stop_in_between_hold_up_nobody(server: EchoServer, data: bytes) -> None:
    with many(server, 4 * THREADS, data):
        # Less than the first of them is given, so that none has just been closed.
        assert server.ask(get()).seconds < PATIENCE_SECONDS


@pytest.mark.faults
def test_who_says_nothing_more_is_closed_in_time(server: EchoServer) -> None:
    with (
        many(server, 1, b"") as silent,
        many(server, 1, b"GET / HTTP/1.1\r\nX-Slow: ") as head,
        many(server, 1, post(b"x" * 2000)[:-1]) as small,
        many(server, 1, BEGUN) as large,
        many(server, 1, get()) as kept,
    ):
        kept[0].reply()
        assert PATIENCE_SECONDS <= small[0].closed_after() < PATIENCE_SECONDS + SLACK
        assert PATIENCE_SECONDS <= large[0].closed_after() < PATIENCE_SECONDS + SLACK
        assert 5 <= kept[0].closed_after() < 5 + SLACK  # gunicorn.conf.py
        assert HEAD_SECONDS <= silent[0].closed_after() < HEAD_SECONDS + SLACK
        assert HEAD_SECONDS <= head[0].closed_after() < HEAD_SECONDS + SLACK


@pytest.mark.faults
def test_a_slow_body_that_keeps_coming_is_read_to_its_end(server: EchoServer) -> None:
    """Above the least rate, nobody waits: longer than who stops is given."""
    body = b"x" * 30_000
    with server.connect() as wire:
        wire.send(post(body)[:-14_000])
        for _ in range(7):
            time.sleep(1)
            wire.send(b"x" * 2000)
        reply = wire.reply()
        assert (reply.said["size"], reply.seconds > PATIENCE_SECONDS) == (30_000, True)


@pytest.mark.faults
def test_answers_that_nobody_reads_hold_up_nobody(server: EchoServer) -> None:
    """A page fits into the kernel; who does not read a large file is cut for the next request."""
    with many(server, 4 * THREADS, get(b"/size?150000"), read=4096):
        assert server.ask(get()).seconds < PATIENCE_SECONDS
    with many(server, THREADS + 2, get(b"/size?50000000"), read=4096):
        assert server.ask(get()).seconds < SLACK


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_readers_that_come_again_hold_up_nobody(
    server: EchoServer, tmp_path: Path, kind: str
) -> None:
    """A file of any size, and a page that the kernel does not take whole, need no thread."""
    file = tmp_path / "file"
    file.write_bytes(FILE)
    asked = get(b"/file?" + bytes(file)) if kind == "file" else get(b"/size?600000")
    for _ in range(3):
        with many(server, 5 * THREADS, asked, "127.0.0.2", read=2048):
            took = [server.ask(get()).seconds for _ in range(5)]
            assert max(took) < FAVOUR_SECONDS / 2
            time.sleep(0.3)


@pytest.mark.faults
def test_a_slow_reader_gets_all_of_a_file_and_then_the_next_answer(
    server: EchoServer, tmp_path: Path
) -> None:
    """As slow as 100 KB a second, while forty others do not read at all."""
    file = tmp_path / "file"
    file.write_bytes(FILE[:1_000_000])
    asked = get(b"/file?" + bytes(file))
    with (
        many(server, 5 * THREADS, asked, "127.0.0.2", read=2048),
        Wire(server.port, "127.0.0.3", receive=16_384) as wire,
    ):
        wire.send(asked + get(b"/next"))
        for _ in range(90):
            wire.unread += wire.socket.recv(10_000, socket.MSG_WAITALL)
            time.sleep(0.1)
        assert wire.reply().body == FILE[:1_000_000]
        assert wire.reply().said["path"] == "/next"


@pytest.mark.faults
def test_one_address_has_few_slow_readers(server: EchoServer, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(FILE)
    asked = get(b"/file?" + bytes(file))
    number = SLOW_ONES_OF_AN_ADDRESS + 6
    with (
        many(server, number, asked, "127.0.0.2", read=2048) as stranger,
        many(server, 1, asked, "127.0.0.3", read=2048) as other,
    ):
        closed = lambda: sum(has_hung_up(wire) for wire in stranger)  # noqa: E731
        wait_for(lambda: closed() >= 6, MOST_PATIENCE_SECONDS - 0.5, "six closed")
        assert (closed(), has_hung_up(other[0])) == (6, False)


def has_hung_up(wire: Wire) -> bool:
    """Whether the server closed a connection of which the client has not read everything."""
    state = wire.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
    return state[0] != 1  # TCP_ESTABLISHED


def test_clients_that_do_not_close_after_the_last_answer_hold_up_nobody(server: EchoServer) -> None:
    with many(server, 4 * THREADS, get(b"/", b"Connection: close")) as wires:
        for wire in wires:
            assert wire.reply().seconds < SLACK
        assert server.ask(get()).seconds < PATIENCE_SECONDS


@pytest.mark.faults
def test_uploads_pass_by_those_that_stopped(server: EchoServer) -> None:
    """All places are taken by the slow: they are closed for the next, without waiting for more."""
    with (
        many(server, 3 * THREADS, BEGUN),
        ThreadPoolExecutor(THREADS) as pool,
    ):
        time.sleep(FAVOUR_SECONDS / 2)
        asked = [pool.submit(server.ask, post(FILE)) for _ in range(THREADS)]
        assert server.ask(get()).seconds < PATIENCE_SECONDS
        said = [one.result().said for one in asked]
    assert [each["size"] for each in said] == [len(FILE)] * THREADS
    # What the deadline asks: when they came, not when their turn came.
    assert all(FAVOUR_SECONDS / 2 < each["waited"] < 60 for each in said)


def test_one_address_has_few_slow_bodies_and_a_proxy_any_number(server: EchoServer) -> None:
    begun = post(b"x" * 2000)[:-1]
    number = SLOW_ONES_OF_AN_ADDRESS + 6
    with (
        many(server, number, begun, "127.0.0.2") as stranger,
        many(server, number, begun, "127.0.0.1") as proxy,
        many(server, 1, begun, "127.0.0.3") as other,
    ):
        closed = lambda: sum(not wire.is_open() for wire in stranger)  # noqa: E731
        wait_for(lambda: closed() == 6, PATIENCE_SECONDS - 0.5, "six closed")
        assert all(wire.is_open() for wire in (*proxy, *other))
        open_ones = [wire for wire in stranger if wire.is_open()]
        for wire in (*open_ones, *proxy, *other):
            wire.send(b"x")
            assert wire.reply().said["size"] == 2000


def test_more_connections_than_there_is_room_for(server: EchoServer) -> None:
    """The oldest of those that have said nothing make room: 500 in gunicorn.conf.py."""
    with many(server, 600, b"") as wires:
        assert server.ask(get()).seconds < HEAD_SECONDS - 1
        assert not wires[0].is_open()
        assert wires[-1].is_open()
