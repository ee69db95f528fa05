"""The one road out: to the checked address, without proxies, redirects or endless bodies.

Only the judge's worker imports this: it needs the HTTP library of the `judge` extra.
"""

import time
from collections.abc import Collection, Iterator

import httpx2

from leaderboard.judging.addresses import Address, Resolve, checked, look_up

LARGEST_BODY = 1_000_000  # bytes


class TooLarge(httpx2.TransportError):
    """The answer is larger than any honest one."""


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
        deadline = time.monotonic() + self._seconds
        response = self._inner.handle_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            response.close()
            raise httpx2.DecodingError("a packed answer could unpack to anything")
        if int(response.headers.get("content-length") or 0) > LARGEST_BODY:
            response.close()
            raise TooLarge("answer too large")
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_Bounded(response, deadline),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._inner.close()


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, response: httpx2.Response, deadline: float) -> None:
        self._response, self._deadline = response, deadline

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._response.stream:  # type: ignore[union-attr]
            size += len(part)
            if size > LARGEST_BODY:
                raise TooLarge("answer too large")
            if time.monotonic() > self._deadline:
                raise httpx2.ReadTimeout("the answer takes too long")
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

    seconds: the longest time of one request, however slowly it comes. transport: for tests.
    """
    address = checked(base_url, allowed=allowed, resolve=resolve)
    inner = transport or httpx2.HTTPTransport(
        trust_env=False, limits=httpx2.Limits(max_connections=connections)
    )
    return httpx2.Client(
        transport=Guarded(inner, address, seconds),
        trust_env=False,
        follow_redirects=False,
        timeout=timeout,
        headers={"Accept-Encoding": "identity"},
    )
