"""A message that is none of ours costs the worker nothing, whichever broker brings it."""

import base64
import bz2
import gzip
import json
import re
import sys
import zlib
from pathlib import Path
from typing import Any, Literal

import pytest
import redis

from leaderboard.worker.broker import LARGEST_BYTES, NotOurs, read
from tests.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.services]

INFLATED = 400 * 1024 * 1024  # bytes of one message that says it is packed

HAND_IN = """
from datetime import timedelta
from django.utils import timezone
from leaderboard.worker.tasks import evaluate_next
from tests.leaderboard import builders as b
now = timezone.now()
contest = b.open_competition("talk", opens_at=now - timedelta(days=1),
    closes_at=now + timedelta(days=1), reveals_at=now + timedelta(days=2))
b.hand_in(b.team(contest, "alice"), at=now)
evaluate_next.wake()
"""
STATES = """
from leaderboard.evaluation.models import Evaluation
print(*Evaluation.objects.values_list("state", flat=True))
"""
# What our own wake-up call looks like on the wire (kombu 5.7, task protocol 2).
HEADERS = {
    "lang": "py",
    "task": "leaderboard.evaluate_next",
    "id": "7a7b0c84-3b5a-4f0e-8f3a-000000000000",
    "eta": None,
    "expires": None,
    "retries": 0,
    "timelimit": [None, None],
    "root_id": "7a7b0c84-3b5a-4f0e-8f3a-000000000000",
    "parent_id": None,
    "group": None,
}
PROPERTIES = {
    "body_encoding": "base64",
    "delivery_tag": "7a7b0c84-3b5a-4f0e-8f3a-000000000001",
    "delivery_info": {"exchange": "", "routing_key": "score"},
    "delivery_mode": 2,
    "priority": 0,
    "correlation_id": "7a7b0c84-3b5a-4f0e-8f3a-000000000000",
}


def message(body: bytes = b"[[], {}, null]", **changed: Any) -> bytes:
    """One of ours, with some parts replaced; `headers` and `properties` are laid over ours."""
    whole = {
        "body": base64.b64encode(body).decode(),
        "content-type": "application/json",
        "content-encoding": "utf-8",
        **changed,
        "headers": HEADERS | changed.get("headers", {}),
        "properties": PROPERTIES | changed.get("properties", {}),
    }
    return json.dumps(whole).encode()


