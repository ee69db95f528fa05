"""A whole contest on seven machines, of which one after the other is killed."""

import signal
import time
import urllib.error
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from http.client import HTTPException

import pytest

from tests.faults.drive import upload
from tests.faults.test_killed_workers import states
from tests.person import Person
from tests.servers import Bucket, PgBouncer
from tests.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.slow]
ROWS = 40
FORM = "/c/faults/submit"
AWAY = (urllib.error.URLError, HTTPException, OSError)
MINUTE = 60
REVEAL = """
from datetime import timedelta
from django.utils import timezone
from leaderboard.competitions.models import Competition
now = timezone.now()
Competition.objects.update(closes_at=now - timedelta(minutes=2), reveals_at=now)
"""


@dataclass
class Machines:
    """Two for the web, two that score, one that sweeps; a pooler, a broker and a bucket."""

    webs: tuple[Stack, Stack]
    workers: tuple[Stack, Stack]
    sweeper: Stack
    bouncer: PgBouncer
    bucket: Bucket

    def hand_in(self, people: list[Person], tokens: list[str], data: bytes) -> str:
        """Press the button here, else there, until the file is taken; its page."""
        key, until = uuid.uuid4().hex, time.monotonic() + MINUTE
        while time.monotonic() < until:
            for person, token in zip(people, tokens, strict=True):
                try:
                    answer = person.upload(FORM, token, data, key=key)
                except AWAY:
                    continue
                if answer.status == 302 and answer.location:
                    return answer.location
            time.sleep(0.3)
        raise AssertionError("nobody took the file")

    def wait_until_scored(self, number: int, after: str) -> None:
        web = self.webs[0]
        web.wait_for(lambda: states(web)["done"] == number, MINUTE, f"all scored after {after}")


@pytest.fixture
def machines() -> Iterator[Machines]:
    with ExitStack() as opened:
        bucket = Bucket()
        opened.callback(bucket.close)
        shared = {"STORAGE_URL": bucket.url, "SECRET_KEY": "k" * 60}
        first = Stack("postgres", "redis", env=shared, only=("web",))
        opened.callback(first.close)
        bouncer = PgBouncer(first.servers["postgres"])  # type: ignore[arg-type]
        opened.callback(bouncer.close)
        shared |= {"CELERY_BROKER_URL": first.env["CELERY_BROKER_URL"]}
        # Migrations go past the pooler, as documented; all else through it.
        first.manage("migrate", "--no-input", "--verbosity=0")
        shared |= bouncer.pooled(first.env["DATABASE_URL"])
        first.env |= shared
        first.start()
        others = [
            opened.enter_context(Stack(env=shared, only=only))
            for only in (("web",), ("worker",), ("worker",), ("sweeper",))
        ]
        yield Machines((first, others[0]), (others[1], others[2]), others[3], bouncer, bucket)


def test_one_of_each_is_killed_and_nothing_is_lost(machines: Machines) -> None:
    first, second = machines.webs
    first.drive("faults.drive", "prepare", "0", str(ROWS))
    people = [Person.signed_in(web.url, "person0") for web in machines.webs]
    tokens = [person.token(FORM) for person in people]

    def bucket_away() -> Callable[[], object]:
        machines.bucket.send(signal.SIGSTOP)
        return lambda: machines.bucket.send(signal.SIGCONT)

    def killed(stack: Stack, name: str) -> Callable[[], Callable[[], object]]:
        def kill() -> Callable[[], object]:
            stack.kill(name, tree=True)
            return lambda: stack.restart(name)

        return kill

    def bouncer_killed() -> Callable[[], object]:
        machines.bouncer.kill()
        return machines.bouncer.start

    faults: dict[str, Callable[[], Callable[[], object]]] = {
        "nothing": lambda: lambda: None,
        "first web": killed(first, "web"),
        "second web": killed(second, "web"),
        "first worker": killed(machines.workers[0], "worker"),
        "second worker": killed(machines.workers[1], "worker"),
        "sweeper": killed(machines.sweeper, "sweeper"),
        "pooler": bouncer_killed,
        "database": killed(first, "postgres"),
        "broker": killed(first, "redis"),
        "store": bucket_away,
    }
    sent: dict[str, bytes] = {}
    for number, (name, fault) in enumerate(faults.items()):
        began = time.monotonic()
        data = [upload(ROWS, 2 * number).data, upload(ROWS, 2 * number + 1).data]
        # One waits when it happens, one is handed in meanwhile.
        sent[machines.hand_in(people, tokens, data[0])] = data[0]
        heal = fault()
        if name not in ("pooler", "database", "store"):  # without these nobody takes a file
            sent[machines.hand_in(people[::-1], tokens[::-1], data[1])] = data[1]
        else:
            time.sleep(2)
        heal()
        if len(sent) % 2:
            sent[machines.hand_in(people, tokens, data[1])] = data[1]
        machines.wait_until_scored(len(sent), name)
        print(f"{name}: all scored after {time.monotonic() - began:.1f} s")

    found = first.drive("faults.drive", "audit")
    assert found["submissions"] == found["charges"] == found["evaluations"] == len(sent)
    assert (found["scores"], found["refunds"], found["without_file"]) == (2 * len(sent), 0, 0)
    for stack in (first, second, *machines.workers, machines.sweeper):
        assert not (stack.folder / "files").exists()
    first.manage("shell", "--no-imports", "-c", REVEAL)
    pages = [person.get("/c/faults/leaderboard.csv?board=private") for person in people]
    assert pages[0].status == 200
    assert pages[0].text.splitlines()[-1] == pages[1].text.splitlines()[-1]
    for location, data_sent in sent.items():
        for person in people:
            assert person.get(f"{location.split('?')[0]}/file").text.encode() == data_sent
