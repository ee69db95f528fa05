"""What `compose.yaml` and the Dockerfile start, as processes: own commands, own environment."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from leaderboard.operations.up import Daemon, stop
from tests.servers import ROOT, Postgres, Redis, free_port, told, wait_for_all

pytestmark = pytest.mark.services
# What an operator types before `docker compose up`.
TYPED = {
    "BASE_URL": "https://contest.example.org",
    "SECRET_KEY": "a-long-random-text-" * 4,
    "POSTGRES_PASSWORD": "of-postgres",
    "REDIS_PASSWORD": "of-redis",
    "JUDGE_BASE_URL": "https://judge.example.org/v1",
    "JUDGE_API_KEY": "of-the-judge",
}
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}")


def services() -> dict[str, Any]:
    """The services of compose.yaml that are built here, with what was typed put in."""
    found = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    return {name: one for name, one in found.items() if "build" in one}


def environment(service: dict[str, Any]) -> dict[str, str]:
    """Its variables as Docker would hand them over: one without a value only if it was typed."""
    return {
        name: _VARIABLE.sub(lambda at: TYPED.get(at[1], at[2] or ""), str(value or TYPED[name]))
        for name, value in service["environment"].items()
        if value is not None or name in TYPED
    }


def docker(word: str) -> list[str]:
    """What stands behind a word of the Dockerfile, at each of its lines."""
    text = (ROOT / "Dockerfile").read_text()
    return re.findall(rf"^{word} (.+)$", text, re.MULTILINE)


def command(service: dict[str, Any]) -> list[str]:
    """Its own, or the image's."""
    own = service.get("command")
    return shlex.split(own) if own else list(json.loads(docker("CMD")[0]))


class Running(NamedTuple):
    """The port of the pages, and the environment of each service that goes on."""

    port: int
    env: dict[str, Mapping[str, str]]

    def is_healthy(self, name: str) -> bool:
        """Its own health check, which Docker runs in a shell where it is no list."""
        check = services()[name]["healthcheck"]["test"]
        return subprocess.run(check, shell=True, cwd=ROOT, env=self.env[name]).returncode == 0


@contextmanager
def running(tmp_path: Path, postgres: Postgres, redis: Redis) -> Iterator[Running]:
    """All of them. The two servers stand elsewhere, that is all."""
    port = free_port()
    there = {
        "postgres://leaderboard:of-postgres@postgres:5432/leaderboard": postgres.new_database(
            f"compose{port}"
        ),
        "redis://:of-redis@redis:6379/0": redis.url,
        "file:///data/files": f"file://{tmp_path}/data/files",
    }
    image = dict(pair.split("=", 1) for pair in shlex.split(docker("ENV")[0]))
    here = {"DATA_DIR": str(tmp_path / "data"), "HOST": "127.0.0.1", "PORT": str(port)}
    path = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "ENV_FILE": os.devnull}
    daemons = []
    for name, service in services().items():
        env = {**image, **path, **here}
        env |= {key: there.get(value, value) for key, value in environment(service).items()}
        if name == "migrate":
            (tmp_path / "data").mkdir()
            subprocess.run(command(service), cwd=ROOT, env=env, check=True, capture_output=True)
            continue
        daemons.append(Daemon(name, command(service), tmp_path / f"{name}.log", env, ROOT))
    for daemon in daemons:
        daemon.start()
    try:
        yield Running(port, {one.name: one.env for one in daemons})
        assert all(daemon.running() for daemon in daemons)
    finally:
        stop(daemons, patience=10)


def documented(word: str) -> list[list[str]]:
    """The commands of the page on operating that Docker is told to run, which hold the word."""
    text = (ROOT / "docs/operating.md").read_text()
    found = re.findall(r"^docker compose .*\bweb (python manage\.py [^#\n]+)", text, re.MULTILINE)
    return [shlex.split(one) for one in found if f" {word}" in one]


