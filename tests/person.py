"""A person's browser over real HTTP, as far as forms need one: cookies, CSRF token, no script."""

import http.cookiejar
import json
import re
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True)
class Answer:
    """What came back: `location` is where the page leads to, `retry_after` in seconds."""

    status: int
    text: str
    location: str | None
    retry_after: int | None


class Person:
    """One signed-in session. Not for two threads at once: give each a `copy`."""

    def __init__(self, url: str, name: str, *, address: str | None = None) -> None:
        self.url = url
        self.name = name
        self.address = address  # as a proxy in front would tell it
        self._cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(self._cookies), _StayHere()
        )

    @classmethod
    def signed_in(cls, url: str, name: str, password: str | None = None) -> Self:
        """This person after the sign-in form; the password defaults to that of the builders."""
        person = cls(url, name)
        form = {"login": name, "password": password or f"{name}-secret"}
        answer = person.send("/accounts/login/", form)
        if answer.status != 302:
            raise RuntimeError(f"{name} could not sign in: {answer.status}")
        return person

    def copy(self) -> "Person":
        """Another window of the same session."""
        other = Person(self.url, self.name, address=self.address)
        for cookie in self._cookies:
            other._cookies.set_cookie(cookie)
        return other

    def get(self, path: str) -> Answer:
        return self._ask(urllib.request.Request(self.url + path))

    def json(self, path: str) -> Any:
        """The body of a page that answers with JSON."""
        return json.loads(self.get(path).text)

    def token(self, path: str) -> str:
        """The CSRF token of a form."""
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.get(path).text)
        if found is None:
            raise RuntimeError(f"no form on {path}")
        return found[1]

    def send(self, path: str, form: Mapping[str, str], *, token: str | None = None) -> Answer:
        """POST a form; without a token of before, that of the page itself is fetched first."""
        fields = {"csrfmiddlewaretoken": token or self.token(path), **form}
        return self._post(
            path, urllib.parse.urlencode(fields).encode(), "application/x-www-form-urlencoded"
        )

    def upload(self, path: str, token: str, file: bytes, *, key: str | None = None) -> Answer:
        """Hand a file in, with an idempotency key of its own unless one is given."""
        return self._post(path, *upload_form(token, file, key or uuid.uuid4().hex))

    def _post(self, path: str, body: bytes, kind: str) -> Answer:
        headers = {"Content-Type": kind, "Referer": self.url + path}
        return self._ask(urllib.request.Request(self.url + path, body, headers))

    def _ask(self, request: urllib.request.Request) -> Answer:
        if self.address is not None:
            request.add_header("X-Forwarded-For", self.address)
        try:
            with self._opener.open(request, timeout=60) as answer:
                return _answer(answer)
        except urllib.error.HTTPError as refused:
            with refused:
                return _answer(refused)


def upload_form(token: str, file: bytes, key: str) -> tuple[bytes, str]:
    """The body of the form that hands a file in, and its Content-Type."""
    edge = uuid.uuid4().hex
    parts = [
        f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in {"csrfmiddlewaretoken": token, "key": key}.items()
    ]
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="p.csv"\r\n'
    kind = "Content-Type: text/csv\r\n\r\n"
    parts += [head.encode(), kind.encode(), file, f"\r\n--{edge}--".encode()]
    return b"".join(parts), f"multipart/form-data; boundary={edge}"


def _answer(response: Any) -> Answer:
    retry = response.headers.get("Retry-After")
    return Answer(
        status=response.status,
        text=response.read().decode(errors="replace"),  # a ZIP is no text
        location=response.headers.get("Location"),
        retry_after=int(retry) if retry else None,
    )


class _StayHere(urllib.request.HTTPRedirectHandler):
    """A redirect is the answer: following it would ask for a page that nobody waits for."""

    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        return fp
