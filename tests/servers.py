"""Real PostgreSQL, Redis and S3 servers, each in a temporary folder and on a free port."""

import contextlib
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NoReturn, Self, TypeVar

import psycopg
import pytest
import redis

from leaderboard.operations.up import Daemon
from tests.once import made_once

ROOT = Path(__file__).resolve().parent.parent
INITDB_OPTIONS = ["-A", "trust", "-U", "app", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"]
MIGRATED = "migrated"  # a database of every PostgreSQL here
REDIS_PASSWORD = "redis-of-a-test"
T = TypeVar("T")


def free_port() -> int:
    """A port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(look: Callable[[], T], seconds: float, what: str = "the condition") -> T:
    """Call `look` until its answer is true, and return that. AssertionError after `seconds`.

    One that asks a process is not called as often as one that looks at a file: what it waits for
    needs the processor more.
    """
    deadline = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        answer = look()
        if answer:
            return answer
        now = time.monotonic()
        assert now < deadline, f"{what}: not within {seconds} s"
        time.sleep(min(max(0.05, now - began), 1))


def need(program: str, package: str) -> str:
    """The path of `program`; where it is missing, a skip on a laptop and a failure in CI."""
    # Debian keeps PostgreSQL's own programs off the PATH, one folder a version.
    versioned = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{program}"), reverse=True)
    found = versioned[0] if versioned else shutil.which(program)
    if found is None:
        missing(program, package)
    return found


def missing(program: str, package: str) -> NoReturn:
    """Skip the test with the line to install what it needs; in CI it fails."""
    message = f"{program} is missing: apt install {package}"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


Said = tuple[int, dict[str, str], bytes]  # status, heads and body of an answer


class Answering(ThreadingHTTPServer):
    """Another's server, at `place` of this machine; `answer` says what."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Asked)
        self.place = f"127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self.server_close()

    def answer(self, asked: BaseHTTPRequestHandler, body: bytes) -> Said:
        raise NotImplementedError


class _Asked(BaseHTTPRequestHandler):
    server: Answering

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, heads, text = self.server.answer(self, body)
        self.send_response(status)
        for name, value in {**heads, "Content-Length": str(len(text))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *args: Any) -> None:
        pass


class Chat(Answering):
    """Hears webhooks; the first `deaf` posts are answered with an error."""

    def __init__(self, deaf: int = 0) -> None:
        super().__init__()
        self.heard: list[dict[str, Any]] = []
        self.deaf = deaf

    def answer(self, asked: BaseHTTPRequestHandler, body: bytes) -> Said:
        if self.deaf:
            self.deaf -= 1
            return 500, {}, b""
        self.heard.append(json.loads(body))
        return 200, {}, b""


def told(port: int) -> dict[str, Any]:
    """What a web server of the product says of itself and all others; {} while it says nothing."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz?verbose", timeout=5) as answer:
            return dict(json.load(answer))
    except OSError:
        return {}


def wait_for_all(port: int) -> None:
    """Until the pages are ready and a process of each kind is at work."""

    def queues() -> set[str]:
        return {one["queue"] for one in told(port).get("workers", ()) if one["lives"]}

    wait_for(lambda: told(port).get("ready"), 60, "the pages")
    wait_for(lambda: queues() == {"web", "score", "judge", "sweeper"}, 60, "each at work")


def product(*words: str, umask: int = -1, **env: str) -> subprocess.CompletedProcess[str]:
    """Python on these words, as the product with these variables and this run's DATA_DIR."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "DATA_DIR") if name in os.environ}
    ours = {"ENV_FILE": os.devnull, "DJANGO_SETTINGS_MODULE": "leaderboard.settings"}
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**kept, **ours, **env},
        umask=umask,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


class SilentServer:
    """Takes every connection and never says a word, as a machine that stands still."""

    def __init__(self) -> None:
        # Nobody accepts: for who connects, waiting in the kernel's queue is being connected.
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self._listener.setblocking(False)
        self._taken: list[socket.socket] = []
        self.port = int(self._listener.getsockname()[1])

    @property
    def connections(self) -> int:
        """How many there were until now."""
        with contextlib.suppress(BlockingIOError):  # that was all
            while True:
                self._taken.append(self._listener.accept()[0])
        return len(self._taken)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for each in (self._listener, *self._taken):
            each.close()


class Server:
    """A server process in its own folder; `url` is where to reach it."""

    quick_stop = signal.SIGTERM

    def __init__(self, name: str) -> None:
        # Not under pytest's folder: PostgreSQL runs as another user, who could not enter it.
        self.folder = Path(tempfile.mkdtemp(prefix=f"leaderboard-{name}-"))
        self.port = free_port()
        self.daemon = Daemon(name, [], self.folder / "server.log", os.environ, self.folder)

    def answers(self) -> bool:
        raise NotImplementedError

    def start(self) -> None:
        """Start, also after `kill`, and wait until the server answers."""

        def answers() -> bool:
            if not self.daemon.running():
                self.daemon.start()  # after a crash the last one's children may still be leaving
            return self.answers()

        wait_for(answers, 20, f"{self.daemon.name} answering")

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the server's parent process."""
        assert self.daemon.process is not None
        self.daemon.process.send_signal(number)

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """The same, and wait for its end."""
        self.send(number)
        assert self.daemon.process is not None
        self.daemon.process.wait(20)

    def close(self) -> None:
        """End the server and delete its folder."""
        if self.daemon.running():
            self.send(signal.SIGCONT)  # one that a test stopped would not hear the next signal
            self.kill(self.quick_stop)
        self.daemon.kill_remains()
        shutil.rmtree(self.folder, ignore_errors=True)


