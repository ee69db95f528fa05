"""50 MB to every address, by people without a role: refused by the head, and not read."""

import itertools

import pytest
from django.test import Client

from leaderboard.web.uploads import STRANGERS_BYTES
from tests.leaderboard import builders
from tests.leaderboard.web.addresses import address, known_values, url_list
from tests.leaderboard.web.stage import build

pytestmark = pytest.mark.django_db

BODY = 50_000_000
CHUNK = 65_536
EDGE = "edge"
RIGHT = {302, 401, 403, 404, 405, 413}
TOKEN = "c" * 32  # a CSRF token is any secret that cookie and header share
KINDS = {
    "multipart": f"multipart/form-data; boundary={EDGE}",
    "form": "application/x-www-form-urlencoded",
    "raw": "application/octet-stream",
}
BEGINS = {
    "multipart": f'--{EDGE}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n'
    f"{TOKEN}\r\n--{EDGE}\r\n"
    'Content-Disposition: form-data; name="file"; filename="big.csv"\r\n\r\n',
    "form": f"csrfmiddlewaretoken={TOKEN}&text=",
    "raw": "",
}


class Counting:
    """A body of 50 MB, which counts how much of it is read."""

    def __init__(self, kind: str) -> None:
        self.begin = BEGINS[kind].encode()
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        size = min(BODY if size < 0 else size, BODY - self.taken)
        part = (self.begin[self.taken :] + b"x" * size)[:size]
        self.taken += size
        return part

    readline = read


@pytest.mark.parametrize("role", ["visitor", pytest.param("charlie", marks=pytest.mark.crawl)])
def test_no_address_reads_what_nobody_may_send(role: str) -> None:
    values, wrong = known_values(build()), []
    browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
    browser.cookies["csrftoken"] = TOKEN
    if role != "visitor":
        browser.force_login(builders.user(role))
    kinds = itertools.cycle(KINDS)
    for listed, kind in zip(url_list(), kinds, strict=False):
        sent = Counting(kind)
        answer = browser.generic(
            "POST",
            address(listed, values),
            headers={"x-csrftoken": TOKEN},
            **{"wsgi.input": sent, "CONTENT_LENGTH": str(BODY), "CONTENT_TYPE": KINDS[kind]},
        )
        if answer.status_code not in RIGHT or sent.taken > STRANGERS_BYTES + CHUNK:
            wrong.append(f"{listed.name} {kind}: {answer.status_code}, {sent.taken:,} read")
    assert wrong == []
