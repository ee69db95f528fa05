"""What a request asks for. Whatever is not one of our own calls is unknown."""

import contextlib
import hashlib
import json
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from email.utils import formatdate
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from leaderboard.judging.fake import answers
from leaderboard.judging.fake.faults import FAULTS, USABLE, FaultStep, Honest, Reply, error, written
from scoring.judges import prompts
from scoring.judges.pipelines import PIPELINES

_MATERIAL = re.compile(
    r"^=== material (?P<tag>[0-9A-Za-z_-]+) ===\n(?P<json>.*)\n=== end of material (?P=tag) ===$",
    re.DOTALL | re.MULTILINE,
)


class Unanswerable(Exception):
    """A request that this server has no answer for. It says why and answers 501."""


@dataclass(frozen=True)
class AskedOfFake:
    """One call. `key` is the same for the same question, whatever the sampling."""

    schema: str
    material: Mapping[str, Any]
    model: str
    key: str


def read(body: bytes) -> AskedOfFake:
    try:
        asked = json.loads(body)
        model, (system, user) = asked["model"], asked["messages"]
        rules, text = system["content"], user["content"]
    except (ValueError, KeyError, TypeError) as error:
        raise Unanswerable("not a chat completion of one system and one user message") from error
    if not (isinstance(model, str) and isinstance(rules, str) and isinstance(text, str)):
        raise Unanswerable("model and messages are texts")
    schema = _by_rules().get(rules)  # the only sign in the modes without a form of the answer
    if schema is None:
        raise Unanswerable("these rules are not one of the prompts")
    material = _material(text)
    # The tag is the same for the same material; it is left out so that the key needs no secret.
    written = json.dumps([schema, material], ensure_ascii=False, sort_keys=True)
    return AskedOfFake(schema, material, model, hashlib.sha256(written.encode()).hexdigest())


def _material(text: str) -> dict[str, Any]:
    found = _MATERIAL.search(text)
    if found is None:
        raise Unanswerable("no material between markers")
    try:
        material = json.loads(found["json"])
    except ValueError as error:
        raise Unanswerable("the material is not one JSON value") from error
    if not isinstance(material, dict):
        raise Unanswerable("the material is not a JSON object")
    return material


@cache
def _by_rules() -> Mapping[str, str]:
    return {
        prompts.load(call.prompt, language).system: call.schema
        for pipeline in PIPELINES.values()
        for call in pipeline.calls
        for language in prompts.LANGUAGES
    }


LOOPBACK = "127.0.0.1"
ABOUT = (
    "This is a fake judge. It compares words; its answers say nothing about a summary.\n"
    "이것은 가짜 심사 서버입니다. 낱말만 견주며, 답은 요약의 좋고 나쁨을 말하지 않습니다.\n"
)
_LARGEST_REQUEST = 4 * 1024 * 1024
_PIECES = 20


def answer(asked: AskedOfFake) -> answers.Answer:
    return answers.BY_SCHEMA[asked.schema](asked.material)


@dataclass
class Log:
    """What was asked: requests by key, those that were sent an answer that can be used, disturbed
    ones by name; `unknown` counts those answered 501."""

    asked_by_key: Counter[str] = field(default_factory=Counter)
    answered_by_key: Counter[str] = field(default_factory=Counter)
    schemas: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    unknown: int = 0
    in_flight: int = 0
    most_in_flight: int = 0


