"""The address that people type, looked at from outside as a browser meets it."""

import json
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import datetime
from email.message import Message
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from leaderboard.operations.fault import Fault

SECONDS = 5.0
MOST_BYTES = 1 << 20
DAYS = 14  # a certificate that ends sooner is told
PAGE = "/accounts/login/"  # answered as any page is: by Host and scheme, with a cookie


class _Stay(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer, not a way."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _Answer(NamedTuple):
    status: int
    head: Message
    body: bytes


def _get(url: str) -> _Answer:
    """Raises OSError. No proxy of this machine's environment is asked."""
    opener = urllib.request.build_opener(_Stay(), urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=SECONDS) as answer:
            return _Answer(answer.status, answer.headers, answer.read(MOST_BYTES))
    except urllib.error.HTTPError as error:
        with error:
            return _Answer(error.code, error.headers, b"")


def looked_at(url: str, here: str, proxies: int = 0) -> Iterator[Fault]:
    """What is wrong with the way to `url`; `here`: the version that should answer there.

    proxies: how many are trusted to stand in front.
    """
    try:
        alive = _get(f"{url}/livez")
        if (alive.status, alive.body) != (200, b"ok\n"):
            yield Fault("address.other", url=url, status=alive.status)
            return
        yield from _page(url, _get(url + PAGE))
        yield from _readiness(url, _get(f"{url}/readyz?verbose"), here, proxies)
    except OSError as error:
        yield Fault("address.away", url=url, why=_why(error))


def _why(error: OSError) -> str:
    reason = getattr(error, "reason", None)
    return type(reason if isinstance(reason, Exception) else error).__name__


def _page(url: str, page: _Answer) -> Iterator[Fault]:
    if page.status in (301, 302, 307, 308):
        yield Fault("address.loop", url=url)
    elif page.status == 400:
        yield Fault("address.host", url=url)
    elif url.startswith("https:"):
        cookies = page.head.get_all("Set-Cookie") or []
        if any("; secure" not in cookie.lower() for cookie in cookies):
            yield Fault("address.cookie", url=url)


def _readiness(url: str, ready: _Answer, here: str, proxies: int) -> Iterator[Fault]:
    if ready.status != 200:
        return  # why, the other checks say
    said = json.loads(ready.body)
    if (there := said.get("version", "?")) != here:
        yield Fault("address.version", url=url, there=there, here=here)
    # As many words as to a program of this machine: for gunicorn nobody stood between.
    if url.startswith("https:") and "workers" in said:
        yield Fault("address.unnamed", url=url)
    elif proxies and (named := said.get("proxies", proxies)) != proxies:
        yield Fault("address.count", url=url, named=named, trusted=proxies)


def certificate(url: str, at: datetime) -> Iterator[Fault]:
    """What is wrong with the certificate there, if there is one. Raises OSError.

    Who signed it has to be known to this machine; SSL_CERT_FILE names further ones.
    """
    parts = urlsplit(url)
    if parts.scheme != "https":
        return
    host = parts.hostname or ""
    try:
        with (
            socket.create_connection((host, parts.port or 443), SECONDS) as plain,
            ssl.create_default_context().wrap_socket(plain, server_hostname=host) as line,
        ):
            known = line.getpeercert() or {}
    except ssl.SSLCertVerificationError as error:
        yield Fault("certificate.refused", host=host, why=error.verify_message)
        return
    days = int((ssl.cert_time_to_seconds(str(known["notAfter"])) - at.timestamp()) // 86_400)
    if days < DAYS:
        yield Fault("certificate.ends", host=host, days=days)
