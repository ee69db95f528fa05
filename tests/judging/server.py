"""A fake judge on a free port, and how to ask it without any client library.

with running() as judge:
    answer = ask(judge, "claims", {"summary": "…"})
"""

import contextlib
import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.judging.fake.server import FakeJudge
from scoring.judges import prompts
from scoring.judges.call_graph import Call
from scoring.judges.pipelines import PIPELINES
from scoring.judges.schemas import SCHEMAS

MODEL = "fake-judge"
TAG = "0123456789abcdef"


@dataclass(frozen=True)
class Heard:
    """What came back over the socket. content: the message's text, None without one."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def message(self) -> Any:
        return self.json()["choices"][0]["message"]

    @property
    def answer(self) -> Any:
        """The answer as a value, when the content is one."""
        return json.loads(self.message["content"])


@contextlib.contextmanager
def running(port: int = 0) -> Iterator[FakeJudge]:
    """The server in a thread of this process."""
    server = FakeJudge(port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def call_of(schema: str, keys: frozenset[str]) -> Call:
    """The call that is asked in this form with these keys."""
    return next(
        call
        for pipeline in PIPELINES.values()
        for call in pipeline.calls
        if call.schema == schema and frozenset(call.inputs) == keys
    )


def request(schema: str, material: Mapping[str, Any], **changes: Any) -> bytes:
    """The body of a request, as a client of ours writes it."""
    call = call_of(schema, frozenset(material))
    messages = prompts.build(prompts.load(call.prompt, "en"), material, TAG)
    form = {"name": schema, "strict": True, "schema": SCHEMAS[schema].body}
    asked = {
        "model": MODEL,
        "messages": list(messages),
        "response_format": {"type": "json_schema", "json_schema": form},
        **changes,
    }
    return json.dumps(asked, ensure_ascii=False).encode()


def send(port: int, method: str, path: str, body: bytes = b"", timeout: float = 10) -> Heard:
    """One request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    with contextlib.closing(connection):
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return Heard(answer.status, dict(answer.getheaders()), answer.read())


def ask(server: FakeJudge, schema: str, material: Mapping[str, Any], **changes: Any) -> Heard:
    return send(server.port, "POST", "/v1/chat/completions", request(schema, material, **changes))


def control(port: int, **wish: Any) -> Heard:
    return send(port, "POST", "/control", json.dumps(wish).encode())


def log(port: int) -> Any:
    return send(port, "GET", "/log").json()
