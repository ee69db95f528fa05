"""Each place where a process can be held, times each thing that can happen to it just then.

python -m tests.faults.matrix --seeds 3     # all of it; goes on where it stopped

A person hands a file in and, where the answer did not arrive, again under the same key, as the
page's button does. After each fault everything is counted: a file that is not scored is lost, a
second submission, charge or score is twice. The last line is `<n> faults, <n> lost, <n> twice`.
"""

import argparse
import itertools
import json
import os
import random
import signal
import sqlite3
import statistics
import sys
import threading
import time
import urllib.error
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from http.client import HTTPException

from benchmarks.long import ROOT, commit
from tests.faults.drive import upload
from tests.faults.points import WEB, WORKER
from tests.faults.test_killed_workers import LAPTOP, SERVERS, Kind, hidden_text_in, states
from tests.person import Person
from tests.servers import Bucket
from tests.stack import Stack

ROWS = 40
PLACES = (*WEB, *WORKER)
FORM = "/c/faults/submit"
LOCKED = 22  # seconds of a write lock; who waits for it gives up after 20


@dataclass(frozen=True)
class Cell:
    """What happened where, with what a person noticed of it."""

    stack: str
    place: str
    fault: str
    seed: int
    seconds: float = 0.0
    posts: int = 0
    lost: int = 0
    twice: int = 0

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.stack, self.place, self.fault, self.seed


class Held:
    """A stack that stays for many faults, and how many files it has accepted."""

    def __init__(self, kind: Kind) -> None:
        self.name = "-".join(kind)
        env = {"DJANGO_SETTINGS_MODULE": "tests.faults.settings"}
        self.bucket = Bucket() if kind == SERVERS else None
        if self.bucket is not None:
            env |= {"STORAGE_URL": self.bucket.url, "SECRET_KEY": "k" * 60}
        self.stack = Stack(*kind, env=env)
        self.points = self.stack.folder / "points"
        self.points.mkdir()
        self.stack.env["FAULT_POINTS"] = str(self.points)
        self.stack.start()
        self.stack.drive("faults.drive", "prepare", "0", str(ROWS))
        self.person = Person.signed_in(self.stack.url, "person0")
        self.token = self.person.token(FORM)
        self.accepted = 0
        self._posts = 0

    def close(self) -> None:
        self.stack.close()
        if self.bucket is not None:
            self.bucket.close()

    def run(self, place: str, fault: str, seed: int) -> Cell:
        """One fault, from the button to the count."""
        draw = random.Random(f"{place} {fault} {seed}")
        (self.points / place).touch()
        sender = threading.Thread(target=self._hand_in, args=(draw.randrange(10**9),))
        began = time.monotonic()
        self._posts = 0
        sender.start()
        held = self.points / f"{place}.held"
        self.stack.wait_for(held.exists, 60, f"a process at {place}")
        time.sleep(draw.uniform(0, 0.3))
        heal = FAULTS[fault](self, place, int(held.read_text()))
        time.sleep(draw.uniform(0, 0.3))
        (self.points / f"{place}.go").touch()
        heal()
        sender.join(120)
        self.accepted += 1
        self.stack.wait_for(self._all_ended, 120, f"all ended after {fault} at {place}")
        seconds = time.monotonic() - began
        for file in self.points.iterdir():
            file.unlink()
        lost, twice = self.count()
        return Cell(self.name, place, fault, seed, round(seconds, 1), self._posts, lost, twice)

    def _hand_in(self, seed: int) -> None:
        """Press the button until an answer says that the file is there: the same key each time."""
        key, data = uuid.uuid4().hex, upload(ROWS, seed).data
        until = time.monotonic() + 100
        while time.monotonic() < until:
            self._posts += 1
            try:
                if self.person.copy().upload(FORM, self.token, data, key=key).status == 302:
                    return
            except (urllib.error.URLError, HTTPException, OSError):
                pass
            time.sleep(1)

    def _all_ended(self) -> bool:
        now = states(self.stack)
        return now["done"] >= self.accepted and not now["queued"] + now["running"]

    def count(self) -> tuple[int, int]:
        """Files lost, and things there twice; a word of the golds outside counts as lost."""
        found = self.stack.drive("faults.drive", "audit")
        done = states(self.stack)["done"]
        files: int = found["submissions"]
        lost = max(0, self.accepted - files) + (files - done)
        lost += found["without_file"] + found["refunds"] + len(hidden_text_in(self.stack))
        twice = max(0, files - self.accepted) + abs(found["charges"] - files)
        twice += abs(found["scores"] - 2 * done)
        return lost, twice


Heal = Callable[[], object]


def kill_child(held: Held, place: str, pid: int) -> Heal:
    """The process that is held there, by SIGKILL; its parent starts another."""
    os.kill(pid, signal.SIGKILL)
    return lambda: None


