"""gunicorn with the product's own configuration, one process of it, before `echo.application`."""

import contextlib
import json
import os
import socket
import sys
import time
from typing import Any, NamedTuple

from tests.servers import ROOT, Server

HOST = b"Host: 127.0.0.1\r\n"


class EchoServer(Server):
    """127.0.0.1 is the proxy of the configuration, other addresses are not."""

    def __init__(self) -> None:
        super().__init__("echo")
        gunicorn = [sys.executable, "-m", "gunicorn"]
        self.daemon.command = [*gunicorn, "tests.leaderboard.operations.echo"]
        self.daemon.cwd = ROOT
        theirs = ("FORWARDED_ALLOW_IPS", "HOST", "SCRIPT_NAME", "GUNICORN_CMD_ARGS")
        kept = {name: value for name, value in os.environ.items() if name not in theirs}
        self.daemon.env = {**kept, "PORT": str(self.port), "WEB_WORKERS": "1"}
        self.start()

    def answers(self) -> bool:
        try:
            return self.ask(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n").status == 200
        except OSError:
            return False

    def ask(self, request: bytes, address: str = "127.0.0.1") -> "Reply":
        """One request on a connection of its own."""
        with Wire(self.port, address) as wire:
            wire.send(request)
            return wire.reply()


class Reply(NamedTuple):
    """An answer."""

    status: int
    body: bytes

    @property
    def said(self) -> Any:
        """What the application was asked."""
        assert self.status == 200, (self.status, self.body)
        return json.loads(self.body)


class Wire:
    """One connection of a client that sends and reads what the test says, and no more."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        self.socket = socket.socket()
        if address != "127.0.0.1":
            self.socket.bind((address, 0))
        self.socket.settimeout(60)
        self.socket.connect(("127.0.0.1", port))
        self.began = time.monotonic()
        self.unread = b""

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *error: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def reply(self) -> Reply:
        """The next answer; ConnectionResetError if the connection was closed instead."""
        while b"\r\n\r\n" not in self.unread:
            self._more()
        head, _, self.unread = self.unread.partition(b"\r\n\r\n")
        status = int(head.split(b" ")[1])
        if status == 100:
            return Reply(status, b"")
        [length] = [
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        ]
        while len(self.unread) < length:
            self._more()
        body, self.unread = self.unread[:length], self.unread[length:]
        return Reply(status, body)

    def closed_after(self) -> float:
        """Seconds from the connection's beginning until the server closed it, saying nothing."""
        with contextlib.suppress(ConnectionResetError):
            assert self.socket.recv(1) == b""
        return time.monotonic() - self.began

    def _more(self) -> None:
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionResetError("closed before the answer's end")
        self.unread += data


def post(body: bytes, *fields: bytes, path: bytes = b"/") -> bytes:
    """A POST with its length, and the head fields given."""
    head = b"POST " + path + b" HTTP/1.1\r\n" + HOST
    head += b"".join(field + b"\r\n" for field in fields)
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def get(path: bytes = b"/", *fields: bytes) -> bytes:
    """A GET with the head fields given."""
    return b"".join(
        (b"GET ", path, b" HTTP/1.1\r\n", HOST, *(f + b"\r\n" for f in fields), b"\r\n")
    )
