"""The file as people run it: fetched from the server, by the oldest and the newest Python here."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from leaderboard.api.client import leaderboard_client as client
from tests.leaderboard.api.cutting import Cut, cuts, cutting
from tests.leaderboard.api.test_docs import ACTION
from tests.leaderboard.material import prediction_csv
from tests.stack import Stack

pytestmark = pytest.mark.faults
OLD, NEW = ("3.8", "3.9", "3.10", "3.11"), ("3.14", "3.13", "3.12", "3.11")


class Site(NamedTuple):
    """A server with a contest, and everybody's token."""

    stack: Stack
    tokens: Mapping[str, str]


class Shown(NamedTuple):
    code: int
    out: str
    err: str


class Shell:
    """Somebody's folder with the file that the server hands out."""

    def __init__(self, folder: Path, site: Site, python: str) -> None:
        self.folder, self.site, self.python = folder, site, python
        with urllib.request.urlopen(f"{site.stack.url}/cli") as answer:
            (folder / client.__name__.rpartition(".")[2]).with_suffix(".py").write_bytes(
                answer.read()
            )
        (folder / "good.csv").write_bytes(prediction_csv())
        home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config")}
        self.env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **home}

    @property
    def command(self) -> list[str]:
        return [self.python, "leaderboard_client.py"]

    def run(self, *words: str, text: str = "", **env: str) -> Shown:
        done = subprocess.run(
            [*self.command, *words],
            cwd=self.folder,
            env={**self.env, **env},
            input=text.encode(),
            capture_output=True,
            check=False,
        )
        shown = Shown(done.returncode, done.stdout.decode(), done.stderr.decode())
        for secret in self.site.tokens.values():
            assert secret not in shown.out + shown.err
        assert "Traceback" not in shown.err, shown.err
        return shown


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Stack() as stack:
        yield Site(stack, stack.drive("leaderboard.api.served", "prepare"))


