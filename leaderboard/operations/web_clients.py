"""A client's connection: for its socket a thread waits only while the bytes move, and the poller
reads the head of its next request."""

import errno
import ipaddress
import math
import os
import re
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum, auto
from typing import Any, NamedTuple, TypeVar

from gunicorn.workers.gthread import TConn

T = TypeVar("T")

# Waiting for a client costs it seconds, and what moves gives them back, at one of two rates.
# Below the least one its patience ends: it begins with the first number and is never more than the
# second, so that a burst at the beginning buys no long silence.
LEAST_RATE = 1024
PATIENCE_SECONDS, MOST_PATIENCE_SECONDS = 5.0, 10.0
# Below the proper one it loses its thread where that is needed elsewhere, ...
PROPER_RATE = 16 * 1024
FAVOUR_SECONDS, MOST_FAVOUR_SECONDS = 2.0, 5.0
# ... and has a minute in all. What moves faster may take as long as it is large.
TOTAL_SECONDS = 60.0
# The kernel takes a whole page at once (it doubles this number), so that no thread waits until
# its reader has it.
SEND_BUFFER_BYTES = 256 * 1024
_FILE_BLOCK_BYTES = 256 * 1024
# What the kernel did not take of an answer waits without a thread: so much, or a file.
UNSENT_BYTES = 512 * 1024


@dataclass
class Pace:
    """The seconds that somebody may still wait for bytes that go one way."""

    patience: float = PATIENCE_SECONDS
    favour: float = FAVOUR_SECONDS
    total: float = TOTAL_SECONDS
    since: float | None = None  # monotonic: when the present wait began

    def begin(self) -> None:
        """Somebody waits from now on."""
        self.since = time.monotonic()

    def end(self) -> None:
        """Nobody waits any more."""
        waited = self._waiting(time.monotonic())
        self.patience, self.favour = self.patience - waited, self.favour - waited
        self.total, self.since = self.total - waited, None

    def move(self, size: int) -> None:
        """So many bytes came or went."""
        self.patience = min(self.patience + size / LEAST_RATE, MOST_PATIENCE_SECONDS)
        self.favour = min(self.favour + size / PROPER_RATE, MOST_FAVOUR_SECONDS)
        self.total += size / PROPER_RATE

    def left(self, now: float) -> float:
        """Seconds until the connection is closed, if nothing moves meanwhile."""
        return min(self.patience, self.total) - self._waiting(now)

    def favour_left(self, now: float) -> float:
        """Seconds until it must make room for others; infinite where nobody waits for it."""
        return math.inf if self.since is None else self.favour - self._waiting(now)

    def is_slow(self, now: float) -> bool:
        """Whether it has fallen two seconds behind the least rate."""
        return self.since is not None and self.left(now) < PATIENCE_SECONDS - 2

    def _waiting(self, now: float) -> float:
        return 0.0 if self.since is None else now - self.since


class ClientSocket(socket.socket):
    """What the poller read ahead comes first; what follows must keep the least rate.

    Who is too slow is met as `ConnectionResetError`, and so is who leaves within a body: the end
    of a body that is cut short must never pass for the end of a form or a file.
    """

    ahead = b""
    arrived: float  # monotonic: when the head of the present request was complete
    coming: Pace
    going: Pace
    unsent = b""  # of the answer, for the poller; after it, `_file` from an offset to an end
    _file: tuple[int, int, int] | None = None

    def renew(self) -> None:
        """A new request: nobody has waited for anything yet."""
        self.coming, self.going = Pace(), Pace()

    def favour_left(self, now: float) -> float:
        """Seconds until a thread that waits for this client may be taken; infinite if none does."""
        return min(self.coming.favour_left(now), self.going.favour_left(now))

    def cut(self) -> None:
        """Wake the thread that waits for this client, with an error. Nobody waits: nothing."""
        with suppress(OSError):  # it has left by itself
            if self.going.since is not None:
                self.shutdown(socket.SHUT_RDWR)
            elif self.coming.since is not None:
                # The answer can still be sent if the last byte came at this very moment.
                self.shutdown(socket.SHUT_RD)

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        if self.ahead:
            data, self.ahead = self.ahead[:size], self.ahead[size:]
            return data
        receive = super().recv
        data = self._waiting(self.coming, lambda: receive(size, flags))
        if not data:
            raise ConnectionResetError(errno.ECONNRESET, "the client left within a request's body")
        self.coming.move(len(data))
        return data

    def send(self, data: Any, flags: int = 0, /) -> int:
        send = super().send
        sent = self._waiting(self.going, lambda: send(data, flags))
        self.going.move(sent)
        return sent

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        """Give the kernel what it takes, and keep the rest for the poller if that is little."""
        left = memoryview(data).cast("B")
        if not self.has_unsent():
            with suppress(BlockingIOError):
                sent = super().send(left, flags | socket.MSG_DONTWAIT)
                self.going.move(sent)
                left = left[sent:]
        if self._file is None and len(self.unsent) + len(left) <= UNSENT_BYTES:
            self.unsent += left
            return
        while self.has_unsent():
            self.unsent = self.unsent[self.send(self._next_unsent(), flags) :]
        # The kernel's own takes one time limit for all, however large.
        while left:
            left = left[self.send(left, flags) :]

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        """Leave `count` bytes of a file to the poller, which needs no thread for a slow reader."""
        if count is None:
            count = os.fstat(file.fileno()).st_size - offset
        if count > 0:
            self._file = (os.dup(file.fileno()), offset, offset + count)
        return count

    def has_unsent(self) -> bool:
        """Whether the poller still has to send a part of the answer."""
        return bool(self.unsent) or self._file is not None

    def push(self) -> None:
        """Send what the kernel takes now of what is left; BlockingIOError if nothing."""
        sent = super().send(self._next_unsent())
        self.unsent = self.unsent[sent:]
        self.going.end()
        self.going.move(sent)
        self.going.begin()

    def close(self) -> None:
        self._close_file()
        super().close()

    def _next_unsent(self) -> bytes:
        if not self.unsent and self._file is not None:
            number, at, end = self._file
            self.unsent = os.pread(number, min(_FILE_BLOCK_BYTES, end - at), at)
            if not self.unsent:
                raise ConnectionResetError(errno.ECONNRESET, "the file has become shorter")
            self._file = (number, at + len(self.unsent), end)
            if self._file[1] == end:
                self._close_file()
        return self.unsent

    def _close_file(self) -> None:
        if self._file is not None:
            os.close(self._file[0])
            self._file = None

    def _waiting(self, pace: Pace, move: Callable[[], T]) -> T:
        """Call `move`, which blocks, for as long as the pace (or a shorter limit) allows."""
        limit, allowed = self.gettimeout(), pace.left(time.monotonic())
        if allowed <= 0:
            raise ConnectionResetError(errno.ECONNRESET, "the client is too slow")
        pace.begin()
        try:
            self.settimeout(allowed if limit is None else min(allowed, limit))
            return move()
        except TimeoutError:
            raise ConnectionResetError(errno.ECONNRESET, "the client is too slow") from None
        finally:
            pace.end()
            self.settimeout(limit)


