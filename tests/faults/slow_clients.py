"""Clients that hold connections open: bodies and heads that come byte by byte, for ever."""

import contextlib
import itertools
import select
import socket
import threading
import time
from types import TracebackType
from typing import Self

# A sign-in form of 20 bytes, a file, a file in chunks, a file that is first asked for.
BODIES = ("Content-Length: 2000", "Content-Length: 5000000", "Transfer-Encoding: chunked")
ASKING = "Content-Length: 5000000\r\nExpect: 100-continue"
SECONDS_BETWEEN_BYTES = 1.0
# Enough of a large body that a server which reads ahead gives it a thread, and not a byte more.
AHEAD = b"x" * 20_000


class SlowClients:
    """`bodies` and `heads` connections that are opened again as soon as they are closed.

    Each sends one byte a second; half of the large bodies begin with 20,000 bytes at once.
    """

    def __init__(self, port: int, *, bodies: int, heads: int) -> None:
        self.port = port
        kinds = itertools.cycle((*BODIES, ASKING))
        self.openings = [
            f"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n{kind}\r\n\r\n".encode()
            + (AHEAD if "5000000" in kind and number % 8 < 4 else b"")
            for number, kind in zip(range(bodies), kinds, strict=False)
        ] + [b"GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "] * heads
        self.connections: list[socket.socket | None] = [None] * len(self.openings)
        self.reconnected = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._attack, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
            if connection is None:
                connection = socket.create_connection(("127.0.0.1", self.port), timeout=1)
                self.connections[number] = connection
                connection.sendall(opening)
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
