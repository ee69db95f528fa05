"""The address that people type, looked at from outside as a browser meets it."""

import json
import socket
import ssl
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from leaderboard.operations.fault import Fault

SECONDS = 5.0
MOST_BYTES = 1 << 20
DAYS = 14  # a certificate that ends sooner is a fault
PAGE = "/accounts/login/"  # answered as any page is: by Host and scheme
OURS = {200, 500, 503}  # what is behind the last two, other checks say


def _get(url: str, path: str) -> tuple[int, bytes]:
    """Status and body; no redirect is followed and no proxy of this machine's environment asked."""
    parts = urlsplit(url)
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    with closing(kind(parts.netloc, timeout=SECONDS)) as line:
        line.request("GET", parts.path + path)
        answer = line.getresponse()
        return answer.status, answer.read(MOST_BYTES)


def looked_at(url: str, here: str, trusted: int = 0) -> Iterator[Fault]:
    """What is wrong with the way to `url`; `here`: the version that should answer there.

    trusted: how many proxies are trusted to stand in front.
    """
    try:
        page, _ = _get(url, PAGE)
        status, body = _get(url, "/readyz?verbose")
    except (OSError, HTTPException) as error:
        yield Fault("address.away", url=url, why=type(error).__name__)
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
