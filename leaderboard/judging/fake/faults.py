"""Everything that can go wrong between a judge and us, by name."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from leaderboard.judging.fake.answers import Answer

FINGERPRINT = "fake-judge-1"
# Korean text takes about a token for two characters.
_CHARACTERS_PER_TOKEN = 2


def error(message: str, *, code: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": code, "param": None, "code": code}}


def written(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


Sending = Literal["whole", "slow headers", "slow body", "reset", "close"]
FIVE_MEGABYTES = 5 * 1024 * 1024


@dataclass(frozen=True)
class Reply:
    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    sending: Sending = "whole"


@dataclass(frozen=True)
class Honest:
    """What an undisturbed answer is made of. `asked`: characters of the request."""

    answer: Answer
    model: str
    asked: int

    def completion(
        self, *, model: str = "", finish_reason: str = "stop", **said: Any
    ) -> dict[str, Any]:
        """As the API gives it. `said`: of the message."""
        message = {"role": "assistant", "content": self.text(), "refusal": None, **said}
        prompt = self.asked // _CHARACTERS_PER_TOKEN
        written = len(message["content"] or "") // _CHARACTERS_PER_TOKEN
        choice = {"index": 0, "finish_reason": finish_reason, "logprobs": None, "message": message}
        return {
            "id": "chatcmpl-fake",
            "object": "chat.completion",
            "created": 0,
            "model": model or self.model,
            "system_fingerprint": FINGERPRINT,
            "choices": [choice],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": written,
                "total_tokens": prompt + written,
            },
        }

    def reply(self, **changes: Any) -> Reply:
        return Reply(200, written(self.completion(**changes)))

    def text(self) -> str:
        return json.dumps(self.answer, ensure_ascii=False)


def _refused(status: int, code: str, **headers: str) -> Callable[[Honest], Reply]:
    body = written(error(f"scripted: {code}", code=code))
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda made: Reply(status, body, sent)


def _sent(sending: Sending) -> Callable[[Honest], Reply]:
    return lambda made: Reply(200, made.reply().body, sending=sending)


def _content(change: Callable[[Honest], str]) -> Callable[[Honest], Reply]:
    return lambda made: made.reply(content=change(made))


def _cut(made: Honest) -> str:
    return made.text()[: max(1, len(made.text()) * 2 // 3)]


def _items(change: Callable[[list[Any]], list[Any]]) -> Callable[[Honest], Reply]:
    """Change the answer's lists of items with ids; a text that has none is cut to its half."""

    def changed(made: Honest) -> Reply:
        answer = {
            name: change(value) if isinstance(value, list) and value else value
            for name, value in made.answer.items()
        }
        return made.reply(content=json.dumps(answer, ensure_ascii=False))

    return changed


def _foreign(items: list[Any]) -> list[Any]:
    last = items[-1]
    return [*items[:-1], {**last, "id": "foreign-1"}] if isinstance(last, dict) else [*items, last]


def _without_usage(made: Honest) -> Reply:
    body = made.completion()
    del body["usage"]
    return Reply(200, written(body))


def _planted(made: Honest) -> str:
    empty: dict[str, list[object]] = {name: [] for name in made.answer}
    return f"{json.dumps(empty)}\n{made.text()}"


FAULTS: Mapping[str, Callable[[Honest], Reply]] = {
    "429-seconds": _refused(429, "rate_limit_exceeded", Retry_After="1"),
    # The date is written when it is sent (server.py): one second later.
    "429-date": _refused(429, "rate_limit_exceeded", Retry_After="date"),
    "quota": _refused(429, "insufficient_quota"),
    "401": _refused(401, "invalid_api_key"),
    "404": _refused(404, "model_not_found"),
    "500": _refused(500, "server_error"),
    "slow-headers": _sent("slow headers"),
    "slow-body": _sent("slow body"),
    "reset": _sent("reset"),
    "closed": _sent("close"),
    "not-json": lambda made: Reply(200, b"<html>upstream is away</html>"),
    "huge": lambda made: made.reply(content=made.text() + " " * FIVE_MEGABYTES),
    "truncated": _content(_cut),
    "length": lambda made: made.reply(content=_cut(made), finish_reason="length"),
    "refusal": lambda made: made.reply(content=None, refusal="scripted refusal"),
    "content-filter": lambda made: made.reply(content="", finish_reason="content_filter"),
    "prose": _content(
        lambda made: f"물론입니다. 결과는 다음과 같습니다.\n{made.text()}\n이상입니다."
    ),
    "fenced": _content(lambda made: f"```json\n{made.text()}\n```"),
    "two-objects": _content(_planted),
    "missing-id": _items(lambda items: items[:-1]),
    "duplicate-id": _items(lambda items: [*items, items[-1]]),
    "foreign-id": _items(_foreign),
    "wrong-model": lambda made: made.reply(model="another-model"),
    "no-usage": _without_usage,
}

# An answer that came whole can be used although something about it was odd.
USABLE = frozenset({"slow-headers", "slow-body", "fenced", "wrong-model", "no-usage"})


@dataclass
class FaultStep:
    """The next `times` answers (None: all) of one schema or any. Raises ValueError."""

    fault: str
    times: int | None = 1
    schema: str | None = None

    def __post_init__(self) -> None:
        if self.fault not in FAULTS:
            raise ValueError(f"no fault is called {self.fault}: {', '.join(FAULTS)}")
        if self.times is not None and self.times < 1:
            raise ValueError("times is at least 1")

    def take(self, schema: str) -> bool:
        if self.schema not in (None, schema) or self.times == 0:
            return False
        self.times = self.times and self.times - 1
        return True
