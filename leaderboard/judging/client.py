"""The judge's client, on the openai package; only the judge's worker imports it.

It never retries: the budget has to see each attempt. See `replies` for what it raises.
"""

import logging
import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from django.conf import settings

try:
    import httpx2
    import openai
    from pydantic import BaseModel, Field, ValidationError
except ImportError as error:  # pragma: no cover
    raise ImportError("Judging needs: pip install -r requirements-judge.txt") from error

from leaderboard.addresses import Address, AddressRefused, checked
from leaderboard.judging.asking import replies
from scoring.judges import parsing, schemas
from scoring.judges.parsing import Malformed

for _name in ("httpx2", "httpcore2", "openai"):
    logging.getLogger(_name).setLevel(logging.WARNING)  # a line a call says nothing

_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "quota_exceeded"})
# Refused because of the texts, not because of the settings.
_OF_THE_TEXT = {
    "content_filter": "content_filter",
    "content_policy_violation": "content_filter",
    "context_length_exceeded": "context_length",
}
_SENT = ("temperature", "top_p", "reasoning_effort")


class WireMessage(BaseModel):
    """What a server says; servers add fields of their own."""

    content: str | None = None
    refusal: str | None = None


class Choice(BaseModel):
    message: WireMessage
    finish_reason: str | None = None


class WireTokens(BaseModel):
    """How a server counts. Some servers leave it out."""

    prompt_tokens: int = Field(ge=0, le=100_000_000)
    completion_tokens: int = Field(ge=0, le=100_000_000)


class Completion(BaseModel):
    choices: list[Choice] = Field(min_length=1)
    model: str = ""
    system_fingerprint: str | None = None
    usage: WireTokens | None = None


def connect(
    endpoint: Mapping[str, str], *, transport: httpx2.BaseTransport | None = None
) -> "Client":
    """A client for one of settings.JUDGE_ENDPOINTS. Raises Misconfigured or Transient."""
    base_url = endpoint["base_url"]
    wait = settings.JUDGE_CONNECT_SECONDS, settings.JUDGE_READ_SECONDS, settings.JUDGE_WRITE_SECONDS
    try:
        address = checked(base_url, allowed=settings.JUDGE_ALLOWED_HOSTS)
    except AddressRefused as refused:
        raise replies.Misconfigured(refused.code) from None
    except OSError:
        raise replies.Transient("address_unknown", is_free=True) from None
    limits = httpx2.Limits(max_connections=settings.JUDGE_CONCURRENCY)
    inner = transport or httpx2.HTTPTransport(trust_env=False, limits=limits)
    client = httpx2.Client(
        transport=Guarded(inner, address, sum(wait)),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(connect=wait[0], read=wait[1], write=wait[2], pool=10),
        headers={"Accept-Encoding": "identity"},
    )
    return Client(base_url, endpoint.get("api_key") or "none", client)


class Client:
    def __init__(self, base_url: str, api_key: str, client: httpx2.Client) -> None:
        self._http = client
        self._openai = openai.OpenAI(
            base_url=base_url, api_key=api_key, http_client=client, max_retries=0
        )
        # Whatever the environment holds belongs to another program.
        self._openai.organization = self._openai.project = None

    def complete(self, asked: replies.AskedOfJudge) -> replies.JudgeReply:
        """Ask once; see `replies.JudgeClient`. Raises NoAnswer."""
        began = time.monotonic()
        try:
            answered = self._openai.chat.completions.with_raw_response.create(**_request(asked))
            body = answered.text
        except openai.APIStatusError as error:
            raise _by_status(error) from None
        except openai.APIConnectionError as error:
            raise _by_connection(error.__cause__) from None
        except (openai.OpenAIError, UnicodeDecodeError):
            raise replies.Transient("broken_body") from None
        return _reply(body, asked, time.monotonic() - began)

    def close(self) -> None:
        self._http.close()


def _request(asked: replies.AskedOfJudge) -> dict[str, Any]:
    params, schema = asked.params, asked.schema
    request: dict[str, Any] = {
        "model": params["model"],
        "messages": list(asked.messages),
        **{name: params[name] for name in _SENT if params.get(name) is not None},
    }
    if params.get("seed") is not None:
        request["seed"] = (
            params["seed"] + asked.sample_index
        )  # the same seed would err the same way
    if params.get("max_tokens") is not None:
        request[params.get("token_param") or "max_tokens"] = params["max_tokens"]
    if params["structured"] == "json_schema":
        form = {"name": schema.name, "schema": schema.body, "strict": True}
        request["response_format"] = {"type": "json_schema", "json_schema": form}
    elif params["structured"] == "json_object":
        request["response_format"] = {"type": "json_object"}
    return request