def python(versions: tuple[str, ...]) -> str:
    """The first of these that there is on this machine, else that of the tests."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for version in versions:
        kept = sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
        for name in [*map(str, kept), shutil.which(f"python{version}")]:
            if (
                name
                and not subprocess.run([name, "-c", "import ssl"], capture_output=True).returncode
            ):
                return name
    return sys.executable


@pytest.fixture(params=[OLD, pytest.param(NEW, marks=pytest.mark.slow)], ids=["oldest", "newest"])
def shell(request: pytest.FixtureRequest, site: Site, tmp_path: Path) -> Shell:
    return Shell(tmp_path, site, python(request.param))


@pytest.fixture
def own(site: Site, tmp_path: Path) -> Shell:
    """With the Python of the tests, which has pandas."""
    return Shell(tmp_path, site, sys.executable)


def test_from_login_to_the_board(shell: Shell) -> None:
    who = "alice" if shell.python == python(OLD) else "bob"
    assert shell.run("limits", "-c", "talk").code == 4
    assert f"as {who} " in shell.run("login", text=shell.site.tokens[who] + "\n").out
    talk = {"LEADERBOARD_COMPETITION": "talk"}
    checked = shell.run("validate", "good.csv", **talk)
    assert (checked.code, "valid, 4 rows" in checked.out) == (0, True)
    dry = shell.run("submit", "good.csv", "--dry-run", **talk)
    assert (dry.code, "20 of 20 left today" in dry.out) == (0, True)
    handed = shell.run("submit", "-f", "good.csv", "-m", "첫 시도", "--wait", **talk)
    assert handed.code == 0, handed.err
    assert re.search(r"^score +\d\.\d{4}$", handed.out, re.M)
    assert "19 of 20 left today" in handed.out
    assert not set(handed.err) & set("\r\x1b")
    twice = shell.run("submit", "good.csv", **talk)
    assert (twice.code, "--again hands it in anyway" in twice.err) == (2, True)
    listed = json.loads(shell.run("submissions", "--json", **talk).out)
    assert [one["note"] for one in listed["items"]] == ["첫 시도"]
    board = shell.run("leaderboard", "--csv", "-q", "-c", "talk").out.splitlines()
    assert board[0].startswith("rank,team")
    assert any(f",{who}," in line for line in board[1:])


def test_a_file_beside_it_is_not_taken_for_a_part_of_python(shell: Shell) -> None:
    own = {"LEADERBOARD_TOKEN": shell.site.tokens["alice"], "LEADERBOARD_COMPETITION": "talk"}
    for name in ("argparse", "csv", "json", "ssl", "typing", "types", "http", "encodings"):
        (shell.folder / f"{name}.py").write_text("raise SystemExit('shadowed')\n")
    work = shell.folder / "work"
    work.mkdir()
    (work / "json.py").write_text("raise SystemExit('shadowed')\n")
    assert shell.run("limits", **own).code == 0
    elsewhere = [shell.python, str(shell.folder / "leaderboard_client.py"), "limits"]
    for path in ("", ".", str(work)):
        env = {**shell.env, **own, "PYTHONPATH": path}
        assert subprocess.run(elsewhere, cwd=work, env=env).returncode == 0
    piped = (shell.folder / "leaderboard_client.py").read_bytes()
    command, env = [shell.python, "-", "limits"], {**shell.env, **own}
    assert subprocess.run(command, cwd=work, env=env, input=piped).returncode == 0


def test_the_steps_of_the_github_action(own: Shell) -> None:
    """As a runner runs them, beside a `gh` that only notes what it was asked."""
    gh, summary = own.folder / "gh", own.folder / "summary"
    gh.write_text('#!/bin/sh\necho "$@" > asked; cat "$5" >> asked\n')
    gh.chmod(0o755)
    given = {
        "LEADERBOARD_URL": own.site.stack.url,
        "LEADERBOARD_COMPETITION": "talk",
        "LEADERBOARD_TOKEN": own.site.tokens["frank"],
        "FILE": "good.csv",
        "NOTE": '<b>"$(id)"',
        "PULL_REQUEST": "https://github.example/1",
    }
    places = {name: str(own.folder) for name in ("RUNNER_TEMP", "GITHUB_WORKSPACE")}
    places |= {"GITHUB_OUTPUT": str(own.folder / "out"), "GITHUB_STEP_SUMMARY": str(summary)}
    path = f"{own.folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**own.env, **given, **places, "PATH": path}
    steps = [step["run"] for step in yaml.safe_load(ACTION.read_text())["runs"]["steps"]]
    for step in steps:
        subprocess.run(["bash", "-e", "-c", step], cwd=own.folder, env=env, check=True)
    assert re.match(r"score=\d\.\d+\nrank=\d+\n$", (own.folder / "out").read_text())
    assert "&lt;b&gt;&quot;$(id)&quot;" in summary.read_text()
    asked = (own.folder / "asked").read_text()
    assert asked.startswith("pr comment https://github.example/1 --body-file ")
    assert summary.read_text() in asked
    (own.folder / "good.csv").write_bytes(prediction_csv({"talk_1": "민수"}))
    (own.folder / "out").unlink()
    subprocess.run(["bash", "-e", "-c", steps[0]], cwd=own.folder, env=env, check=True)
    assert re.match(r"score=\d\.\d+\nrank=\n$", (own.folder / "out").read_text())


def test_handed_in_once_however_often_the_connection_is_cut(site: Site) -> None:
    file = client.Sending("good.csv", prediction_csv())
    length = len(file.form(note="", method_name="")[0])
    points = cuts(50, seed=7, request=length, answer=1000)  # neither is as short, with its head
    assert {cut.of_request for cut in points} == {True, False}
    waited: list[float] = []
    with cutting(site.stack.port, [*points, Cut(False, 0)]) as url:
        remote = client.Remote(
            url, site.tokens["charlie"], "talk", pauses=[0.0] * 60, sleep=waited.append
        )
        result = client.hand_in(remote, file, key="once-and-no-more")
    assert len(waited) == 51
    assert result.left_today == 19
    assert site.stack.drive("leaderboard.api.served", "charges", "charlie") == [1, 1]
