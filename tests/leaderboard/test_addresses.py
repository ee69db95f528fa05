"""Which servers may be called, and that the call goes where the check looked."""

import pytest

from leaderboard.addresses import AddressRefused, checked, read

PUBLIC = "93.184.215.14"


def resolve(*ips: str):  # type: ignore[no-untyped-def]
    return lambda host, port: list(ips)


def test_a_public_https_address_is_taken_as_it_was_looked_up() -> None:
    found = checked("https://judge.example.org/v1", allowed=(), resolve=resolve(PUBLIC))
    assert (found.host, found.port, found.ip) == ("judge.example.org", 443, PUBLIC)


@pytest.mark.parametrize(
    "ip",
    [
        "2606:4700::1111",
        "2001:200::1",
        "64:ff9b::808:808",
        "::ffff:8.8.8.8",
    ],
)
def test_a_public_address_is_taken(ip: str) -> None:
    found = checked("https://judge.example.org/v1", allowed=(), resolve=resolve(ip))
    assert found.ip == ip


@pytest.mark.parametrize(
    "ip",
    [
        "127.0.0.1",
        "::1",
        "10.1.2.3",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "fe80::1%eth0",
        "fd00::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "64:ff9b::192.0.0.8",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "198.18.0.1",
        "198.51.100.1",
        "240.0.0.1",
        "100:0:0:1::1",
        "2001:1::1",
        "2001:4:112::1",
        "2002:a00:1::",
        "3ffe::1",
        "224.0.0.1",
        "fec0::1",
        "64:ff9b:1::a00:1",
        "::10.0.0.1",
        "::ffff:0:10.0.0.1",
        "::",
        "2001:0:a00:1::1",
        "2001:db8::1",
        "ff02::1",
        "4000::1",
    ],
)
def test_a_name_that_points_into_the_house_is_refused(ip: str) -> None:
    for found in ((ip,), (PUBLIC, ip)):
        with pytest.raises(AddressRefused, match="address_not_allowed"):
            checked("https://judge.example.org/v1", allowed=(), resolve=resolve(*found))


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/v1",
        "https://[::1]/v1",
        "https://2130706433/v1",
        "https://0x7f.1/v1",
        "https://127.1/v1",
    ],
)
def test_a_written_loopback_address_is_refused_in_every_spelling(url: str) -> None:
    with pytest.raises(AddressRefused, match="address_not_allowed"):
        checked(url, allowed=())
    with pytest.raises(AddressRefused, match="address_not_allowed"):
        read(url, allowed=())


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://judge.example.org/v1", "address_without_https"),
        ("http://127.0.0.1:9001/v1", "address_without_https"),
        ("ftp://judge.example.org/v1", "address_unreadable"),
        ("https://:443/v1", "address_unreadable"),
        ("https://judge.example.org:99999/v1", "address_unreadable"),
        ('https://"><script>x()</script>', "address_unreadable"),
        ("https://a..example.org/v1", "address_unreadable"),
        ("https://%31%32%37.0.0.1/v1", "address_unreadable"),
        (f"https://{'a' * 64}.org/v1", "address_unreadable"),
    ],
)
def test_other_addresses_are_refused(url: str, code: str) -> None:
    with pytest.raises(AddressRefused, match=code):
        checked(url, allowed=["127.0.0.1:9000"], resolve=resolve(PUBLIC))


@pytest.mark.parametrize(
    "host", ["a_b.example.org", "xn--hj2bx3m.kr", "판사.example.org", "a.example.org.", "hooks"]
)
def test_a_name_is_taken(host: str) -> None:
    assert checked(f"https://{host}/", allowed=(), resolve=resolve(PUBLIC)).host == host


def test_other_ports_are_refused_where_some_are_named() -> None:
    for port in (22, 80, 6379):
        with pytest.raises(AddressRefused, match="address_port"):
            checked(f"https://hooks.example.org:{port}/", allowed=(), ports=(443, 8443))
    ports = (443, 8443)
    found = checked("https://a.example:8443/", allowed=(), ports=ports, resolve=resolve(PUBLIC))
    assert found.port == 8443
    assert checked("http://127.0.0.1:9000/", allowed=["127.0.0.1:9000"], ports=ports).port == 9000


def test_the_operator_lists_what_stands_inside_the_house() -> None:
    listed = ["127.0.0.1:9000", "[::1]:9000", "vllm:8000"]
    assert checked("http://127.0.0.1:9000/v1", allowed=listed).ip == "127.0.0.1"
    assert checked("http://[::1]:9000/v1", allowed=listed).ip == "::1"
    inside = checked("http://vllm:8000/v1", allowed=listed, resolve=resolve("10.0.0.7"))
    assert (inside.scheme, inside.ip) == ("http", "10.0.0.7")
