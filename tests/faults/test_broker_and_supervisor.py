"""The launcher behind `./run`, and a broker that takes no message, with real processes."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.drive import upload
from tests.faults.test_killed_workers import states
from tests.person import Person
from tests.servers import ROOT, free_port, wait_for
from tests.stack import Stack

pytestmark = pytest.mark.faults
POLLED = 15  # seconds at most until a file is scored that nobody could be woken for


def plain_environment() -> dict[str, str]:
    """This process's variables without what tests/settings.py put there."""
    theirs = ("DATABASE_URL", "DATA_DIR", "DJANGO_SETTINGS_MODULE", "LOG_LEVEL")
    kept = {name: value for name, value in os.environ.items() if name not in theirs}
    return {**kept, "ENV_FILE": os.devnull}


class Launched:
    """`./run` in a folder of its own, without the demo; `data`: what lies there already."""

    def __init__(self, data: Path | None = None, **env: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="leaderboard-run-"))
        self.port = free_port()
        self.output = self.folder / "terminal"
        self.data = self.folder / "var"
        if data is not None:
            shutil.copytree(data, self.data)
        self.env = {
            **plain_environment(),
            "DATA_DIR": str(self.data),
            "PORT": str(self.port),
            "DEMO": "0",
            **env,
        }
        with self.output.open("ab") as terminal:
            self.process = subprocess.Popen(
                ["./run"], cwd=ROOT, env=self.env, stdout=terminal, stderr=terminal
            )

    def text(self) -> str:
        return self.output.read_text()

    def ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5) as page:
                return bool(page.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def wait_until_ready(self) -> None:
        wait_for(lambda: "Ctrl-C stops" in self.text() and self.ready(), 90, "./run ready")

    def processes(self, word: str = "") -> list[int]:
        """Every process that belongs to this launch, found by its data folder's name."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                environment = (folder / "environ").read_bytes()
                command = (folder / "cmdline").read_bytes()
                state = (folder / "stat").read_text().rsplit(")", 1)[1].split()[0]
            except OSError:
                continue  # it has just ended
            ours = f"DATA_DIR={self.data}".encode() in environment and state != "Z"
            if ours and word.encode() in command:
                found.append(int(folder.name))
        return sorted(found)

    def stop(self, number: signal.Signals) -> float:
        """Send a signal to the launcher alone; the seconds until it has left."""
        began = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(60)
        return time.monotonic() - began

    def close(self) -> None:
        if self.process.poll() is None:
            self.stop(signal.SIGTERM)
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, which Linux has")


@pytest.fixture(scope="module")
def launches() -> Iterator[list[Launched]]:
    """Those of this module, of which the last may still run."""
    made: list[Launched] = []
    yield made
    for each in made:
        each.close()


@pytest.fixture
def launched(launches: list[Launched]) -> Launched:
    """One that runs: the last test's, unless that ended it. The first begins with nothing, the
    others on tables that were there.
    """
    if not launches:
        launches.append(Launched())
    if launches[-1].process.poll() is not None:
        with contextlib.closing(Stack(only=())) as stack:
            stack.start()
            launches.append(Launched(stack.folder))
    launches[-1].wait_until_ready()
    return launches[-1]


def stopped(launched: Launched, number: signal.Signals) -> None:
    """It ends at this signal, and leaves no process."""
    assert len(launched.processes()) >= 6  # launcher, web and two, worker and two, sweeper
    seconds = launched.stop(number)
    print(f"{number.name}: stopped in {seconds:.1f} s")
    assert launched.process.returncode == 0
    assert launched.processes() == []
    assert launched.text().rstrip().endswith(f"Everything is kept in {launched.data}")


@needs_proc
def test_a_signal_while_it_is_still_starting_leaves_no_process() -> None:
    launched = Launched()
    try:
        wait_for(lambda: launched.processes("prepare"), 30, "preparing")
        launched.stop(signal.SIGINT)
        assert launched.processes() == []
    finally:
        launched.close()


@needs_proc
def test_a_launcher_that_is_killed_takes_its_services_along(launched: Launched) -> None:
    launched.process.kill()
    launched.process.wait()
    wait_for(lambda: not launched.processes(), 30, "services gone")


@needs_proc
def test_fallen_services_are_started_again(launched: Launched) -> None:
    fallen = {word: launched.processes(word) for word in ("gunicorn", "celery", "sweeper")}
    for pids in fallen.values():
        os.kill(pids[0], signal.SIGKILL)
    for word, before in fallen.items():
        wait_for(
            lambda w=word, b=before: set(launched.processes(w)) - set(b),  # type: ignore[misc]
            30,
            f"{word} again",
        )
    wait_for(launched.ready, 30, "web again")
    assert "web was ended by SIGKILL; starting it again in 1 s" in launched.text()


def test_a_second_launch_says_in_one_line_what_to_do(launched: Launched) -> None:
    def launch(**env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["./run"],
            cwd=ROOT,
            env={**launched.env, **env},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    same_folder = launch(PORT=str(free_port()))
    assert same_folder.returncode == 1
    assert same_folder.stderr.startswith(f"Already running on {launched.data}")
    assert same_folder.stderr.count("\n") == 1
    same_port = launch(DATA_DIR=str(launched.folder / "other"))
    assert same_port.returncode == 1
    assert f"PORT={launched.port + 1} ./run" in same_port.stderr
    assert same_port.stderr.count("\n") == 1


@needs_proc
def test_a_signal_stops_everything_and_only_then_reset_deletes_it(launched: Launched) -> None:
    def reset(*words: str, answer: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["./run", "reset", *words],
            cwd=ROOT,
            env=launched.env,
            input=answer,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    assert reset("--yes").returncode == 1  # it is still running
    stopped(launched, signal.SIGTERM)
    assert "Nothing deleted" in reset(answer="\n").stdout
    assert (launched.data / "db.sqlite3").exists()
    assert reset("--yes").returncode == 0
    assert not launched.data.exists()


CONTEST = """
from tests.leaderboard import builders as b
from django.utils import timezone
from datetime import timedelta
now = timezone.now()
contest = b.open_competition("talk", opens_at=now - timedelta(days=1),
    closes_at=now + timedelta(days=1), reveals_at=now + timedelta(days=2))
b.team(contest, "alice")
print(b.prediction_csv().decode())
"""


def check_an_upload_is_kept(stack: Stack, predictions: str, where: str) -> None:
    """Alice signs in, hands in and sees the page of her file, though the web cannot wake a worker.

    How long it may pause for the broker is asserted where a busy machine is no excuse:
    tests/leaderboard/worker/test_waking.py
    """
    alice = Person.signed_in(stack.url, "alice")
    token = alice.token("/c/talk/submit")
    began = time.monotonic()
    location = alice.upload("/c/talk/submit", token, predictions.encode()).location
    print(f"accepted in {time.monotonic() - began:.2f} s {where}")
    assert location is not None
    assert "/c/talk/submissions/" in location
    assert alice.get(location).status == 200
    assert "wake.failed" in stack.log("web")
    assert '"where"' not in stack.log("web")  # an error that nobody foresaw


def scored_after_redis_stood_still(stack: Stack) -> None:
    """It keeps nobody out, and holds nobody up once it goes on."""
    predictions = stack.manage("shell", "--no-imports", "-c", CONTEST)
    stack.servers["redis"].send(signal.SIGSTOP)
    check_an_upload_is_kept(stack, predictions, "before a Redis that stands still")
    stack.servers["redis"].send(signal.SIGCONT)
    stack.wait_for(lambda: states(stack) == {"done": 1}, 30, "scored after Redis went on")


@pytest.mark.services
def test_files_are_scored_while_redis_stands_still_or_is_gone() -> None:
    """Nobody can wake a worker; those that are idle ask the database."""
    with Stack("postgres", "redis") as stack:
        scored_after_redis_stood_still(stack)
        stack.drive("faults.drive", "prepare", "0", "40")
        alice = Person.signed_in(stack.url, "person0")
        token = alice.token("/c/faults/submit")
        stack.kill("redis")
        ready = alice.json("/readyz")
        assert (ready["ready"], ready["remarks"]) == (True, ["broker_unreachable"])
        for number in range(2):
            sent = time.monotonic()
            assert alice.upload("/c/faults/submit", token, upload(40, number).data).status == 302
            wanted = {"done": number + 2}  # and the one from before
            stack.wait_for(
                lambda wanted=wanted: states(stack) == wanted,  # type: ignore[misc]
                POLLED,
                "scored without Redis",
            )
            print(f"scored {time.monotonic() - sent:.1f} s later without Redis")
        stack.restart("redis")
        after = stack.drive("faults.drive", "audit")
        assert after["evaluations"] == after["charges"] == 3
        assert (after["scores"], after["refunds"]) == (6, 0)
