"""The broker in a folder, with real processes publishing and reading at once."""

import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection, Producer
from kombu.exceptions import OperationalError

import leaderboard.celery  # noqa: F401  (registers the transport's name)

ROOT = Path(__file__).resolve().parents[3]

PUBLISH = """
import sys
from kombu import Connection
import leaderboard.celery
folder, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Connection("folder://localhost", transport_options={"folder": folder}) as connection:
    queue = connection.SimpleQueue("score")
    for number in range(count):
        # Long enough that a half-written file would be seen by a reader.
        queue.put({"from": name, "number": number, "filling": "x" * 20_000})
"""

READ = """
import sys, time
from queue import Empty
from kombu import Connection
import leaderboard.celery
folder, total = sys.argv[1], int(sys.argv[2])
with Connection(
    "folder://localhost", transport_options={"folder": folder, "polling_interval": 0.01}
) as connection:
    queue = connection.SimpleQueue("score")
    while True:
        try:
            message = queue.get(timeout=3)
        except Empty:
            break
        print(message.payload["from"], message.payload["number"], flush=True)
        message.ack()
"""


def connect(folder: Path) -> Connection:
    options = {"folder": str(folder), "polling_interval": 0.01}
    return Connection("folder://localhost", transport_options=options)


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def test_a_message_arrives_once_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with connect(tmp_path) as connection:
        queue = connection.SimpleQueue("score")
        queue.put({"schema": 1})
        message = queue.get(timeout=1)
        message.ack()
        assert message.payload == {"schema": 1}
        with pytest.raises(Empty):
            queue.get(timeout=0.05)
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


def test_messages_come_in_the_order_they_were_put(tmp_path: Path) -> None:
    with connect(tmp_path) as connection:
        queue = connection.SimpleQueue("score")
        for number in range(20):
            queue.put(number)
        assert [queue.get(timeout=1).payload for _ in range(20)] == list(range(20))


def test_queues_do_not_see_each_other(tmp_path: Path) -> None:
    with connect(tmp_path) as connection:
        score, other = connection.SimpleQueue("score"), connection.SimpleQueue("rescore")
        score.put("a")
        assert (other.clear(), score.clear()) == (0, 1)


@pytest.mark.faults
def test_concurrent_publishers_and_readers_lose_and_double_nothing(tmp_path: Path) -> None:
    each, names = 400, ("a", "b")
    readers = [start(READ, str(tmp_path), str(each * len(names))) for _ in range(3)]
    publishers = [start(PUBLISH, str(tmp_path), name, str(each)) for name in names]
    for process in publishers:
        process.communicate(timeout=60)
        assert process.returncode == 0
    seen: Counter[str] = Counter()
    for process in readers:
        seen.update(process.communicate(timeout=60)[0].splitlines())
        assert process.returncode == 0
    assert seen == Counter(f"{name} {number}" for name in names for number in range(each))
    assert list((tmp_path / "taken").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00"])
def test_a_file_that_a_power_cut_left_is_kept_and_the_next_message_read(
    tmp_path: Path, content: bytes
) -> None:
    with connect(tmp_path) as connection:
        queue = connection.SimpleQueue("score")
        queue.put("good")
        (tmp_path / "00000000000000000000_broken.score.msg").write_bytes(content)
        assert queue.get(timeout=1).payload == "good"
    assert (tmp_path / "taken" / "00000000000000000000_broken.score.msg").read_bytes() == content


def test_folders_and_messages_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "queue"
    with connect(folder) as connection:
        connection.SimpleQueue("score").put("a")
        [message] = folder.glob("*.msg")
        assert (folder.stat().st_mode & 0o777, message.stat().st_mode & 0o777) == (0o700, 0o600)


def test_an_unusable_folder_is_an_operational_error(tmp_path: Path) -> None:
    """The family of error that publishers catch; a bare OSError would pass them by."""
    (tmp_path / "queue").write_text("a file where the folder should be")
    with connect(tmp_path / "queue") as connection:
        connection.transport_options["max_retries"] = 1
        with pytest.raises(OperationalError):
            Producer(connection).publish("a", routing_key="score", retry=False)


def test_a_reader_survives_a_folder_that_is_gone_for_a_while(tmp_path: Path) -> None:
    folder = tmp_path / "queue"
    with connect(folder) as connection:
        queue = connection.SimpleQueue("score")
        shutil.rmtree(folder)
        folder.write_text("a file where the folder should be")
        with pytest.raises(Empty):
            queue.get(timeout=0.05)
        folder.unlink()
        queue.put("good")
        assert queue.get(timeout=1).payload == "good"