def kill_parent(held: Held, place: str, pid: int) -> Heal:
    name = "web" if place in WEB else "worker"
    held.stack.kill(name)
    return lambda: held.stack.restart(name)


def kill_web(held: Held, place: str, pid: int) -> Heal:
    held.stack.kill("web", tree=True)
    return lambda: held.stack.restart("web")


def kill_server(held: Held, name: str) -> Heal:
    held.stack.kill(name, tree=True)

    def heal() -> None:
        time.sleep(2)
        held.stack.restart(name)

    return heal


def stop_broker(held: Held, place: str, pid: int) -> Heal:
    """Redis by SIGKILL; the folder of messages is a file for a while."""
    if "redis" in held.stack.servers:
        return kill_server(held, "redis")
    queue = held.stack.folder / "queue"
    queue.rename(held.stack.folder / "queue-away")
    queue.write_text("no folder")

    def heal() -> None:
        time.sleep(2)
        queue.unlink()
        (held.stack.folder / "queue-away").rename(queue)

    return heal


def stop_database(held: Held, place: str, pid: int) -> Heal:
    """PostgreSQL by SIGKILL of all its processes; on SQLite somebody holds the write lock."""
    if "postgres" in held.stack.servers:
        return kill_server(held, "postgres")
    file = held.stack.folder / "db.sqlite3"

    def lock() -> None:
        with closing(sqlite3.connect(file, timeout=60, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            time.sleep(LOCKED)
            connection.execute("ROLLBACK")

    locker = threading.Thread(target=lock)
    locker.start()
    return locker.join


def stop_store(held: Held, place: str, pid: int) -> Heal:
    """The S3 server stands still; only where there is one."""
    assert held.bucket is not None
    held.bucket.send(signal.SIGSTOP)

    def heal() -> None:
        time.sleep(2)
        assert held.bucket is not None
        held.bucket.send(signal.SIGCONT)

    return heal


FAULTS: dict[str, Callable[[Held, str, int], Heal]] = {
    "child": kill_child,
    "parent": kill_parent,
    "web": kill_web,
    "broker": stop_broker,
    "database": stop_database,
    "store": stop_store,
}


def cells(seeds: int) -> Iterator[tuple[Kind, str, str, int]]:
    """All of them, of one stack after the other, each stack's in an order of its own."""
    for kind in (LAPTOP, SERVERS):
        faults = [fault for fault in FAULTS if fault != "store" or kind == SERVERS]
        own = list(itertools.product(PLACES, faults, range(1, seeds + 1)))
        random.Random("-".join(kind)).shuffle(own)
        for place, fault, seed in own:
            yield kind, place, fault, seed


def table(done: list[Cell]) -> str:
    """Median seconds from the button to the score by stack and fault, and the sums."""
    lines = [f"{'seconds to the score':32}" + "".join(f"{fault:>10}" for fault in FAULTS)]
    for stack in dict.fromkeys(cell.stack for cell in done):
        for place in PLACES:
            of_row = [cell for cell in done if (cell.stack, cell.place) == (stack, place)]
            line = f"{stack:16}{place:28}"[:44]
            for fault in FAULTS:
                spans = [cell.seconds for cell in of_row if cell.fault == fault]
                line += f"{statistics.median(spans):>10.1f}" if spans else f"{'-':>10}"
            lines.append(line)
    lost, twice = sum(cell.lost for cell in done), sum(cell.twice for cell in done)
    return "\n".join([*lines, f"{len(done)} faults, {lost} lost, {twice} twice"])


def main() -> int:
    """Run what is not there yet, print the table; 1 if anything was lost or is there twice."""
    parser = argparse.ArgumentParser(prog="./run faults")
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    kept = ROOT / "var" / "faults" / f"{commit()}.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    lines = kept.read_text().splitlines() if kept.exists() else []
    done = {cell.key: cell for cell in (Cell(**json.loads(line)) for line in lines)}
    held: Held | None = None
    wanted = list(cells(options.seeds))
    try:
        for kind, place, fault, seed in wanted:
            name = "-".join(kind)
            if (name, place, fault, seed) in done:
                continue
            if held is None or held.name != name:
                if held is not None:
                    held.close()
                held = Held(kind)
            cell = held.run(place, fault, seed)
            done[cell.key] = cell
            with kept.open("a") as file:
                file.write(json.dumps(asdict(cell)) + "\n")
            print(cell, file=sys.stderr, flush=True)
    except BaseException:
        if held is not None:
            print(held.stack.logs(), file=sys.stderr)
        raise
    finally:
        if held is not None:
            held.close()
    asked = {("-".join(kind), place, fault, seed) for kind, place, fault, seed in wanted}
    found = [cell for key, cell in done.items() if key in asked]
    print(table(found))
    return int(any(cell.lost or cell.twice for cell in found))


if __name__ == "__main__":
    sys.exit(main())
