"""`./run` on machines that have the right Python somewhere, or nowhere."""

import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.leaderboard.operations.first_command import Machine
from tests.servers import ROOT
from tests.stack import group_members


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


BUILDS = """\
import pathlib
def get_requires_for_build_wheel(config_settings=None):
    pathlib.Path({marker!r}).touch()
    return []
def prepare_metadata_for_build_wheel(folder, config_settings=None):
    raise SystemExit("built")
build_wheel = get_requires_for_build_wheel
"""


@pytest.mark.parametrize("tool", ["pip", "uv"])
@pytest.mark.parametrize(
    "file",
    [
        pytest.param(
            file,
            id=file.name,
            marks=() if file.name == "requirements.txt" else pytest.mark.again,
        )
        for file in sorted(ROOT.glob("requirements*.txt"))
    ],
)
def test_the_binding_is_never_built(tmp_path: Path, file: Path, tool: str) -> None:
    """An index that has only its source, and the lines of a requirement file about it."""
    marker = tmp_path / "build-began"
    lines = [
        line.removesuffix(" \\")  # its hashes come below; the planted source has none of them
        for line in file.read_text().splitlines()
        if line.startswith(("--", "python-mecab-ko=="))
    ]
    assert len(lines) == 2
    _source_only(tmp_path, lines[1], BUILDS.format(marker=str(marker)))
    asked = tmp_path / "asked.txt"
    for allowed in ("\n".join(lines), lines[1]):  # then as it was: this test can fail
        asked.write_text(allowed + "\n")
        install = [sys.executable, "-m", tool, *(["pip"] if tool == "uv" else []), "install"]
        from_folder = ["--no-index", "--no-deps", "--find-links", str(tmp_path)]
        # The environment that runs this has it already; an empty folder does not.
        where = ["--target", str(tmp_path / "target")]
        done = subprocess.run(
            [*install, *from_folder, *where, "-r", str(asked)],
            cwd=tmp_path,  # without the project's own settings of uv
            env=os.environ | {"UV_NO_CACHE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert marker.exists() == (allowed == lines[1]), done.stderr


def _source_only(folder: Path, requirement: str, backend: str) -> None:
    name = requirement.replace("-", "_").replace("==", "-")
    version = requirement.partition("==")[2]
    settings = "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
    about = f"Metadata-Version: 2.1\nName: python-mecab-ko\nVersion: {version}\n"
    with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as archive:
        for inside, text in (
            ("pyproject.toml", settings),
            ("backend.py", backend),
            ("PKG-INFO", about),
        ):
            member = tarfile.TarInfo(f"{name}/{inside}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))


def test_the_processes_of_a_stack_are_found_without_ps(monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/proc/self/stat").exists():
        pytest.skip("macOS has ps, and no /proc")
    monkeypatch.setenv("PATH", "")
    assert os.getpid() in group_members(os.getpgid(0))
    assert group_members(os.getpgid(0)) != group_members(1)
