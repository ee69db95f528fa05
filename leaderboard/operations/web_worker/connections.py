"""A client's connection, and what the poller makes of the head of its next request."""

import ipaddress
import math
import re
import time
from enum import IntEnum, auto
from typing import Any, NamedTuple

from gunicorn.workers.gthread import TConn

from leaderboard.operations.web_worker.sockets import ClientSocket, Pace

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
