"""A machine for `./run`: a PATH and a home with Pythons of any version, an index, and uv.

The Pythons are this one, saying another version of itself. Environments and packages are noted in
a file instead of made: what is tried here is where `./run` looks and what it says.
"""

import os
import pty
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.servers import ROOT

TOOLS = ("cat", "cmp", "cp", "dirname", "grep", "mkdir", "rm", "sed", "sleep", "tail", "touch")

PYTHON = """\
import os, shutil, sys, time, types
version, home, me, *arguments = sys.argv[1:]
has = set(version.split("-")[1:])
def note(text):
    with open(f"{home}/notes", "a") as notes:
        notes.write(text + "\\n")
match arguments:
    case ["--version"]:
        print("Python", version)
    case ["-c", code]:
        sys.version_info = tuple(map(int, version.split("-")[0].split(".")))
        if "pypy" in has:
            sys.implementation = types.SimpleNamespace(name="pypy")
        if "bare" in has:
            sys.modules["ensurepip"] = None
        exec(code)
    case ["-m", "venv", folder] if "bare" not in has:
        os.makedirs(f"{folder}/bin")
        shutil.copy(me, f"{folder}/bin/python")
    case ["-m", "pip", "install", *_, "uv"] if "bare" not in has:
        note("index asked for uv")
        if not os.path.exists(f"{home}/index/uv"):
            sys.exit("ERROR: No matching distribution found for uv")
        os.makedirs(".uv/bin", exist_ok=True)
        shutil.copy(f"{home}/index/uv", ".uv/bin/uv")
    case ["-m", "pip", "install", *_, "requirements-dev.txt"] if os.path.exists(f"{home}/slow"):
        print("Collecting one", flush=True)
        time.sleep(1.5)
    case ["-m", "pip", *_] if "bare" not in has:
        pass
    case [".ci/check.py"]:
        note(f"checked with {version}")
    case _:
        sys.exit(f"no {arguments}")
"""

UV = """\
#!/bin/sh
[ "$1 $2" != "pip install" ] || echo "uv installed" >>"{home}/notes"
[ "$1" = venv ] || exit 0
for last; do :; done
case $* in *"--python cpython"*) ;; *) found=yes ;; esac
if [ -z "${{found:-}}" ] && [ ! -e "{home}/fetched" ]; then
    echo "error: Request failed after 3 retries" >&2
    echo "  cause: Failed to download the archive" >&2
    echo "  cause: dns error" >&2
    exit 2
fi
mkdir -p "$last/bin"
cp "{home}/fetched" "$last/bin/python"
"""


@dataclass(frozen=True)
class Outcome:
    """How `./run check` ended, what it said, and what was noted meanwhile."""

    code: int
    said: str
    errors: list[str]
    notes: list[str]


class Machine:
    """`path` and `home` are empty until something is put there; so is the package index."""

    def __init__(self, folder: Path) -> None:
        self.path, self.home = folder / "path with blank", folder / "home"
        self.project, self._tools = folder / "project", folder / "tools"
        for each in (self.path, self.home / "index", self.project, self._tools):
            each.mkdir(parents=True)
        for name in TOOLS:
            found = shutil.which(name)
            assert found, name
            (self._tools / name).symlink_to(found)
        for name in ("run", "requirements-dev.txt"):
            shutil.copy(ROOT / name, self.project)
        (self.home / "python.py").write_text(PYTHON)

    def python(self, place: Path, version: str) -> None:
        """A Python at `place`; `-bare` behind the version: no venv and no pip, `-pypy`: no CPython.

        `version` is like 3.12.1.
        """
        command = f'"{sys.executable}" -I "{self.home}/python.py" {version} "{self.home}" "$0" "$@"'
        _program(place, f"#!/bin/sh\nexec {command}\n")

    def shim(self, name: str) -> None:
        """What pyenv puts on the PATH for versions that are not chosen: it only complains."""
        _program(self.path / name, "#!/bin/sh\necho pyenv: not chosen >&2\nexit 127\n")

    def uv(self, place: Path, *, fetches: str = "") -> None:
        """A uv at `place` that can fetch a Python of that version, or none."""
        _program(place, UV.format(home=self.home))
        if fetches:
            self.python(self.home / "fetched", fetches)

    def terminal(self) -> str:
        """What `./run check` writes on a terminal while packages take their time."""
        (self.home / "slow").touch()
        (self.home / "notes").touch()
        master, slave = pty.openpty()
        env = {"PATH": f"{self.path}:{self._tools}", "HOME": str(self.home)}
        command = ["/bin/sh", "run", "check"]
        subprocess.run(command, cwd=self.project, env=env, stdout=slave, check=True)
        os.close(slave)
        shown = os.read(master, 10_000).decode()
        os.close(master)
        return shown

    def run(self, **env: str) -> Outcome:
        """`./run check` there."""
        notes = self.home / "notes"
        notes.write_text("")
        done = subprocess.run(
            ["/bin/sh", "run", "check"],
            cwd=self.project,
            env={"PATH": f"{self.path}:{self._tools}", "HOME": str(self.home), **env},
            capture_output=True,
            text=True,
            check=False,
        )
        return Outcome(
            done.returncode, done.stdout, done.stderr.splitlines(), notes.read_text().splitlines()
        )


def _program(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    place.chmod(0o755)
