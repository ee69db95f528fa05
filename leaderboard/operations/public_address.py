"""The address that people type, looked at from outside as a browser meets it."""

import json
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from leaderboard.operations.fault import Fault

SECONDS = 5.0
MOST_BYTES = 1 << 20
DAYS = 14  # a certificate that ends sooner is a fault
PAGE = "/accounts/login/"  # answered as any page is: by Host and scheme
OURS = {200, 500, 503}  # what is behind the last two, other checks say


class _Stay(urllib.request.HTTPRedirectHandler):
    """Take a redirect for an answer."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _get(url: str) -> tuple[int, bytes]:
    """Status and body. Raises OSError. No proxy of this machine's environment is asked."""
    opener = urllib.request.build_opener(_Stay(), urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=SECONDS) as answer:
            return answer.status, answer.read(MOST_BYTES)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, b""


def looked_at(url: str, here: str, trusted: int = 0) -> Iterator[Fault]:
    """What is wrong with the way to `url`; `here`: the version that should answer there.

    trusted: how many proxies are trusted to stand in front.
    """
    try:
        page, _ = _get(url + PAGE)
        status, body = _get(f"{url}/readyz?verbose")
    except OSError as error:
        reason = getattr(error, "reason", None)
        why = reason if isinstance(reason, Exception) else error
        yield Fault("address.away", url=url, why=type(why).__name__)
        return
    if other := {page, status} - OURS:
        yield Fault("address.other", url=url, status=min(other))
    if status != 200:
        return
    try:
        said = json.loads(body)
    except ValueError:  # another server
        said = {}
    if (there := said.get("version", "?")) != here:
        yield Fault("version", name=url, there=there, here=here)
    # As many words as to a program of this machine: for gunicorn nobody stood between.
    named = 0 if "workers" in said else said.get("proxies", trusted)
    if named != trusted or (url.startswith("https:") and not trusted):
        yield Fault("address.proxies", url=url, named=named, trusted=trusted)


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