def no_root(*paths: Path) -> list[str]:
    """What stands before the command of a program that refuses root, who gives it these paths."""
    if os.geteuid() != 0:
        return []
    for path in paths:
        shutil.chown(path, "postgres")
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


def connects(url: str) -> bool:
    """Whether somebody takes PostgreSQL's connections there."""
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


class PgBouncer(Server):
    """PgBouncer in transaction mode before a PostgreSQL, with fewer connections than clients."""

    quick_stop = signal.SIGTERM

    def __init__(self, postgres: "Postgres") -> None:
        program = need("pgbouncer", "pgbouncer")
        super().__init__("pgbouncer")
        file, people = self.folder / "pgbouncer.ini", self.folder / "people"
        people.write_text('"app" ""\n')
        file.write_text(
            f"[databases]\n* = host=127.0.0.1 port={postgres.port}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {self.port}\n"
            f"unix_socket_dir =\nauth_type = trust\nauth_file = {people}\n"
            "pool_mode = transaction\ndefault_pool_size = 3\n"
        )
        self.daemon.command = [*no_root(self.folder, file, people), program, str(file)]
        self.url = f"postgres://app@127.0.0.1:{self.port}/postgres"
        self.start()

    def answers(self) -> bool:
        return connects(self.url)

    def pooled(self, url: str) -> dict[str, str]:
        """The variables for the database that lies at `url` of the server behind."""
        name = url.rpartition("/")[2]
        there = f"postgres://app@127.0.0.1:{self.port}/{name}"
        return {"DATABASE_URL": there, "DATABASE_POOLED": "1"}


class Redis(Server):
    """Redis as production runs it: with a password, and every message appended to a file."""

    def __init__(self) -> None:
        program = need("redis-server", "redis-server")
        super().__init__("redis")
        self.url = f"redis://:{REDIS_PASSWORD}@127.0.0.1:{self.port}/0"
        options = f"--port {self.port} --bind 127.0.0.1 --dir {self.folder} --appendonly yes"
        options += f" --requirepass {REDIS_PASSWORD}"
        self.daemon.command = [program, *options.split(), "--save", ""]
        self.start()

    def answers(self) -> bool:
        try:
            return bool(redis.Redis.from_url(self.url).ping())
        except redis.RedisError:
            return False


class Postgres(Server):
    """PostgreSQL, as the user postgres when the tests run as root, which it refuses.

    `keep`: a folder whose data stay, and are found again the next time.
    """

    quick_stop = signal.SIGINT  # SIGTERM would wait for all clients to leave

    def __init__(self, keep: Path | None = None, *, template: bool = False) -> None:
        initdb, postgres = need("initdb", "postgresql"), need("postgres", "postgresql")
        super().__init__("postgres")
        self.data = (keep or self.folder) / "data"
        self.become = no_root(self.folder, self.data.parent)
        if not self.data.exists() and not template:
            full = made_once("postgres", _full_cluster) / "data"
            subprocess.run(["cp", "-a", str(full), str(self.data)], check=True)
        if not self.data.exists():
            subprocess.run(
                [*self.become, initdb, "-D", str(self.data), *INITDB_OPTIONS],
                check=True,
                cwd=self.folder,
                stdout=subprocess.DEVNULL,
            )
        address = f"-k {self.folder} -h 127.0.0.1 -p {self.port}"
        self.daemon.command = [*self.become, postgres, "-D", str(self.data), *address.split()]
        self.url = self._at("postgres")
        self.migrated = self._at(MIGRATED)
        self.start()

    def answers(self) -> bool:
        return connects(self.url)

    def new_database(self, name: str, *, migrated: bool = False) -> str:
        """Create a database and return its URL: an empty one, or one with all its tables."""
        template = f'TEMPLATE "{MIGRATED}"' if migrated else ""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" {template}')
        return self._at(name)

    def _at(self, name: str) -> str:
        return f"postgres://app@127.0.0.1:{self.port}/{name}"


def _full_cluster(folder: Path) -> None:
    """Leave there the data of a server that has ended, with a database that was migrated."""
    server = Postgres(template=True)
    with contextlib.closing(server):
        product = {
            "DATABASE_URL": server.new_database(MIGRATED),
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        }
        subprocess.run(
            [sys.executable, "manage.py", "migrate", "--verbosity=0"],
            cwd=ROOT,
            env={**os.environ, **product},
            check=True,
        )
        server.kill(server.quick_stop)
        subprocess.run(["cp", "-a", str(server.data), str(folder)], check=True)


class Bucket(Server):
    """A store that speaks S3 with one empty bucket; it keeps nothing over a `kill`.

    One that is away, and comes back with all it had, is one that was sent SIGSTOP.
    """

    def __init__(self) -> None:
        super().__init__("bucket")
        program = [sys.executable, "-m", "moto.server"]
        self.daemon.command = [*program, "-H", "127.0.0.1", "-p", str(self.port)]
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.url = f"s3://key:secret-of-a-test@files?endpoint={self.endpoint}&region=ap-northeast-2"
        self.start()
        request = urllib.request.Request(f"{self.endpoint}/files", method="PUT")
        urllib.request.urlopen(request, timeout=10).close()

    def answers(self) -> bool:
        try:
            urllib.request.urlopen(self.endpoint, timeout=2).close()
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False
        return True
