"""`./run` on machines that have the right Python somewhere, or nowhere."""

import re
from pathlib import Path

import pytest

from tests.leaderboard.operations.first_command import Machine
from tests.servers import ROOT


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


OLD_UV = ".local/share/uv/python/cpython-3.12.1-linux-x86_64-gnu/bin/python"
PYENV = ".pyenv/versions/3.12.1/bin/python"
BREW = "brew/opt/python@3.12/bin/python3.12"


@pytest.mark.parametrize(
    ("on_path", "at_home"),
    [
        *(({name: "3.12.1"}, {}) for name in ("python3.11", "python3.12", "python3", "python")),
        *(({"python3": "3.13.0"}, {place: "3.12.1"}) for place in (PYENV, OLD_UV, BREW)),
        # Another interpreter has no wheels; one with venv goes before one without.
        ({"python3.11": "3.11.9-pypy", "python3": "3.12.1"}, {}),
        ({"python3": "3.11.2-bare"}, {PYENV: "3.12.1"}),
    ],
)
def test_a_python_of_the_right_version_is_found(
    machine: Machine, on_path: dict[str, str], at_home: dict[str, str]
) -> None:
    for name, version in on_path.items():
        machine.python(machine.path / name, version)
    for place, version in at_home.items():
        machine.shim("python3.12")
        machine.python(machine.home / place, version)
    outcome = machine.run(HOMEBREW_PREFIX=f"{machine.home}/brew")
    assert (outcome.code, outcome.errors) == (0, [])
    assert outcome.notes == ["checked with 3.12.1"]


def test_a_named_python_that_is_too_new_is_said_and_gives_way(machine: Machine) -> None:
    machine.python(machine.path / "python3.13", "3.13.0")
    machine.python(machine.path / "python3", "3.12.1")
    outcome = machine.run(PYTHON="python3.13")
    (said,) = outcome.errors
    assert "PYTHON=python3.13" in said
    assert (outcome.code, outcome.notes) == (0, ["checked with 3.12.1"])


def test_uv_fetches_one_and_is_installed_once_from_the_index(machine: Machine) -> None:
    machine.python(machine.path / "python3", "3.13.0")
    machine.uv(machine.home / "index" / "uv", fetches="3.12.9")
    first = machine.run()
    assert (first.code, first.errors) == (0, [])
    assert first.notes == ["index asked for uv", "uv installed", "checked with 3.12.9"]
    (machine.project / ".venv" / "bin" / "python").unlink()
    assert machine.run().notes == ["uv installed", "checked with 3.12.9"]


@pytest.mark.parametrize(
    ("version", "uv", "said"),
    [
        ("3.13.0", True, "(dns error)"),
        *((version, False, "no network") for version in (None, "3.13.0-bare", "3.6.0")),
        ("3.11.2-bare", False, "apt install python3-venv"),
    ],
)
def test_one_line_says_what_is_missing(
    machine: Machine, version: str | None, uv: bool, said: str
) -> None:
    if version:
        machine.python(machine.path / "python3", version)
    if uv:
        machine.uv(machine.home / "index" / "uv")
    outcome = machine.run()
    assert outcome.code == 1
    (line,) = outcome.errors
    assert said in line
    assert not (machine.project / ".venv").exists()


def test_an_environment_of_another_version_is_replaced(machine: Machine) -> None:
    machine.python(machine.project / ".venv" / "bin" / "python", "3.13.0")
    (machine.project / ".venv" / ".requirements-dev.txt.installed").write_text(
        (ROOT / "requirements-dev.txt").read_text()
    )
    machine.python(machine.path / "python3.12", "3.12.1")
    outcome = machine.run()
    assert outcome.notes == ["checked with 3.12.1"]
    assert "Installing packages" in outcome.said  # what the other one had is gone


def test_a_terminal_sees_how_far_the_packages_are(machine: Machine) -> None:
    machine.python(machine.path / "python3", "3.12.1")
    lines = (ROOT / "requirements-dev.txt").read_text().splitlines()
    moved = re.findall(r"\r[^\r]*?(\d+) of (\d+) packages", machine.terminal())
    assert set(moved) == {("1", str(len([line for line in lines if "==" in line])))}


@pytest.mark.parametrize("file", sorted(ROOT.glob("requirements*.txt")), ids=lambda file: file.name)
def test_the_binding_is_never_built(file: Path) -> None:
    """Built here, it could be another engine: pip and uv take its wheel or nothing."""
    lines = file.read_text().splitlines()
    assert "--only-binary python-mecab-ko" in lines
    assert any(line.startswith("python-mecab-ko==") for line in lines)
