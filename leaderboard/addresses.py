"""Which servers may be called. An address is looked up once, checked, and then used as is.

The address comes from the operator or an organizer, yet a name can be made to point into our own
network (at a metadata service, at a database's port), now or a moment later. So whatever is not on
the operator's list needs https and a public address, and the connection goes to the very address
that was checked.
"""

import ipaddress
import re
import socket
from collections.abc import Callable, Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

# A name and a port to the addresses they stand for, as text. Raises OSError.
Resolve = Callable[[str, int], list[str]]


class AddressRefused(Exception):
    """The address is not one that may be called. `code` is short and fit for a log."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


@dataclass(frozen=True)
class Address:
    """The name that is asked for, and the one address that it is asked at."""

    scheme: str
    host: str
    port: int
    ip: str


def look_up(host: str, port: int) -> list[str]:
    """What the system's resolver says, in its order."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def read(
    url: str, *, allowed: Collection[str], ports: Collection[int] = ()
) -> tuple[str, str, int, bool]:
    """Scheme, host and port, and whether the operator lists them. Raises AddressRefused.

    allowed: `host:port` as in the URL, whose address may be private and without https. ports: those
    that any other address may have; every one, if none is named.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme, 0)
    except ValueError:
        raise AddressRefused("address_unreadable") from None
    named = parts.scheme in ("https", "http") and parts.hostname
    if not named or parts.username or parts.password:
        raise AddressRefused("address_unreadable")
    assert parts.hostname is not None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    is_listed = f"{host}:{port}" in {each.lower() for each in allowed}
    if not is_listed:
        if parts.scheme != "https":
            raise AddressRefused("address_without_https")
        if ports and port not in ports:
            raise AddressRefused("address_port")
        if _is_written_private(parts.hostname):
            raise AddressRefused("address_not_allowed")
        if ":" not in host and not _NAME.fullmatch(host):
            raise AddressRefused("address_unreadable")
    return parts.scheme, parts.hostname, port, is_listed


# What a resolver may be asked for: labels of letters, of any script, digits and hyphens.
_LABEL = r"\w(?:[\w-]{0,61}\w)?"
_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*\.?")


def _is_written_private(host: str) -> bool:
    """Whether it is an address, in any spelling that resolvers take, of our own network."""
    try:
        if ":" not in host:
            # `127.1`, `0x7f000001` and `2130706433` are addresses, too.
            host = socket.inet_ntoa(socket.inet_aton(host))
        return not is_public(host)
    except (OSError, ValueError):  # a name
        return False


def checked(
    url: str,
    *,
    allowed: Collection[str],
    ports: Collection[int] = (),
    resolve: Resolve = look_up,
) -> Address:
    """The address to connect to. Raises AddressRefused, or OSError when nobody knows the name."""
    scheme, host, port, is_listed = read(url, allowed=allowed, ports=ports)
    found = resolve(host, port)
    if not found:
        raise OSError(f"no address for {host}")
    if not is_listed and not all(map(is_public, found)):
        raise AddressRefused("address_not_allowed")
    return Address(scheme, host, port, found[0])


def is_public(ip: str) -> bool:
    """Whether an address lies in the open net: not private, loopback, link-local or special.

    >>> [is_public(ip) for ip in ("8.8.8.8", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1")]
    [True, False, False, False]
    """
    address = ipaddress.ip_address(ip.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        # Ways to write an IPv4 address inside an IPv6 one: it is the inner one that is reached.
        if address.ipv4_mapped is not None:
            return is_public(str(address.ipv4_mapped))
        if address in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)))
        # Python calls much of the rest global: old site-local addresses, an own network's
        # translation (64:ff9b:1::/48), IPv4 addresses written as `::a.b.c.d` or `::ffff:0:a.b.c.d`.
        if address not in _UNICAST:
            return False
    if any(address in special for special in _SPECIAL):
        return False
    return address.is_global and not address.is_multicast


# Of IANA's two registries of special addresses, what one Python calls global and another does not
# (before 3.11.10 and 3.12.4 some, after them others), and the two that lead through anybody's relay
# to an IPv4 address. No server that somebody means is at one of these.
_SPECIAL = [
    ipaddress.ip_network(each)
    for each in (
        "192.0.0.0/24",  # protocol assignments: RFC 6890
        "192.88.99.0/24",  # 6to4 relays: RFC 7526
        "198.18.0.0/15",  # measurements: RFC 2544
        "2001::/23",  # protocol assignments, Teredo among them: RFC 2928
        "2002::/16",  # 6to4: RFC 3056
        "3ffe::/16",  # the former 6bone: RFC 3701
        "3fff::/20",  # documentation: RFC 9637
    )
]
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# The only part of the space that is given out: RFC 4291, section 2.4, and IANA's registry.
_UNICAST = ipaddress.ip_network("2000::/3")
