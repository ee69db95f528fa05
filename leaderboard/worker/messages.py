"""What a message of ours looks like, asked before Celery sees it, of the folder and of Redis alike.

Celery and kombu believe what a broker holds: an empty one, a list, a tag that is a map or a small
packed one that unpacks to gigabytes ends the whole worker, and what came back to the queue ends the
next one too (seen with 5.7). Whoever can write to the broker must not be able to do that.
"""

import base64
import json
from typing import Any

# A ring has under two kilobytes: it says that there is work, and not which.
LARGEST_BYTES = 64 * 1024
JSON = "application/json"


class NotOurs(Exception):
    """A message that no code of ours has sent."""


def read(raw: bytes) -> dict[str, Any]:
    """The message in these bytes, as kombu's virtual transports write them. Raises NotOurs.

    Form: https://docs.celeryq.dev/en/stable/internals/protocol.html (version 2), packed by nothing.
    """
    if len(raw) > LARGEST_BYTES:
        raise NotOurs(f"{len(raw)} bytes")
    try:
        message = json.loads(raw.decode())
        _check_envelope(message)
        body = base64.b64decode(message["body"], validate=True).decode()
        if "task" in message["headers"]:
            _must(message["content-type"] == JSON, "content type")
            _check_task(message["headers"], json.loads(body))
    except (ValueError, KeyError, RecursionError) as error:
        raise NotOurs(type(error).__name__) from None
    return dict(message)


def _check_envelope(message: Any) -> None:
    _must(isinstance(message, dict), "no object")
    headers, properties = message["headers"], message["properties"]
    _must(isinstance(headers, dict) and isinstance(properties, dict), "headers or properties")
    _must("compression" not in headers, "packed")
    _must(message["content-type"] in (JSON, "text/plain"), "content type")
    # Any other name is handed to `codecs`, of which some unpack.
    _must(message["content-encoding"] == "utf-8", "content encoding")
    _must(properties["body_encoding"] == "base64", "body encoding")
    _must(isinstance(message["body"], str), "body")
    _must(isinstance(properties["delivery_info"], dict), "delivery info")
    for text in (
        properties["delivery_tag"],
        properties["delivery_info"]["exchange"],
        properties["delivery_info"]["routing_key"],
        properties.get("correlation_id") or "",
        properties.get("reply_to") or "",
    ):
        _must(isinstance(text, str), "properties")
    _must(isinstance(properties.get("priority", 0), int), "priority")


def _check_task(headers: dict[str, Any], body: Any) -> None:
    """Our tasks run at once and have nothing behind them."""
    _must(isinstance(headers["task"], str) and isinstance(headers.get("id"), str), "task")
    _must(headers.get("eta") is None and headers.get("expires") is None, "times")
    limits = headers.get("timelimit") or []
    _must(isinstance(limits, list), "time limit")
    _must(all(each is None or type(each) in (int, float) for each in limits[:2]), "time limit")
    _must(len(limits) in (0, 2), "time limit")
    _must(isinstance(headers.get("retries", 0), int), "retries")
    _must(isinstance(body, list) and len(body) == 3, "arguments")
    arguments, named, behind = body
    _must(isinstance(arguments, list) and isinstance(named, dict), "arguments")
    _must(behind is None or (isinstance(behind, dict) and not any(behind.values())), "callbacks")


def _must(holds: bool, what: str) -> None:
    if not holds:
        raise NotOurs(what)
