"""What the client sends, and what it makes of each thing that can come back."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from typing import Any

import httpx2
import pytest
from django.conf import LazySettings

from leaderboard.addresses import checked
from leaderboard.judging.asking.replies import (
    AskedOfJudge,
    Misconfigured,
    NoAnswer,
    QuotaSpent,
    Transient,
    UnusableAnswer,
    Usage,
)
from leaderboard.judging.client import Client, Guarded, connect
from leaderboard.judging.fake.server import FakeJudge
from scoring.judges import prompts
from scoring.judges.schemas import SCHEMAS

PARAMS = {"model": "fake-1", "structured": "json_schema", "temperature": 0, "max_tokens": 500}
ANSWER = {"claims": [{"id": "1", "point": "민수는 도서관에 간다."}]}
MESSAGES = prompts.build(prompts.load("claims", "ko"), {"summary": "민수는 간다."}, "tag-12345678")
Handle = Callable[[httpx2.Request], httpx2.Response]


@pytest.fixture(autouse=True)
def listed(settings: LazySettings) -> None:
    settings.JUDGE_ALLOWED_HOSTS = ["judge.inside:9000"]


def completion(content: str | None = None, **changes: Any) -> dict[str, Any]:
    message = {
        "role": "assistant",
        "content": json.dumps(ANSWER, ensure_ascii=False) if content is None else content,
        "refusal": changes.pop("refusal", None),
    }
    choice = {"index": 0, "message": message, "finish_reason": changes.pop("finish", "stop")}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "fake-1",
        "choices": [choice],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        **changes,
    }


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("10.0.0.7", 9000))])

    def asked(handle: Handle, sample_index: int = 0, **params: Any) -> Any:
        client = connect(
            {"base_url": "http://judge.inside:9000/v1", "api_key": "sk-1"},
            transport=httpx2.MockTransport(handle),
        )
        return client.complete(
            AskedOfJudge(MESSAGES, SCHEMAS["claims"], {**PARAMS, **params}, sample_index)
        )

    return asked


def test_it_works(ask: Callable[..., Any]) -> None:
    seen: list[httpx2.Request] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, json=completion(system_fingerprint="fp1"))

    reply = ask(handle)
    assert (reply.answer, reply.usage, reply.fingerprint) == (ANSWER, Usage(11, 7), "fp1")
    (request,) = seen
    # To the very address that was checked, under the name that was asked for.
    assert (request.url.host, request.headers["host"]) == ("10.0.0.7", "judge.inside:9000")
    assert request.headers["authorization"] == "Bearer sk-1"
    sent = json.loads(request.content)
    assert sent["response_format"]["json_schema"] == {
        "name": "claims",
        "schema": SCHEMAS["claims"].body,
        "strict": True,
    }
    assert (sent["temperature"], sent["max_tokens"]) == (0, 500)
    assert "seed" not in sent


def test_a_model_is_sent_only_what_it_can_take(ask: Callable[..., Any]) -> None:
    seen: list[dict[str, Any]] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(json.loads(request.content))
        return httpx2.Response(200, json=completion())

    ask(handle, 1, temperature=None, seed=5, token_param="max_completion_tokens")
    ask(handle, 0, structured="json_object", reasoning_effort="low", max_tokens=None)
    ask(handle, 0, structured="prompt")
    assert "temperature" not in seen[0]
    assert (seen[0]["seed"], seen[0]["max_completion_tokens"]) == (6, 500)
    assert seen[1]["response_format"] == {"type": "json_object"}
    assert seen[1]["reasoning_effort"] == "low"
    assert "response_format" not in seen[2]


def test_the_environment_of_another_program_is_not_sent(
    ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "of-another")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    headers: list[str] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        headers.extend(request.headers.values())
        return httpx2.Response(200, json=completion())

    ask(handle)
    assert not any("of-another" in value for value in headers)


def status(number: int, code: str = "", **headers: str) -> Handle:
    body = {"error": {"message": "scripted secret text", "code": code, "type": code}}
    return lambda _: httpx2.Response(number, json=body, headers=headers)


def body(value: Any) -> Handle:
    if isinstance(value, dict):
        return lambda _: httpx2.Response(200, json=value)
    return lambda _: httpx2.Response(200, content=value)


def raising(error: type[Exception]) -> Handle:
    def handle(request: httpx2.Request) -> httpx2.Response:
        raise error("scripted")

    return handle


@pytest.mark.parametrize(
    ("handle", "kind", "code"),
    [
        *((status(number), Transient, f"http_{number}") for number in (408, 429, 500)),
        *((status(n), Misconfigured, f"http_{n}") for n in (400, 401, 404)),
        (status(302, location="http://127.0.0.1/"), Misconfigured, "http_302"),
        (status(429, "insufficient_quota"), QuotaSpent, "http_429"),
        (status(402), QuotaSpent, "http_402"),
        (status(400, "content_filter"), UnusableAnswer, "content_filter"),
        (status(400, "context_length_exceeded"), UnusableAnswer, "context_length"),
        (raising(httpx2.ConnectError), Transient, "no_connection"),
        (raising(httpx2.ReadTimeout), Transient, "timeout"),
        (raising(httpx2.RemoteProtocolError), Transient, "broken_body"),
        (body(b"<html>"), Transient, "broken_body"),
        (body(json.dumps(completion()).encode()[:-9]), Transient, "broken_body"),
        (body(completion(choices=[])), Transient, "broken_body"),
        (body(b" " * 1_000_001), Transient, "too_large"),
        (body(completion(finish="length")), UnusableAnswer, "length"),
        (body(completion(finish="content_filter")), UnusableAnswer, "content_filter"),
        (body(completion(refusal="no")), UnusableAnswer, "refusal"),
        (body(completion("")), UnusableAnswer, "empty"),
        (body(completion("물론입니다: {}")), UnusableAnswer, "not_one_json_value"),
        (body(completion('{"claims": [{"id": 1, "point": ""}]}')), UnusableAnswer, "wrong_form"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_each_failure_has_its_class(
    ask: Callable[..., Any], handle: Handle, kind: type[NoAnswer], code: str
) -> None:
    with pytest.raises(kind) as failure:
        ask(handle)
    assert (type(failure.value), failure.value.code) == (kind, code)
    assert "secret" not in repr(failure.value)


def test_an_unusable_answer_was_paid_for(ask: Callable[..., Any]) -> None:
    with pytest.raises(UnusableAnswer) as failure:
        ask(body(completion(finish="length")))
    assert failure.value.usage == Usage(11, 7)


def wish(ask: Callable[..., Any], header: str) -> float | None:
    with pytest.raises(Transient) as failure:
        ask(status(429, **{"retry-after": header}))
    return failure.value.retry_after


def test_the_servers_wish_to_wait_is_read(ask: Callable[..., Any]) -> None:
    assert [wish(ask, each) for each in ("7", "-3", "soon")] == [7, 0, None]
    in_an_hour = wish(ask, formatdate(time.time() + 3600, usegmt=True))
    assert 3500 < in_an_hour <= 3600


def test_an_answer_without_usage_or_in_a_fence_or_of_another_model_counts(
    ask: Callable[..., Any],
) -> None:
    bare = completion(f"```json\n{json.dumps(ANSWER)}\n```", model="other")
    del bare["usage"]
    reply = ask(body(bare))
    assert (reply.answer, reply.usage, reply.model) == (ANSWER, None, "other")


def test_an_address_that_is_not_listed_is_never_called() -> None:
    with pytest.raises(Misconfigured, match="address_without_https"):
        connect({"base_url": "http://127.0.0.1:9000/v1"})
    with pytest.raises(Misconfigured, match="address_not_allowed"):
        connect({"base_url": "https://169.254.169.254/v1"})


def test_a_name_that_moves_after_the_check_is_not_followed() -> None:
    places = iter(["93.184.215.14", "127.0.0.1"])
    address = checked("https://judge.example.org/v1", allowed=(), resolve=lambda *_: [next(places)])
    seen: list[httpx2.Request] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200)

    with httpx2.Client(
        transport=Guarded(httpx2.MockTransport(handle), address, 1), trust_env=False
    ) as client:
        client.get("https://judge.example.org/v1")
        client.get("https://judge.example.org/v1")
        with pytest.raises(httpx2.UnsupportedProtocol):
            client.get("https://elsewhere.example.org/")
    assert {request.url.host for request in seen} == {"93.184.215.14"}
    assert {request.extensions["sni_hostname"] for request in seen} == {"judge.example.org"}


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeJudge]:
    server = FakeJudge()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(5)


def real(fake: FakeJudge, settings: LazySettings, patience: float) -> Client:
    settings.JUDGE_ALLOWED_HOSTS = [f"127.0.0.1:{fake.port}"]
    settings.JUDGE_READ_SECONDS = patience
    settings.JUDGE_CONNECT_SECONDS = settings.JUDGE_WRITE_SECONDS = 0.1
    return connect({"base_url": fake.base_url})


def test_an_answer_that_drips_ends_at_the_deadline_of_the_whole(
    settings: LazySettings,
) -> None:
    """Each byte comes in time for the next wait; all of them would take ten times the deadline."""
    listener = socket.create_server(("127.0.0.1", 0))
    settings.JUDGE_READ_SECONDS, settings.JUDGE_CONNECT_SECONDS = 0.3, 0.1
    settings.JUDGE_WRITE_SECONDS = 0.1
    port = listener.getsockname()[1]
    settings.JUDGE_ALLOWED_HOSTS = [f"127.0.0.1:{port}"]
    sent_all = threading.Event()
    thread = threading.Thread(target=_drip, args=(listener, sent_all))
    thread.start()
    client = connect({"base_url": f"http://127.0.0.1:{port}/v1"})
    try:
        with pytest.raises(Transient, match="timeout"):
            client.complete(AskedOfJudge(MESSAGES, SCHEMAS["claims"], PARAMS, 0))
    finally:
        client.close()
        listener.close()
        thread.join(10)
    assert not sent_all.is_set()


def _drip(listener: socket.socket, sent_all: threading.Event) -> None:
    connection, _ = listener.accept()
    with connection, contextlib.suppress(OSError):
        connection.recv(65536)
        body = b" " * 100 + json.dumps(completion()).encode()
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
        for byte in body:
            time.sleep(0.05)
            connection.sendall(bytes([byte]))
        sent_all.set()


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("429-date", "http_429"),
        ("slow-headers", "timeout"),
        ("slow-body", "timeout"),
        ("reset", "broken_body"),
        ("closed", "broken_body"),
        ("huge", "too_large"),
    ],
    ids=str,
)
def test_each_scripted_fault_over_a_real_socket(
    fake: FakeJudge, settings: LazySettings, fault: str, code: str
) -> None:
    fake.slow = 0.8
    fake.control({"faults": [{"fault": fault, "times": 1}]})
    # Only where it is to run out: a busy machine takes its time for 5 MB as well.
    client = real(fake, settings, 0.15 if code == "timeout" else 5)
    try:
        with pytest.raises(NoAnswer) as failure:
            client.complete(AskedOfJudge(MESSAGES, SCHEMAS["claims"], PARAMS, 0))
    finally:
        client.close()
    assert failure.value.code == code
