"""What a message of ours looks like, asked before Celery sees it, of the folder and of Redis alike.

Celery and kombu believe what a broker holds: an empty one, a list, a tag that is a map or a small
packed one that unpacks to gigabytes ends the whole worker, and what came back to the queue ends the
next one too (seen with 5.7). Whoever can write to the broker must not be able to do that.
"""

import base64
import json
import os
import time
import uuid
from collections.abc import Collection
from functools import partial
from pathlib import Path
from queue import Empty
from typing import Any

import structlog
from kombu.exceptions import ChannelError
from kombu.transport import virtual
from kombu.utils.json import dumps

# A wake-up call has under two kilobytes: it says that there is work, and not which.
LARGEST_BYTES = 64 * 1024
JSON = "application/json"
LONGEST_SECONDS = 24 * 60 * 60  # of a task's own limit; an endless one overflows in a timer


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
        said = json.loads(body) if message["content-type"] == JSON else body
        json.dumps([message, said], ensure_ascii=False).encode()  # half a character is no text
    except (ValueError, KeyError, RecursionError) as error:
        raise NotOurs(type(error).__name__) from None
    if "task" in message["headers"]:
        _check_task(message["headers"], said)
    else:
        # Celery would take it for a task of version 1, of which nobody looked at anything.
        _must(not (isinstance(said, dict) and "task" in said), "version 1")
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
    route = properties["delivery_info"]
    _must(isinstance(route, dict), "delivery info")
    _must(_plain(route) and _plain(properties, besides={"delivery_info"}), "properties")
    for text in (properties["delivery_tag"], route["exchange"], route["routing_key"]):
        _must(isinstance(text, str), "properties")
    for text in (properties.get("correlation_id"), properties.get("reply_to")):
        _must(text is None or isinstance(text, str), "properties")
    _must(type(properties.get("priority", 0)) is int, "priority")


def _check_task(headers: dict[str, Any], said: Any) -> None:
    """Our tasks run at once and have nothing behind them."""
    _must(isinstance(headers["task"], str) and isinstance(headers.get("id"), str), "task")
    _must(headers.get("eta") is None and headers.get("expires") is None, "times")
    _must(not headers.get("stamps") and not headers.get("stamped_headers"), "stamps")
    _must(_plain(headers, besides={"timelimit", "stamps", "stamped_headers"}), "headers")
    limits = headers.get("timelimit") or []
    _must(isinstance(limits, list) and len(limits) in (0, 2), "time limit")
    _must(all(each is None or _is_limit(each) for each in limits), "time limit")
    _must(type(headers.get("retries", 0)) is int, "retries")
    _must(isinstance(said, list) and len(said) == 3, "arguments")
    arguments, named, behind = said
    _must(isinstance(arguments, list) and isinstance(named, dict), "arguments")
    _must(behind is None or (isinstance(behind, dict) and not any(behind.values())), "callbacks")


def _plain(values: dict[str, Any], besides: Collection[str] = ()) -> bool:
    """Whether nothing here holds anything else, so that all of it can be a key."""
    return not any(isinstance(values[key], dict | list) for key in values.keys() - set(besides))


def _is_limit(seconds: Any) -> bool:
    return type(seconds) in (int, float) and 0 < seconds < LONGEST_SECONDS


def _must(holds: bool, what: str) -> None:
    if not holds:
        raise NotOurs(what)


log = structlog.get_logger(__name__)

# Both lie inside the queue's folder: a rename to another filesystem would be a copy, and a copy
# can be read half done.
TAKEN, BROKEN = "taken", "broken"

_private = partial(os.open, mode=0o600)  # an opener


class FolderChannel(virtual.Channel):
    """One message is one file, `<nanoseconds>_<uuid>.<queue>.msg`, taken in order of its name."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.folder = Path(self.connection.client.transport_options["folder"])
        self.folders = (self.folder, self.folder / TAKEN, self.folder / BROKEN)
        self.readable = True
        self._make_folders()

    def _make_folders(self) -> None:
        try:
            for folder in self.folders:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ChannelError(f"Cannot make the queue's folder {self.folder}: {error}") from error

    def _put(self, queue: str, message: Any, **kwargs: Any) -> None:
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        beside = self.folder / f".{name}"
        if not all(map(Path.is_dir, self.folders)):
            self._make_folders()  # somebody emptied the data folder under a running server
        try:
            with open(beside, "xb", opener=_private) as file:
                file.write(dumps(message).encode())
            os.replace(beside, self.folder / name)
        except OSError as error:
            raise ChannelError(f"Cannot put a message into {self.folder}: {error}") from error

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for name in self._names(queue):
            taken = self.folder / TAKEN / name
            try:
                os.rename(self.folder / name, taken)
            except OSError:
                continue  # another worker was faster
            try:
                payload = _read(taken)
            except (NotOurs, OSError) as error:
                _put_aside(taken, self.folder / BROKEN / name, error)
                continue
            taken.unlink(missing_ok=True)
            return payload
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._names(queue))

    def _purge(self, queue: str) -> int:
        names = self._names(queue)
        for name in names:
            (self.folder / name).unlink(missing_ok=True)
        return len(names)

    def _names(self, queue: str) -> list[str]:
        """The waiting messages of `queue`, oldest first; half-written ones begin with a dot.

        A folder that cannot be read holds none: an error here would end the worker, which would
        then miss the moment when the folder can be read again.
        """
        try:
            names = os.listdir(self.folder)
        except OSError as error:
            if self.readable:
                log.error("queue.unreadable", folder=str(self.folder), error=type(error).__name__)
            self.readable = False
            return []
        self.readable = True
        ending = f"{queue}.msg"
        return sorted(name for name in names if name.partition(".")[2] == ending)


class FolderTransport(virtual.Transport):
    """What `folder://localhost` stands for (see leaderboard/celery.py)."""

    Channel = FolderChannel
    driver_type = "folder"
    driver_name = "folder"
    # Exchanges and bindings are declared once a process, whatever connection declared them.
    broker_state = virtual.BrokerState()

    def __init__(self, client: Any, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        self.state = self.broker_state

    def driver_version(self) -> str:
        return "N/A"


def _read(file: Path) -> dict[str, Any]:
    """The message in `file`; of a far too large one no more than shows that. Raises NotOurs."""
    with file.open("rb") as opened:
        return read(opened.read(LARGEST_BYTES + 1))


def _put_aside(taken: Path, broken: Path, error: Exception) -> None:
    """Keep an unreadable message for an operator: a raise here would end the whole worker."""
    log.error("queue.broken_message", file=broken.name, why=str(error))
    try:
        os.rename(taken, broken)
    except OSError:
        log.exception("queue.cannot_put_aside", file=taken.name)