def small() -> dict[str, tuple[bytes, str]]:
    """Packed messages that are not too large: by name, with the reason why each is none of ours."""
    some, all_of_it = bytes(INFLATED // 10), bytes(INFLATED)
    kinds = {
        "application/x-gzip": gzip.compress(some),
        "application/x-bz2": bz2.compress(all_of_it),
    }
    codecs = {"zlib_codec": zlib.compress(some), "bz2_codec": kinds["application/x-bz2"]}
    return {
        f"small, {kind}": (message(body, headers={"compression": kind}), "packed")
        for kind, body in kinds.items()
    } | {
        f"small, {codec}": (message(body, **{"content-encoding": codec}), "content encoding")
        for codec, body in codecs.items()
    }


def version_1(**changed: Any) -> bytes:
    """A task of Celery's first protocol: all of it stands in the body."""
    task = {"task": "leaderboard.evaluate_next", "id": "7a7b0c84", "args": [], "kwargs": {}}
    whole = json.loads(message(json.dumps({**task, **changed}).encode()))
    return json.dumps({**whole, "headers": {}}).encode()


def poisons() -> dict[str, bytes]:
    """What somebody who can write to the broker may leave there."""
    packed = gzip.compress(bytes(INFLATED))
    return {
        "empty": b"",
        "a word": b"hello",
        "a list": b"[]",
        "null": b"null",
        "a number": b"7",
        "no text": b"\xff\xfe\x00\x80",
        "deeply nested": b"[" * 100_000,
        "no properties": json.dumps({"body": "", "headers": {}}).encode(),
        "headers are a list": json.dumps({**json.loads(message()), "headers": []}).encode(),
        "a tag that is no text": message(properties={"delivery_tag": {"a": []}}),
        "no route": message(properties={"delivery_info": {}}),
        "a route that is no text": message(
            properties={"delivery_info": {"exchange": [], "routing_key": {}}}
        ),
        "no base64": message(body=b"", **{"properties": {"body_encoding": "rot13"}}),
        "a body that is a number": json.dumps({**json.loads(message()), "body": 7}).encode(),
        "packed": message(packed, headers={"compression": "application/x-gzip"}),
        "packed by its encoding": message(packed, **{"content-encoding": "zlib_codec"}),
        **{name: content for name, (content, _) in small().items()},
        "a pickle": message(b"cos\nsystem\n(S'true'\ntR.", **{"content-type": "pickle"}),
        "no arguments": message(b"7"),
        "arguments of another shape": message(b'[{"a": 1}, [2], {"callbacks": 5}]'),
        "callbacks": message(b'[[], {}, {"callbacks": [{"task": "x"}], "chord": 7}]'),
        "an unknown task": message(headers={"task": "os.system"}),
        "a task that is a list": message(headers={"task": ["a"]}),
        "no task": message(headers={"task": None}),
        "an id that is a map": message(headers={"id": {"a": 1}}),
        "a date that is none": message(headers={"eta": "tomorrow", "expires": "never"}),
        "dates that are numbers": message(headers={"eta": 5, "expires": [1]}),
        "limits that are words": message(headers={"timelimit": ["a", "b"]}),
        "limits that are none": message(headers={"timelimit": 5}),
        "a far future": message(headers={"eta": "9999-12-31T23:59:59"}),
        "retries that are a word": message(headers={"retries": "many"}),
        "a priority that is a word": message(properties={"priority": "high"}),
        "an answer to somebody": message(properties={"reply_to": {"a": 1}}),
        "stamps": message(headers={"stamps": 5}),
        "stamps that are a list": message(headers={"stamps": {"a": 1}, "stamped_headers": 7}),
        "half a character": message(properties={"delivery_tag": "\ud800"}),
        "an endless limit": message(headers={"timelimit": [1e300, 1e300]}),
        "a header that is a map": message(headers={"root_id": {"a": 1}, "group": [1]}),
        "version 1": version_1(),
        "version 1, a task that is a list": version_1(task=["a"]),
        "version 1, an id that is a map": version_1(id={"a": 1}),
        "version 1, limits that are a word": version_1(timelimit="abc"),
        "version 1, a far future": version_1(eta="9999-12-31T23:59:59"),
        "two megabytes": message(json.dumps([["x" * 2_000_000], {}, None]).encode()),
    }


def leave(stack: Stack, number: int, content: bytes) -> None:
    """Put raw bytes where the worker takes messages from."""
    if "redis" in stack.servers:
        url = stack.env["CELERY_BROKER_URL"]
        redis.Redis.from_url(url).lpush("leaderboard:score", content)
        return
    name = f"{number:020d}_poison.score.msg"
    beside = stack.folder / "queue" / f".{name}"
    beside.write_bytes(content)
    beside.rename(beside.with_name(name))


def waiting(stack: Stack) -> int:
    if "redis" in stack.servers:
        return int(redis.Redis.from_url(stack.env["CELERY_BROKER_URL"]).llen("leaderboard:score"))
    return len(list(Path(stack.folder / "queue").glob("*.msg")))


def broken(stack: Stack) -> int:
    """How many were put aside."""
    if "redis" in stack.servers:
        url = stack.env["CELERY_BROKER_URL"]
        return int(redis.Redis.from_url(url).llen("leaderboard:broken"))
    return len(list((stack.folder / "queue" / "broken").iterdir()))


def peak(pid: int) -> int:
    """The most memory that a process ever held, in bytes."""
    [kilobytes] = re.findall(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(kilobytes) * 1024


def test_a_small_packed_message_is_refused_for_being_packed() -> None:
    for name, (content, reason) in small().items():
        assert len(content) <= LARGEST_BYTES, name
        with pytest.raises(NotOurs, match=f"^{reason}$"):
            read(content)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, which Linux has")
@pytest.mark.parametrize("broker", ["folder", "redis"])
def test_a_worker_survives_messages_that_are_none_of_ours(
    broker: Literal["folder", "redis"],
) -> None:
    with Stack(broker=broker, only=("worker",)) as stack:
        daemon = stack.daemons["worker"]
        before = peak(stack.pid("worker"))
        for number, (name, content) in enumerate(poisons().items()):
            leave(stack, number, content)
            stack.wait_for(lambda: waiting(stack) == 0 or not daemon.running(), 20, name)
            assert daemon.running(), name
        stack.manage("shell", "--no-imports", "-c", HAND_IN)

        def states() -> str:
            assert daemon.running()
            return stack.manage("shell", "--no-imports", "-c", STATES).strip()

        stack.wait_for(lambda: states() == "done", 40, "scored after all of them")
        grown = peak(stack.pid("worker")) - before
        print(f"{broker}: the worker's peak grew by {grown / 1e6:.1f} MB")
        assert grown < 50_000_000
        assert "Unrecoverable error" not in stack.log("worker")
        assert broken(stack) >= 29
