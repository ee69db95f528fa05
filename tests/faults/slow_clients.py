"""Clients that hold connections open: bodies, heads and readers, byte by byte, for ever."""

import contextlib
import itertools
import select
import socket
import threading
import time
from typing import Self

# A sign-in form of 20 bytes, a file, a file in chunks, a file that is first asked for.
BODIES = ("Content-Length: 2000", "Content-Length: 5000000", "Transfer-Encoding: chunked")
ASKING = "Content-Length: 5000000\r\nExpect: 100-continue"
SECONDS_BETWEEN_BYTES = 1.0
# Enough of a large body that a server which reads ahead gives it a thread, and not a byte more.
AHEAD = b"x" * 20_000
# The largest public file; its readers take what the smallest buffer holds, and come again.
LARGE_FILE = "/static/admin/js/vendor/xregexp/xregexp.js"
SMALL_BUFFER_BYTES = 2048
SECONDS_OF_A_READER = 2.6


class SlowClients:
    """`bodies`, `heads` and `readers`: connections, opened again as soon as they are closed.

    Each body and head sends one byte a second; half of the large bodies begin with 20,000 bytes at
    once. The readers take nothing, and come again by themselves.
    """

    def __init__(self, port: int, *, bodies: int, heads: int, readers: int) -> None:
        self.port = port
        kinds = itertools.cycle((*BODIES, ASKING))
        self.openings = [
            f"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n{kind}\r\n\r\n".encode()
            + (AHEAD if "5000000" in kind and number % 8 < 4 else b"")
            for number, kind in zip(range(bodies), kinds, strict=False)
        ] + [b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "] * heads
        self.first_reader = len(self.openings)
        asking = f"GET {LARGE_FILE} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        self.openings += [asking.encode()] * readers
        self.connections: list[socket.socket | None] = [None] * len(self.openings)
        self.opened = [0.0] * len(self.openings)  # monotonic
        self.reconnected = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._attack, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        for connection in self.connections:
            if connection is not None:
                connection.close()

    def _attack(self) -> None:
        next_byte = time.monotonic()
        while not self._ended.wait(0.05):
            sends = time.monotonic() >= next_byte
            if sends:
                next_byte += SECONDS_BETWEEN_BYTES
            for number, opening in enumerate(self.openings):
                self._go_on(number, opening, sends)

    def _go_on(self, number: int, opening: bytes, sends: bool) -> None:
        connection = self.connections[number]
        try:
            reads = number >= self.first_reader
            if connection is None:
                connection = socket.socket()
                connection.settimeout(1)
                if reads:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER_BYTES)
                self.connections[number] = connection
                connection.connect(("127.0.0.1", self.port))
                connection.sendall(opening)
                self.opened[number] = time.monotonic()
            elif reads:
                if time.monotonic() - self.opened[number] > SECONDS_OF_A_READER:
                    raise ConnectionResetError
            elif select.select([connection], [], [], 0)[0] and not connection.recv(65536):
                raise ConnectionResetError
            elif sends:
                connection.sendall(b"x")
        except OSError:
            self.reconnected += 1
            self.connections[number] = None
            if connection is not None:
                with contextlib.suppress(OSError):
                    connection.close()