class FakeJudge(ThreadingHTTPServer):
    """The server; `base_url` is what a client is given. Port 0 takes a free one."""

    daemon_threads = True
    # A judge that is asked by many at once refuses nobody who connects.
    request_queue_size = 128

    def __init__(self, port: int = 0) -> None:
        super().__init__((LOOPBACK, port), _Connection)
        self.plan: list[FaultStep] = []  # which answers are disturbed, in this order
        self.log = Log()
        self.lock = threading.Lock()
        self.delay = 0.0  # seconds before each answer
        self.slow = 5.0  # seconds a slow answer takes

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def base_url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of ours; nothing is printed."""

    def control(self, wish: dict[str, Any]) -> None:
        if "faults" in wish:
            steps = [FaultStep(**step) for step in wish["faults"]]
            with self.lock:
                self.plan = steps
        self.delay = float(wish.get("delay", self.delay))
        self.slow = float(wish.get("slow", self.slow))
        if wish.get("forget"):
            with self.lock:
                self.log = Log(in_flight=self.log.in_flight)

    def written_log(self) -> dict[str, Any]:
        with self.lock:
            log = self.log
            numbers = {
                "requests": log.asked_by_key.total(),
                "answered": log.answered_by_key.total(),
            }
            return deepcopy({**numbers, **vars(log)})


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 120
    # Head and body are written apart; waiting for an acknowledgement between them costs 40 ms.
    disable_nagle_algorithm = True

    @property
    def judge(self) -> FakeJudge:
        return cast(FakeJudge, self.server)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
        """Nothing: requests hold participants' texts."""

    def do_GET(self) -> None:
        if self.path == "/log":
            self._send(Reply(200, written(self.judge.written_log())))
        elif self.path == "/":
            self._send(Reply(200, ABOUT.encode(), {"Content-Type": "text/plain; charset=utf-8"}))
        else:
            self._unknown(f"GET {self.path}")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _LARGEST_REQUEST:
            self.close_connection = True
            self._send(Reply(413, written(error("too large", code="too_large"))))
            return
        body = self.rfile.read(int(length))
        if self.path == "/control":
            self._control(body)
        elif self.path == "/v1/chat/completions":
            self._complete(body)
        else:
            self._unknown(f"POST {self.path}")

    def _control(self, body: bytes) -> None:
        try:
            self.judge.control(json.loads(body))
        except (ValueError, TypeError, AttributeError) as why:
            self._send(Reply(400, written(error(str(why), code="nonsense"))))
        else:
            self._send(Reply(200, written({"ok": True})))

    def _unknown(self, why: str) -> None:
        with self.judge.lock:
            self.judge.log.unknown += 1
        self._send(Reply(501, written(error(f"unknown: {why}", code="unknown"))))

    def _complete(self, body: bytes) -> None:
        try:
            asked = read(body)
        except Unanswerable as why:
            self._unknown(str(why))
            return
        judge = self.judge
        with judge.lock:
            steps = (step.fault for step in judge.plan if step.take(asked.schema))
            fault, log = next(steps, None), judge.log
            log.asked_by_key[asked.key] += 1
            log.schemas[asked.schema] += 1
            log.faults.update([fault] if fault else [])
            log.in_flight += 1
            log.most_in_flight = max(log.most_in_flight, log.in_flight)
        sent = False
        try:
            time.sleep(judge.delay)
            made = Honest(answer(asked), asked.model, len(body))
            sent = self._send(FAULTS[fault](made) if fault else made.reply())
        finally:
            with judge.lock:
                judge.log.in_flight -= 1
                judge.log.answered_by_key.update(
                    [asked.key] if sent and (not fault or fault in USABLE) else []
                )

    def _send(self, reply: Reply) -> bool:
        """Send as the reply says. False when the other side had gone or was cut off."""
        if reply.sending == "close":
            self.close_connection = True
            return False
        if reply.sending == "slow headers":
            time.sleep(self.judge.slow)
        try:
            self.send_response(reply.status)
            headers = {"Content-Type": "application/json", **reply.headers}
            if headers.get("Retry-After") == "date":
                headers["Retry-After"] = formatdate(time.time() + 1, usegmt=True)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self._send_body(reply)
        except OSError:
            self.close_connection = True
            return False
        return reply.sending != "reset"

    def _send_body(self, reply: Reply) -> None:
        if reply.sending == "slow body":
            step = -(-len(reply.body) // _PIECES)
            for start in range(0, len(reply.body), step):
                time.sleep(self.judge.slow / _PIECES)
                self.wfile.write(reply.body[start : start + step])
                self.wfile.flush()
        elif reply.sending == "reset":
            self.wfile.write(reply.body[: len(reply.body) // 2])
            self.wfile.flush()
            # Closing with nothing lingering makes the system send a reset instead of an end.
            linger = struct.pack("ii", 1, 0)
            with contextlib.suppress(OSError):
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self.connection.close()
            self.close_connection = True
        else:
            self.wfile.write(reply.body)