def backup_and_drill(tmp_path: Path, postgres: Postgres, env: Mapping[str, str]) -> None:
    """A backup of what runs with these variables, restored elsewhere."""
    (tmp_path / "backups").mkdir()

    def run(words: list[str], env: Mapping[str, str]) -> str:
        words = [str(tmp_path / "backups") if word == "/backups" else word for word in words]
        done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    backups, restores = documented("backup"), documented("restore")
    assert (len(backups), len(restores)) == (2, 2)
    create = "from tests.leaderboard.builders import creator; creator()"
    run(["python", "manage.py", "shell", "--no-imports", "-c", create], env)
    assert "All was read back" in run(backups[0], env)
    elsewhere = {
        **env,
        "DATABASE_URL": postgres.new_database("drill"),
        "DATA_DIR": str(tmp_path / "drill"),
        "STORAGE_URL": f"file://{tmp_path}/drill/files",
    }
    (tmp_path / "drill").mkdir()
    run(restores[0], elsewhere)
    [check] = documented("rebuild_standings")
    run(check, elsewhere)
    count = "from leaderboard.accounts.models import User; print(User.objects.count())"
    assert run(["python", "manage.py", "shell", "--no-imports", "-c", count], elsewhere) == "1\n"


def test_all_of_it_runs_is_backed_up_and_restored_by_the_commands_of_the_page(
    tmp_path: Path, postgres: Postgres, redis_server: Redis
) -> None:
    with running(tmp_path, postgres, redis_server) as all_of_it:
        wait_for_all(all_of_it.port)
        assert told(all_of_it.port)["problems"] == []
        healthy = {name for name in all_of_it.env if all_of_it.is_healthy(name)}
        assert healthy == {"web", "worker", "sweeper", "judge"}
        backup_and_drill(tmp_path, postgres, all_of_it.env["web"])


def test_every_service_is_bounded_and_watched_and_writes_nowhere_else() -> None:
    for name, one in yaml.safe_load((ROOT / "compose.yaml").read_text())["services"].items():
        assert "mem_limit" in one, name
        assert name == "migrate" or "healthcheck" in one, name
        if "build" in one or name == "proxy":
            assert (one["read_only"], one["cap_drop"]) == (True, ["ALL"])
            assert one["security_opt"] == ["no-new-privileges:true"]
        else:
            assert re.search(r":\d+\.\d+", one["image"]), "an exact tag"
    assert docker("USER") == ["leaderboard"]
    assert all(re.match(r"\S+:\d+\.\d+\.\d+-slim", base) for base in docker("FROM"))


def test_the_image_has_the_programs_of_the_server_s_major_version() -> None:
    """pg_dump of an older one refuses the server; the folder of a newer one is read by no other."""
    server = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["postgres"]["image"]
    [client] = re.findall(r"postgresql-client-(\d+)", " ".join(docker("RUN")))
    [copied] = {copy for line in docker("COPY") for copy in re.findall(r"postgresql/(\d+)/", line)}
    assert copied == client
    assert server.startswith(f"postgres:{client}.")
    bases = {base.split()[0].split("@")[0] for base in docker("FROM")}
    assert [base.rpartition("-")[2] for base in bases] == [DEBIAN[client]]


DEBIAN = {"15": "bookworm", "17": "trixie"}  # whose own client is of that major version


def test_the_judges_worker_alone_has_its_key_and_its_packages() -> None:
    found = services()
    keys = {name: environment(one).get("JUDGE_API_KEY") for name, one in found.items()}
    assert {name for name, key in keys.items() if key} == {"judge"}
    built = {name: one["build"] for name, one in found.items() if isinstance(one["build"], dict)}
    extra = {name: build["args"]["EXTRA"] for name, build in built.items()}
    assert extra == {"judge": "requirements-judge.txt"}
    [install] = [line.split("&& ")[-1] for line in docker("RUN") if "pip install" in line]
    assert "--require-hashes" in install
    for name in ("", extra["judge"]):
        said = subprocess.run(
            ["sh", "-c", f"pip() {{ echo $@; }}; {install.replace('/venv/bin/pip', 'pip')}"],
            env={"EXTRA": name, "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        files = [word for word in said if word.startswith("requirements")]
        assert files == ["requirements-prod.txt", *([name] if name else [])]
        assert all((ROOT / file).exists() for file in files)
