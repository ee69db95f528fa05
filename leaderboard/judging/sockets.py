"""Connections to the one address of a judge that was checked, bounded in size and time."""

import ssl
import threading
import time
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import httpcore2
import httpx2

from leaderboard.addresses import Address, Resolve, checked, look_up

LARGEST_BODY = 1_000_000  # bytes


class AnswerTooLarge(httpx2.TransportError):
    """The answer is larger than any honest one."""


class _Deadline(threading.local):
    """When the request of this thread has to be over, by `time.monotonic`."""

    at = float("inf")

    def left(self, timeout: float | None) -> float:
        """Seconds that one more wait may take. Raises ReadTimeout when none are left."""
        left = self.at - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout("the answer takes too long")
        return left if timeout is None else min(left, timeout)


_deadline = _Deadline()


class _TimedStream(httpcore2.NetworkStream):
    """A connection whose every wait ends at the deadline: a byte a second is no sign of life."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _deadline.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _deadline.left(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        left = _deadline.left(timeout)
        return _TimedStream(self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _TimedBackend(httpcore2.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        left = _deadline.left(timeout)
        return _TimedStream(super().connect_tcp(host, port, left, local_address, socket_options))


class _TimedTransport(httpx2.HTTPTransport):
    """The package's own transport, over a pool whose connections know the deadline."""

    def __init__(self, connections: int) -> None:
        super().__init__(trust_env=False)
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context(trust_env=False),
            max_connections=connections,
            network_backend=_TimedBackend(),
        )


class Guarded(httpx2.BaseTransport):
    """Sends to the one checked address; bounds an answer's size and the time until its end."""

    def __init__(self, inner: httpx2.BaseTransport, address: Address, seconds: float) -> None:
        self._inner, self._address, self._seconds = inner, address, seconds

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if (request.url.host, request.url.scheme) != (self._address.host, self._address.scheme):
            raise httpx2.UnsupportedProtocol("another address than the checked one")
        # The Host header is set already; certificates are checked against the name.
        request.url = request.url.copy_with(host=self._address.ip)
        if self._address.scheme == "https":
            request.extensions = {**request.extensions, "sni_hostname": self._address.host}
        # Of this thread, which reads the answer to its end before it asks again.
        _deadline.at = time.monotonic() + self._seconds
        response = self._inner.handle_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            response.close()
            raise httpx2.DecodingError("a packed answer could unpack to anything")
        if int(response.headers.get("content-length") or 0) > LARGEST_BODY:
            response.close()
            raise AnswerTooLarge("answer too large")
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_Bounded(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._inner.close()


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, response: httpx2.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._response.stream:  # type: ignore[union-attr]
            size += len(part)
            if size > LARGEST_BODY:
                raise AnswerTooLarge("answer too large")
            yield part

    def close(self) -> None:
        self._response.close()


def http_client(
    base_url: str,
    *,
    timeout: httpx2.Timeout,
    seconds: float,
    connections: int,
    allowed: Collection[str],
    resolve: Resolve = look_up,
    transport: httpx2.BaseTransport | None = None,
) -> httpx2.Client:
    """A client for this address alone. Raises AddressRefused, or OSError for an unknown name.

    seconds: the longest time of one request, headers included, however slowly they come.
    transport: for tests.
    """
    address = checked(base_url, allowed=allowed, resolve=resolve)
    inner = transport or _TimedTransport(connections)
    return httpx2.Client(
        transport=Guarded(inner, address, seconds),
        trust_env=False,
        follow_redirects=False,
        timeout=timeout,
        headers={"Accept-Encoding": "identity"},
    )