SMALL_BODY_BYTES = 16 * 1024
HEAD_SECONDS = 10.0
# Until an upload that finds no place is told to come again: 40 files of 5 MB over a slow line.
PLACE_SECONDS = 300.0
LINGER_SECONDS = 2.0  # after the last answer, for the client to close first (RFC 9112, 9.6)

_FRAMING = re.compile(rb"\r\n(content-length|transfer-encoding|expect)[ \t]*:([^\r\n]*)", re.I)


class Body(NamedTuple):
    """What a head says of its body; gunicorn's parser has the last word on all of it.

    `size` in bytes, infinite if unknown; `first`: how much is read ahead before a thread is asked.
    """

    size: float
    first: int

    @classmethod
    def announced(cls, head: bytes) -> "Body":
        fields = {name.lower(): value.strip() for name, value in _FRAMING.findall(head)}
        if not fields:
            return cls(0, 0)
        length = fields.get(b"content-length", b"")
        if len(fields) == 1 and re.fullmatch(rb"\d{1,15}", length):
            return cls(int(length), min(int(length), SMALL_BODY_BYTES))
        if list(fields) == [b"transfer-encoding"]:
            return cls(math.inf, SMALL_BODY_BYTES)
        return cls(math.inf, 0)  # waits for "100 Continue", or is nothing that can be served

    def complete(self, body: bytes) -> bool:
        return len(body) >= self.size

    def ready(self, body: bytes) -> bool:
        """Whether a thread has something to do; also at what may be the end of one in chunks."""
        ended = self.size == math.inf and b"\r\n\r\n" in body
        return ended or len(body) >= self.first


class Stage(IntEnum):
    """What a connection without a thread waits for; who matters least stands first."""

    END = auto()
    HEAD = auto()
    ANSWER = auto()  # its client reads what the thread left
    BODY = auto()
    PLACE = auto()  # among the uploads


class Connection(TConn):
    """A connection, with what the poller knows of its next request."""

    sock: ClientSocket

    def __init__(self, cfg: Any, sock: ClientSocket, client: Any, server: Any) -> None:
        super().__init__(cfg, sock, client, server)
        self.data_ready = True  # the inherited thread need not look for it
        self.sock.renew()
        self.enter(Stage.HEAD)

    def enter(self, stage: Stage) -> None:
        self.stage, self.since = stage, time.monotonic()

    @property
    def pace(self) -> Pace:
        """Of the bytes that this stage waits for."""
        return self.sock.going if self.stage is Stage.ANSWER else self.sock.coming

    def overdue(self, now: float, *, stopping: bool) -> bool:
        """Whether this stage has taken too long. A worker that stops waits for no first byte."""
        if self.stage in (Stage.BODY, Stage.ANSWER):
            return self.pace.left(now) <= 0
        silent = self.stage is Stage.HEAD and not self.sock.ahead
        seconds = {Stage.HEAD: HEAD_SECONDS, Stage.PLACE: PLACE_SECONDS, Stage.END: LINGER_SECONDS}
        limit = LINGER_SECONDS if silent and stopping else seconds[self.stage]
        return now - self.since >= limit

    def from_proxy(self) -> bool:
        """Whether this is one of the proxies, or a socket file, which only they have."""
        if not isinstance(self.client, tuple) or "*" in self.cfg.forwarded_allow_ips:
            return True
        address = ipaddress.ip_address(self.client[0])
        return any(address in network for network in self.cfg.forwarded_allow_networks())
