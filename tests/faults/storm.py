"""A crowd at work while processes are killed at random, and what is left afterwards.

python -m tests.faults.storm kills --stack postgres-redis    # 600 files, 100 kills
python -m tests.faults.storm soak --minutes 60               # a kill every 20 s

Whoever gets no answer presses the button again, under the same key. In the end everything is
counted: each accepted file was scored once, or was hit by three kills and given back.
"""

import argparse
import itertools
import os
import random
import signal
import statistics
import sys
import threading
import time
import urllib.error
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

import numpy as np

from tests.faults.drive import upload
from tests.faults.test_killed_workers import LAPTOP, SERVERS, hidden_text_in, states
from tests.person import Person
from tests.stack import Stack

ROWS = 100
CONTEST = "/c/faults/"
FORM = f"{CONTEST}submit"
PAGES = ("", "leaderboard", "submissions", "team", "forum", "ledger", "submit")
AWAY = (urllib.error.URLError, HTTPException, OSError)
STACKS = {"-".join(kind): kind for kind in (LAPTOP, SERVERS)}


@dataclass
class Storm:
    """One stack, its crowd, and what is seen of both."""

    stack: Stack
    seed: int
    accepted: Counter[str] = field(default_factory=Counter)
    answers: Counter[int] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    ends: threading.Event = field(default_factory=threading.Event)

    def hand_in(self, person: Person, token: str, seed: int) -> None:
        """One file, until an answer says that it is there."""
        key, data = uuid.uuid4().hex, upload(ROWS, seed).data
        began = time.monotonic()
        while True:
            with suppress(*AWAY):
                answer = person.upload(FORM, token, data, key=key)
                self.answers[answer.status] += 1
                if answer.status == 302:
                    break
            time.sleep(0.5)
        self.waits.append(time.monotonic() - began)
        self.accepted[person.name] += 1

    def look_around(self, person: Person, draw: random.Random) -> None:
        with suppress(*AWAY):
            self.answers[person.get(CONTEST + draw.choice(PAGES)).status] += 1

    def kill_one(self, draw: random.Random) -> str:
        """SIGKILL for a process of a service drawn at random; a fallen parent comes back."""
        name = draw.choice(list(self.stack.daemons))
        pids = [self.stack.pid(name), *self.stack.children(name)]
        pid = draw.choice(pids)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        if pid == pids[0]:
            self.stack.daemons[name].kill_remains()
            self.stack.daemons[name].start()
            return f"{name}'s parent"
        return f"{name}'s child"

    def recover(self) -> float:
        """Seconds until the site answers and scoring goes on, or nothing waits."""
        began = time.monotonic()
        before = states(self.stack)

        def well() -> bool:
            now = states(self.stack)
            goes_on = now["done"] > before["done"] or not now["queued"] + now["running"]
            return self.stack.ready() and goes_on

        self.stack.wait_for(well, 120, "well again")
        return time.monotonic() - began

    def audit(self) -> str:
        """Wait until all has ended and count. AssertionError if anything is lost or twice."""
        total = self.accepted.total()

        def over() -> bool:
            now = states(self.stack)
            return now["done"] + now["failed"] >= total and not now["queued"] + now["running"]

        self.stack.wait_for(over, 300, "all ended")
        now, found = states(self.stack), self.stack.drive("faults.drive", "audit")
        lost = total - found["submissions"] + found["without_file"]
        twice = found["charges"] - total + found["scores"] - 2 * now["done"]
        assert found["refunds"] == now["failed"], (found["refunds"], now)
        assert hidden_text_in(self.stack) == []
        assert (lost, twice) == (0, 0), (found, now, total)
        return (
            f"{total} files: {now['done']} scored, {now['failed']} given back after three kills, "
            f"{lost} lost, {twice} twice; answers {dict(sorted(self.answers.items()))}"
        )


def started(name: str, people: int, seed: int) -> tuple[Storm, dict[Person, str]]:
    """The stack with its contest, and everybody signed in, with the form open."""
    stack = Stack(*STACKS[name])
    stack.start()
    stack.drive("faults.drive", "prepare", "0", str(ROWS), "mecab-ko", str(people))
    everybody = [Person.signed_in(stack.url, f"person{n}") for n in range(people)]
    return Storm(stack, seed), {person: person.token(FORM) for person in everybody}


def crowd(
    people: dict[Person, str], work: Callable[[int, Person, str], None]
) -> list[threading.Thread]:
    threads = [
        threading.Thread(target=work, args=(n, person, token), daemon=True)
        for n, (person, token) in enumerate(people.items())
    ]
    for thread in threads:
        thread.start()
    return threads


def spans(seconds: list[float]) -> str:
    """Median, 95 % and longest."""
    ordered = sorted(seconds)
    p95 = ordered[int(0.95 * (len(ordered) - 1))]
    return (
        f"median {statistics.median(ordered):.1f} s, p95 {p95:.1f} s, longest {ordered[-1]:.1f} s"
    )


