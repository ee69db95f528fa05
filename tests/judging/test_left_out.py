"""The product without the judge, on a copy of the tree: the app taken out, its folders deleted."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.once import PLACE
from tests.servers import ROOT, need

APP = '    "leaderboard.judging",\n'
FOLDERS = ("leaderboard/judging", "scoring/judges", "templates/judging")
HEAVY = shutil.ignore_patterns("__pycache__", "*.mo.tmp", "judging")
COPIED = ("leaderboard", "scoring", "templates", "locale", "tests", "docs", "benchmarks", ".ci")
# A jury's name that nobody may take is no trace.
WORD = re.compile(r"\bjudg|심사(?!위원)", re.IGNORECASE)
# Asks for every page and file of a full contest, as a test of the copy.
WALK = """
import re

import pytest

from tests.leaderboard.builders import NOON
from tests.leaderboard.web.asks import everything
from tests.leaderboard.web.crawl import masked
from tests.leaderboard.web.stage import build, stop_clock
from tests.leaderboard.web.visits import Crawl

pytestmark = [pytest.mark.django_db, pytest.mark.filterwarnings("ignore:No directory at")]


@pytest.mark.parametrize(("language", "role"), [("ko", "alice"), ("en", "olivia")])
def test_no_answer_speaks_of_it(role, language, monkeypatch):
    stop_clock(monkeypatch, NOON)
    stage = build()
    crawl = Crawl(stage, role, [])
    crawl.browser.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    crawl.visit(ask for ask in everything(stage, role) if ask.probe.method == "GET")
    assert len(crawl.pages) > 100
    # Masked: a token drawn at random may begin so.
    found = {(page.asked, at[0]) for page in crawl.pages for at in WORD.finditer(masked(page))}
    assert found == set()
"""
COMMANDS = """
import django
django.setup()
from django.core.management import get_commands, load_command_class
own = [(name, app) for name, app in get_commands().items() if app.startswith("leaderboard.")]
assert len(own) > 5
for name, app in own:
    print(name, load_command_class(app, name).create_parser("manage.py", name).format_help())
"""
# Of each kind a few; `./run long` runs all of them.
SOME = (
    "tests/architecture/test_layers.py",
    "tests/scoring/test_command_line.py",
    "tests/leaderboard/boards/test_board.py",
    "tests/leaderboard/web/test_desk_submissions.py",
    "tests/leaderboard/web/test_compare_page.py",
    "tests/leaderboard/worker/test_sweep.py",
    "tests/services/test_walk_on_postgres.py::test_every_verb_is_walked_or_left_out_for_a_reason",
)

pytestmark = pytest.mark.faults


@pytest.fixture(scope="module")
def rest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The tree without the judge."""
    copy = tmp_path_factory.mktemp("rest")
    for name in COPIED:
        shutil.copytree(ROOT / name, copy / name, ignore=HEAVY)
    for file in ROOT.iterdir():
        if file.is_file() and file.name != ".env":
            shutil.copy(file, copy)
    assert not [folder for folder in FOLDERS[:1] + FOLDERS[2:] if (copy / folder).exists()]
    shutil.rmtree(copy / "scoring" / "judges")
    settings = copy / "leaderboard" / "settings.py"
    assert settings.read_text().count(APP) == 1
    settings.write_text(settings.read_text().replace(APP, ""))
    walk = copy / "tests" / "leaderboard" / "web" / "test_no_trace.py"
    walk.write_text(WALK.replace("\n\n@", f"\nWORD = re.compile({WORD.pattern!r}, re.I)\n\n\n@", 1))
    yield copy
    shutil.rmtree(copy)


def done(rest: Path, *words: str, settings: str = "leaderboard.settings") -> str:
    """What a program prints there; it must not fail."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("JUDGE")}
    for name in ("DATA_DIR", "DATABASE_URL", "PYTEST_CURRENT_TEST", PLACE):
        env.pop(name, None)
    env |= {"ENV_FILE": os.devnull, "DJANGO_SETTINGS_MODULE": settings}
    ended = subprocess.run(words, cwd=rest, env=env, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, (ended.stdout + ended.stderr)[-5000:]
    return ended.stdout


def passed(rest: Path, *asked: str) -> str:
    """The last line of pytest there."""
    options = ("-q", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib")
    words = (sys.executable, "-m", "pytest", *options, "-m", "not slow", *asked)
    said = done(rest, *words, settings="tests.settings")
    print(said.splitlines()[-1])
    return said


def test_it_starts(rest: Path) -> None:
    done(rest, sys.executable, "manage.py", "migrate", "--verbosity=0")
    assert "No changes" in done(rest, sys.executable, "manage.py", "makemigrations", "--check")
    done(rest, sys.executable, "manage.py", "sweeper", "--once")


def test_no_help_speaks_of_it(rest: Path) -> None:
    said = done(rest, sys.executable, "-c", COMMANDS)
    said += done(rest, sys.executable, "-m", "scoring", "--help")
    said += done(rest, "sh", "run", "help")
    assert WORD.findall(said) == []


def test_no_text_that_is_used_speaks_of_it(rest: Path) -> None:
    need("xgettext", "gettext")
    words = ("makemessages", "-a", "--no-obsolete", "--no-location", "-i", "scoring/*")
    done(rest, sys.executable, "manage.py", *words)
    files = [str(file) for file in (rest / "scoring").rglob("*.py")]
    done(rest, "xgettext", "-k_", "--no-location", "-o", "scoring.pot", *files)
    for catalogue in (*(rest / "locale").rglob("*.po"), rest / "scoring.pot"):
        lines = catalogue.read_text().splitlines()
        assert len(lines) > 100, catalogue
        assert [line for line in lines if WORD.search(line)] == [], catalogue


@pytest.mark.slow
def test_no_answer_speaks_of_it_and_some_tests_pass(rest: Path) -> None:
    """One run: its database is the half of what a second one would cost."""
    said = passed(rest, "-rp", "tests/leaderboard/web/test_no_trace.py", *SOME)
    assert said.count("\nPASSED tests/leaderboard/web/test_no_trace.py") == 2


@pytest.mark.slow
def test_all_tests_pass(rest: Path) -> None:
    passed(rest)
