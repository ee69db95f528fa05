"""Every variable that the code reads stands in docs/operating.md with its default, and no other."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from leaderboard.operations.variables import NAMES
from tests.servers import ROOT

READERS = {"env", "environ", "os.environ"}
FILES = [*ROOT.glob("leaderboard/**/*.py"), ROOT / "gunicorn.conf.py"]
# What Python and Django read under these names is described by them.
THEIRS = {"DJANGO_SETTINGS_MODULE"}
ROW = re.compile(r"^\| `([A-Z_]+)` \| ([^|]*) \|", re.MULTILINE)


def variables() -> dict[str, ast.expr | None]:
    """Name -> default, of each call that reads the environment by a name that is written there."""
    found: dict[str, ast.expr | None] = {}
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text())):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.args[0]
            if not isinstance(name, ast.Constant) or not _reads(node.func):
                continue
            default = [word.value for word in node.keywords if word.arg == "default"]
            found[str(name.value)] = (default or [found.get(str(name.value)), *node.args[1:]])[-1]
    return found


def _reads(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return ast.unparse(function.value) in READERS and function.attr != "setdefault"
    return ast.unparse(function) == "is_said"


def documented() -> dict[str, str]:
    text = (ROOT / "docs/operating.md").read_text().split("## Every variable")[1]
    return dict(ROW.findall(text.split("\n## ")[0]))


def test_the_table_names_what_the_code_reads() -> None:
    read = {name for name in variables() if re.fullmatch("[A-Z_]+", name)} - THEIRS
    assert len(read) > 50
    assert read == documented().keys()
    assert list(documented()) == sorted(documented())


def test_a_process_knows_the_names_that_the_table_has() -> None:
    """So that it can tell a misspelt one. One is read for its password alone, and means nothing."""
    assert documented().keys() == NAMES - {"CACHE_URL"}


@pytest.mark.faults
def test_a_misspelt_variable_is_said_at_the_start_and_its_value_is_not(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("TRUSTED_PROXYS=canary-1\nUNKNOWN_TO_ALL=1\n")
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "ENV_FILE": str(tmp_path / ".env"),
            "DATA_DIR": str(tmp_path),
            "Database_Uri": "canary-2",
            "HOSTNAME": "host",
            "LOG_LEVEL": "WARNING",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    said = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    found = {line["name"]: line["meant"] for line in said if line["event"] == "variable_misspelt"}
    assert found == {"TRUSTED_PROXYS": "TRUSTED_PROXIES", "Database_Uri": "DATABASE_URL"}
    assert "canary" not in done.stdout + done.stderr


@pytest.mark.faults
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "canary:25") for name in ("CONTEST_CREATORS", "EMAIL_URL", "PORT", "TIME_ZONE")),
        ("TRUSTED_PROXIES", "canary"),
        ("BASE_URL", "canary.example.org"),
        ("BASE_URL", "https://[canary"),
    ],
)
def test_a_value_that_means_nothing_ends_with_one_line_that_names_it(
    tmp_path: Path, name: str, value: str
) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={"ENV_FILE": os.devnull, "DATA_DIR": str(tmp_path), name: value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == f"{name} cannot be read as it is set: see docs/operating.md.\n"


def test_the_table_says_the_defaults() -> None:
    said = documented()
    wrong = {}
    for name, default in variables().items():
        if name in said and isinstance(default, ast.Constant) and default.value is not None:
            value = default.value
            expected = {"none"} if value == "" else {f"`{value}`", f"`{value!r}`"}
            if said[name] not in expected and name not in {"SECRET_KEY"}:
                wrong[name] = (said[name], value)
    assert wrong == {}


def test_the_example_names_no_other() -> None:
    text = (ROOT / ".env.example").read_text()
    assert set(re.findall(r"^# ([A-Z_]+)=", text, re.MULTILINE)) <= documented().keys()


def test_what_compose_asks_for_is_documented() -> None:
    asked = set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "compose.yaml").read_text()))
    docs = (ROOT / "docs/operating.md").read_text()
    assert [name for name in asked if f"`{name}`" not in docs] == []


# What a container's image or its network says, and what is for a laptop alone.
NOT_OF_COMPOSE = {"DATA_DIR", "ENV_FILE", "HOST", "PORT", "DEBUG", "JUDGE", "FAKE_JUDGE_PORT"}
# Several judges with their keys: whoever has them writes a service of their own.
NOT_OF_COMPOSE |= {"JUDGE_ENDPOINTS"}


def test_compose_passes_on_every_variable() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    passed = {name for one in services.values() for name in one.get("environment", {})}
    assert documented().keys() - passed - NOT_OF_COMPOSE == set()
