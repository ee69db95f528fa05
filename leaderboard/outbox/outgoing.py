"""One POST to an address that somebody typed: bounded in time, checked, and never led elsewhere."""

import http.client
import re
import socket
import ssl
import threading
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from leaderboard.addresses import Address, AddressRefused, Resolve, checked, look_up

PORTS = (443, 8443)  # that an address may have which no operator listed
_SECONDS = re.compile("[0-9]{1,6}")  # a date is as good as nothing


@dataclass(frozen=True)
class Answer:
    """What came of it. `failure` is a short code, '' where a status says it.

    `is_final`: another attempt would end the same. `retry_after` is in seconds. `server_is_well`:
    only this message was refused, so the next one may be sent at once.
    """

    status: int | None = None
    failure: str = ""
    retry_after: int | None = None
    is_final: bool = False
    server_is_well: bool = False

    @property
    def code(self) -> str:
        """Why it did not arrive."""
        return self.failure or str(self.status)

    @property
    def arrived(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


class _CheckedConnection(http.client.HTTPConnection):
    """To the one address that was checked; certificates and Host are of the name.

    After `seconds` it is cut, whatever it is doing: a byte a second is no sign of life.
    """

    def __init__(self, address: Address, seconds: float) -> None:
        super().__init__(address.host, address.port, timeout=seconds)
        self.default_port = 443 if address.scheme == "https" else 80
        self._address = address
        self._ends = time.monotonic() + seconds
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True
        self._timer.start()

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self._ends

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address.ip, self.port), self.timeout)
        if self._address.scheme == "https":
            self.sock = ssl.create_default_context().wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
        if self.is_over:  # the cut came before there was anything to cut
            raise TimeoutError
        if isinstance(self.sock, ssl.SSLSocket):
            self.sock.do_handshake()

    def _cut(self) -> None:
        if self.sock is not None:
            with suppress(OSError):
                # Below TLS, whose state belongs to the thread that waits.
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)

    def close(self) -> None:
        self._timer.cancel()
        super().close()


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    allowed: Collection[str],
    ports: Collection[int],
    seconds: float,
    resolve: Resolve = look_up,
) -> Answer:
    """Send the body; read status and headers, follow no redirect. Never raises for the other."""
    try:
        address = checked(url, allowed=allowed, ports=ports, resolve=resolve)
    except AddressRefused as refused:
        return Answer(failure=refused.code, is_final=True)
    except (OSError, UnicodeError):
        return Answer(failure="unknown_name")
    connection = _CheckedConnection(address, seconds)
    try:
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", target, body, dict(headers))
        response = connection.getresponse()
        if connection.is_over:  # the end of a connection that was cut ends its headers
            raise TimeoutError
        found = _SECONDS.fullmatch(response.headers.get("Retry-After", ""))
        retry_after = int(found[0]) if found else None
        return Answer(response.status, retry_after=retry_after, is_final=response.status == 410)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Answer(failure="timed_out" if connection.is_over else _failure(error))
    finally:
        connection.close()


def _failure(error: Exception) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return "certificate"
        case TimeoutError():
            return "timed_out"
        case ConnectionRefusedError():
            return "refused"
        case ConnectionError():
            return "cut_off"
        case http.client.HTTPException() | ValueError():
            return "no_http"
    return "unreachable"