def kills(name: str, *, files: int = 600, people: int = 60, number: int = 100, seed: int) -> None:
    """`number` kills, spread over the time in which all hand in."""
    storm, everybody = started(name, people, seed)
    numbers = itertools.count(1)
    killed = Counter[str]()
    recoveries: list[float] = []

    def work(n: int, person: Person, token: str) -> None:
        draw = random.Random(f"{seed} {n}")
        for _ in range(files // people):
            time.sleep(draw.uniform(0, 2 * number / (files / people)))
            storm.hand_in(person, token, next(numbers))

    try:
        threads = crowd(everybody, work)
        draw = random.Random(seed)
        for _ in range(number):
            time.sleep(draw.uniform(0, 1))
            killed[storm.kill_one(draw)] += 1
            recoveries.append(storm.recover())
        for thread in threads:
            thread.join(300)
        print(f"{name}: {number} kills ({', '.join(f'{n} {what}' for what, n in killed.items())})")
        print(f"well again after a kill: {spans(recoveries)}")
        print(f"from the button to an answer: {spans(storm.waits)}")
        print(storm.audit())
    except BaseException:
        print(storm.stack.logs(), file=sys.stderr)
        raise
    finally:
        storm.stack.close()


def resources(stack: Stack) -> dict[str, float]:
    """Megabytes of each service and of its largest process, and open files and processes of all.

    A page that several processes share is counted in parts, together once (PSS); the sum of what
    is resident would count it in each. A child that was killed comes back small, and a second one
    stays so until it is needed: the sum says as much of the kills as of growth, the largest less.
    """
    found, largest = Counter[str](), Counter[str]()
    for name in stack.daemons:
        for pid in (stack.pid(name), *stack.children(name)):
            with suppress(OSError):
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
                size = int(rollup.split("Pss:")[1].split()[0]) * 1024 // 10**6
                found[f"MB, {name}"] += size
                largest[f"MB, largest of {name}"] = max(size, largest[f"MB, largest of {name}"])
                found["open files"] += len(os.listdir(f"/proc/{pid}/fd"))
                found["processes"] += 1
    found["MB"] = sum(size for name, size in found.items() if name.startswith("MB, "))
    return dict(found | largest)


def slopes(seen: list[tuple[float, dict[str, float]]], after: float) -> list[str]:
    """Of each number the first and the last value from that minute on, and the change a minute."""
    late = [(minute, each) for minute, each in seen if minute >= after]
    minutes = [minute for minute, _ in late]
    found = []
    for name in late[-1][1]:
        values = [each.get(name, 0.0) for _, each in late]
        slope = np.polyfit(minutes, values, 1)[0]
        found.append(f"{name}: {values[0]:.0f} to {values[-1]:.0f}, {slope:+.2f} a minute")
    return found


def soak(
    name: str, *, minutes: float, people: int, pause: float, every: float = 20, seed: int
) -> None:
    """Random actors, a kill every `every` seconds; memory and files by the minute.

    pause: how many times 1 to 5 s each waits between two looks.
    """
    storm, everybody = started(name, people, seed)
    numbers = itertools.count(1)
    seen: list[tuple[float, dict[str, float]]] = []

    def work(n: int, person: Person, token: str) -> None:
        draw = random.Random(f"{seed} {n}")
        while not storm.ends.is_set():
            time.sleep(draw.uniform(1, 5) * pause)
            if draw.random() < 0.15:
                storm.hand_in(person, token, next(numbers))
            else:
                storm.look_around(person, draw)

    try:
        threads = crowd(everybody, work)
        draw = random.Random(seed)
        began = time.monotonic()
        while (now := time.monotonic() - began) < minutes * 60:
            time.sleep(every)
            # Before the kill, when all that the last one took along is back.
            seen.append((now / 60, resources(storm.stack)))
            storm.kill_one(draw)
        storm.ends.set()
        for thread in threads:
            thread.join(120)
        print(f"{name}: {minutes:g} minutes, {len(seen)} kills")
        print(storm.audit())
        print("\n".join(slopes(seen, after=min(10, minutes / 3))))
    except BaseException:
        print(storm.stack.logs(), file=sys.stderr)
        raise
    finally:
        storm.ends.set()
        storm.stack.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.storm")
    parser.add_argument("what", choices=("kills", "soak"))
    parser.add_argument("--stack", choices=tuple(STACKS), default="postgres-redis")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--people", type=int, default=20, help="in the soak, each a team")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.what == "kills":
        kills(options.stack, seed=options.seed)
    else:
        pause = options.people / 20  # as many files as of 20 people
        soak(
            options.stack,
            minutes=options.minutes,
            people=options.people,
            pause=pause,
            seed=options.seed,
        )


if __name__ == "__main__":
    main()
