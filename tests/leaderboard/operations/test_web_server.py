"""The web server as gunicorn.conf.py sets it: what it believes of a head, and whom."""

from collections.abc import Iterator

import pytest

from tests.leaderboard.operations.echo_server import EchoServer, get, post


@pytest.fixture(scope="module")
def server() -> Iterator[EchoServer]:
    running = EchoServer()
    yield running
    running.close()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (get(b"/" + b"a" * 5000), 414),
        (get(b"/", *(b"X-%d: a" % n for n in range(60))), 431),
        (get(b"/", b"X-Long: " + b"a" * 9000), 431),
        (post(b"a", b"Content-Length: 2"), 400),
        (post(b"a", b"Transfer-Encoding: chunked"), 400),
        (get(b"/", b"Content-Length: -1"), 400),
        (get(b"/", b"User-Agent: a\0b"), 400),  # PostgreSQL takes no NUL: a session keeps this
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused(server: EchoServer, request_: bytes, status: int) -> None:
    assert server.ask(request_).status == status


def test_no_client_names_a_part_of_the_path(server: EchoServer) -> None:
    """SCRIPT_NAME is left out even from a proxy: few of them take it from their clients."""
    fields = (b"SCRIPT_NAME: /desk", b"SCRIPT-NAME: /desk", b"PATH_INFO: /other", b"X_A: b")
    for address in ("127.0.0.1", "127.0.0.2"):
        said = server.ask(get(b"/desk/golds", *fields), address).said
        assert (said["script"], said["path"]) == ("", "/desk/golds")


def test_only_a_proxy_says_that_it_was_https_and_by_one_field(server: EchoServer) -> None:
    def scheme(field: bytes, address: str = "127.0.0.1") -> str:
        return str(server.ask(get(b"/", field), address).said["scheme"])

    assert scheme(b"X-Forwarded-Proto: https") == "https"
    assert scheme(b"X-Forwarded-Proto: https", "127.0.0.2") == "http"
    assert scheme(b"X-Forwarded-Ssl: on") == scheme(b"X-Forwarded-Protocol: ssl") == "http"
