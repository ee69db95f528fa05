"""What a judge answers, and the four ways in which it does not; known without any client."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from scoring.judges.prompts import Message
from scoring.judges.schemas import Schema


@dataclass(frozen=True)
class Usage:
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True)
class JudgeReply:
    """One answer that can be used: `answer` has the schema's form, ids are not yet checked."""

    raw: str
    answer: Mapping[str, Any]
    model: str
    fingerprint: str
    usage: Usage | None
    latency_ms: int


@dataclass(frozen=True)
class AskedOfJudge:
    """One call. `params`: model, structured and what `JudgeConfig.sampling` holds."""

    messages: Sequence[Message]
    schema: Schema
    params: Mapping[str, Any]
    sample_index: int


class JudgeClient(Protocol):
    """What judging knows of a client; safe to call from several threads."""

    def complete(self, asked: AskedOfJudge) -> JudgeReply:
        """Ask once."""

    def close(self) -> None:
        """End the connections."""


# What settings.JUDGE_CLIENT names: from one entry of settings.JUDGE_ENDPOINTS to a client.
Connect = Callable[[Mapping[str, str]], JudgeClient]


class NoAnswer(Exception):
    """A call without a usable answer. `code` never quotes the server; `is_free`: it did no work."""

    is_free = False

    def __init__(self, code: str, *, usage: Usage | None = None) -> None:
        self.code = code[:40]
        self.usage = usage
        super().__init__(self.code)


class Transient(NoAnswer):
    """May work a moment later. `retry_after` is the server's wish in seconds."""

    def __init__(
        self, code: str, *, retry_after: float | None = None, is_free: bool = False
    ) -> None:
        self.retry_after = retry_after
        self.is_free = is_free
        super().__init__(code)


class Misconfigured(NoAnswer):
    """Every call will fail like this one until somebody changes something."""

    is_free = True


class QuotaSpent(NoAnswer):
    """The account at the server has nothing left."""

    is_free = True


class UnusableAnswer(NoAnswer):
    """The server answered with something that cannot be used: it is asked again, differently."""

    # Codes that say the model would not answer, rather than that it answered badly.
    DECLINED = frozenset({"refusal", "content_filter"})
    CUT = "length"
