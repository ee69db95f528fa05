"""The units of docs/systemd, started as they are written, on servers that stand elsewhere."""

import os
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from leaderboard.operations.up import Daemon, stop
from tests.servers import ROOT, Postgres, Redis, free_port, missing, wait_for, wait_for_all

pytestmark = pytest.mark.services

FOLDER = ROOT / "docs/systemd"
UNITS = {file.stem.removeprefix("leaderboard-"): file for file in sorted(FOLDER.glob("*.service"))}
BACKUP = UNITS.pop("backup")
CODE = "/opt/leaderboard"
JUDGE = {"JUDGE_BASE_URL": "https://judge.example.org/v1", "JUDGE_API_KEY": "of-the-judge"}


def unit(file: Path) -> dict[str, list[str]]:
    """Each word of a unit with its values; a word may stand more than once."""
    found = defaultdict(list)
    for line in file.read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found[name].append(value)
    return found


def variables(found: dict[str, list[str]], here: dict[str, str]) -> dict[str, str]:
    """Its own, then the file's, as systemd reads them; `here` says what lies elsewhere."""
    own = [pair.split("=", 1) for line in found["Environment"] for pair in shlex.split(line)]
    assert found["EnvironmentFile"] == ["/etc/leaderboard.env"]
    lines = (FOLDER / "leaderboard.env").read_text().splitlines()
    read = [line.split("=", 1) for line in lines if "=" in line and not line.startswith("#")]
    written = dict([*own, *read])
    return {name: here.get(value, value) for name, value in written.items()}


def words(command: str) -> list[str]:
    """A command of a unit, with this environment's programs; %% is a percent sign there."""
    program, *rest = shlex.split(command.replace("%%", "%"))
    assert program.startswith(f"{CODE}/.venv/bin/")
    return [str(Path(sys.executable).parent / Path(program).name), *rest]


@contextmanager
def running(tmp_path: Path, here: dict[str, str]) -> Iterator[dict[str, Daemon]]:
    daemons = {}
    try:
        for name in sorted(UNITS, key=lambda name: name != "web"):  # the others come After= it
            found = unit(UNITS[name])
            env = {"PATH": os.environ["PATH"], "ENV_FILE": os.devnull, "PORT": here["port"]}
            env |= variables(found, here) | JUDGE
            for before in found["ExecStartPre"]:
                subprocess.run(words(before), cwd=ROOT, env=env, check=True)
            [start] = found["ExecStart"]
            daemons[name] = Daemon(name, words(start), tmp_path / f"{name}.log", env, ROOT)
            daemons[name].start()
        yield daemons
    finally:
        stop(list(daemons.values()), patience=10)


def test_the_units_run_as_written(tmp_path: Path, postgres: Postgres, redis_server: Redis) -> None:
    here = {
        "/var/lib/leaderboard": str(tmp_path / "data"),
        "postgres:////var/run/postgresql/leaderboard": postgres.new_database(
            "systemd", migrated=True
        ),
        "redis://:REDIS_PASSWORD@127.0.0.1:6379/0": redis_server.url,
        "port": str(free_port()),
    }

    with running(tmp_path, here) as daemons:
        wait_for_all(int(here["port"]))
        alive = ["-IS", "leaderboard/operations/alive.py", "sweeper"]
        env = dict(daemons["sweeper"].env)
        wait_for(
            lambda: subprocess.run([sys.executable, *alive], cwd=ROOT, env=env).returncode == 0,
            30,
            "the sweeper's sign",
        )
        assert all(daemon.running() for daemon in daemons.values())


def test_systemd_reads_them(tmp_path: Path) -> None:
    """With paths and a user that this machine has: it looks whether they are there."""
    if shutil.which("systemd-analyze") is None:
        missing("systemd-analyze", "systemd")
    for file in [*FOLDER.glob("*.service"), *FOLDER.glob("*.t*")]:
        text = file.read_text().replace(f"{CODE}/.venv/bin/", f"{Path(sys.executable).parent}/")
        text = text.replace(f"={CODE}\n", f"={ROOT}\n")
        text = text.replace("User=leaderboard", "User=root").replace("Group=leaderboard", "")
        (tmp_path / file.name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", *sorted(tmp_path.iterdir())],
        capture_output=True,
        text=True,
    )
    ours = [line for line in done.stderr.splitlines() if "leaderboard" in line]
    assert (done.returncode, ours) == (0, [])


def test_the_timer_and_the_command_lie_where_the_units_lie() -> None:
    found, sweeper = unit(BACKUP), unit(UNITS["sweeper"])
    assert found["ReadWritePaths"] == [words(*found["ExecStart"])[-1]]
    script = (FOLDER / "leaderboard").read_text()
    for name in ("User", "WorkingDirectory", "EnvironmentFile", "UMask"):
        assert found[name] == sweeper[name]
        assert found[name][0] in script
    assert sweeper["Environment"] == found["Environment"]
    assert f"{CODE}/.venv/bin/python manage.py" in script