def _by_status(error: openai.APIStatusError) -> replies.NoAnswer:
    status, code = error.status_code, error.code or error.type or ""
    if status == 402 or (status == 429 and _QUOTA & {error.code, error.type}):
        return replies.QuotaSpent(f"http_{status}")
    if status in (408, 409, 429) or status >= 500:
        wish = _retry_after(error.response.headers.get("retry-after"))
        return replies.Transient(f"http_{status}", retry_after=wish, is_free=True)
    if status == 400 and code in _OF_THE_TEXT:
        return replies.UnusableAnswer(_OF_THE_TEXT[code])
    return replies.Misconfigured(f"http_{status}")


def _retry_after(value: str | None) -> float | None:
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def _by_connection(cause: BaseException | None) -> replies.Transient:
    match cause:
        case AnswerTooLarge():
            return replies.Transient("too_large")
        case httpx2.ConnectError() | httpx2.ConnectTimeout() | httpx2.PoolTimeout():
            return replies.Transient("no_connection", is_free=True)
        case httpx2.TimeoutException():
            return replies.Transient("timeout")
        case _:
            return replies.Transient("broken_body")


def _reply(body: str, asked: replies.AskedOfJudge, seconds: float) -> replies.JudgeReply:
    try:
        completion = Completion.model_validate_json(body)
    except ValidationError:
        raise replies.Transient("broken_body") from None
    usage = completion.usage
    counted = replies.Usage(usage.prompt_tokens, usage.completion_tokens) if usage else None
    try:
        content = _content(completion.choices[0], counted)
        answer = schemas.exact(asked.schema.body, parsing.parse(content))
    except Malformed as malformed:
        raise replies.UnusableAnswer(malformed.code, usage=counted) from None
    return replies.JudgeReply(
        raw=body,
        answer=answer,
        model=completion.model,
        fingerprint=completion.system_fingerprint or "",
        usage=counted,
        latency_ms=round(seconds * 1000),
    )


def _content(choice: Choice, usage: replies.Usage | None) -> str:
    if choice.message.refusal:
        raise replies.UnusableAnswer("refusal", usage=usage)
    if choice.finish_reason in ("content_filter", "length"):
        raise replies.UnusableAnswer(choice.finish_reason, usage=usage)
    if not (choice.message.content or "").strip():
        raise replies.UnusableAnswer("empty", usage=usage)
    return choice.message.content or ""


LARGEST_BODY = 1_000_000  # bytes


class AnswerTooLarge(httpx2.TransportError):
    """The answer is larger than any honest one."""


class Guarded(httpx2.BaseTransport):
    """Sends to the one checked address; bounds the size of an answer's body and its time."""

    def __init__(self, inner: httpx2.BaseTransport, address: Address, seconds: float) -> None:
        self._inner, self._address, self._seconds = inner, address, seconds

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if (request.url.host, request.url.scheme) != (self._address.host, self._address.scheme):
            raise httpx2.UnsupportedProtocol("another address than the checked one")
        # The Host header is set already; certificates are checked against the name.
        request.url = request.url.copy_with(host=self._address.ip)
        if self._address.scheme == "https":
            request.extensions = {**request.extensions, "sni_hostname": self._address.host}
        ends = time.monotonic() + self._seconds
        response = self._inner.handle_request(request)
        if response.headers.get("content-encoding", "identity") != "identity":
            response.close()
            raise httpx2.DecodingError("a packed answer could unpack to anything")
        if int(response.headers.get("content-length") or 0) > LARGEST_BODY:
            response.close()
            raise AnswerTooLarge("answer too large")
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_Bounded(response, ends),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._inner.close()


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, response: httpx2.Response, ends: float) -> None:
        self._response, self._ends = response, ends

    def __iter__(self) -> Iterator[bytes]:
        """A byte a second is no sign of life."""
        size = 0
        for part in self._response.stream:  # type: ignore[union-attr]
            if time.monotonic() > self._ends:
                raise httpx2.ReadTimeout("the answer takes too long")
            size += len(part)
            if size > LARGEST_BODY:
                raise AnswerTooLarge("answer too large")
            yield part

    def close(self) -> None:
        self._response.close()
