"""The product without each add-on, on a copy of the tree: app taken out, folders deleted."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.once import PLACE
from tests.servers import ROOT

COPIED = ("leaderboard", "scoring", "templates", "locale", "tests", "docs", "benchmarks", ".ci")
# Its own folders besides those called by its name, wherever they are.
ADD_ONS = {"insight": (), "judging": ("scoring/judges",), "kaggle": ()}
# A contest with rows of every table by which an add-on points at others, then its deletion
# without that app.
FILL = """
import django
django.setup()
from django.apps import apps
{fill}
for table in apps.get_app_config(name).get_models():
    others = {{one.related_model._meta.app_label for one in table._meta.fields if one.is_relation}}
    if others - {{name}}:
        assert table.objects.exists(), table
"""
INSIGHT = """
from tests.leaderboard.builders import REVEALS
from tests.leaderboard.insight.alike import contest_of_three
from leaderboard.boards.figures import DERIVED
name = "insight"
contest_of_three()
while any(one.make(REVEALS) for one in DERIVED):
    pass
"""
JUDGING = """
from datetime import date
from tests.leaderboard.builders import NOON
from tests.leaderboard.insight.alike import contest_of_three
from tests.leaderboard.judging.judged import give, judge
from leaderboard.judging.models import AgreementReport, Artefact, Repeat, Reservation, StoredCall
name = "judging"
contest, (alice, *_) = contest_of_three()
config = judge(contest)
olivia = config.created_by
judging = give(config, alice.submissions.get(), {"alignment": (0.5, 4, 4)})
judging.requested_by = olivia
judging.save()
AgreementReport.objects.create(
    config=config, labels=[], numbers={}, uploaded_by=olivia, uploaded_at=NOON
)
Artefact.objects.create(config=config, kind="question", text="?", reviewed_by=olivia)
Repeat.objects.create(
    config=config, judging=judging, rows=[], said={}, samples=5, begun_by=olivia, begun_at=NOON
)
StoredCall.objects.create(
    key="0", competition=contest, answer={}, latency_ms=1, created_at=NOON
)
Reservation.objects.create(
    config=config, team=alice, day=date(2026, 11, 20), estimate=0, micros=0, made_at=NOON
)
"""
ERASE = """
import django
django.setup()
from leaderboard.actions.ending import erase
from leaderboard.competitions.models import Competition
contest = Competition.every.get()
print(Competition.every.count())
Competition.every.update(state=Competition.State.DELETED)
erase(contest.pk)
print(Competition.every.count())
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


def without(name: str, copy: Path) -> None:
    """Put the tree without this add-on into an empty folder."""
    left_out = shutil.ignore_patterns("__pycache__", "*.mo.tmp", name, Path(__file__).name)
    for folder in COPIED:
        shutil.copytree(ROOT / folder, copy / folder, ignore=left_out)
    for file in ROOT.iterdir():
        if file.is_file() and file.name != ".env":
            shutil.copy(file, copy)
    assert not (copy / "leaderboard" / name).exists()
    for folder in ADD_ONS[name]:
        shutil.rmtree(copy / folder)
    settings, line = copy / "leaderboard" / "settings.py", f'    "leaderboard.{name}",\n'
    assert settings.read_text().count(line) == 1
    settings.write_text(settings.read_text().replace(line, ""))


# One in CI: that no import leads to another is a rule of the layers.
PARAMS = [pytest.param(name, marks=[pytest.mark.slow] * (name != "insight")) for name in ADD_ONS]


@pytest.fixture(scope="module", params=PARAMS)
def rest(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The tree without an add-on."""
    copy = tmp_path_factory.mktemp(f"without-{request.param}")
    without(request.param, copy)
    yield copy
    shutil.rmtree(copy)


def done(
    rest: Path, *words: str, settings: str = "leaderboard.settings", data: Path | None = None
) -> str:
    """What a program prints there; it must not fail."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("JUDGE")}
    for name in ("DATA_DIR", "DATABASE_URL", "PYTEST_CURRENT_TEST", PLACE):
        env.pop(name, None)
    env |= {"ENV_FILE": os.devnull, "DJANGO_SETTINGS_MODULE": settings}
    env |= {"DATA_DIR": str(data)} if data else {}
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


@pytest.mark.parametrize(("name", "fill"), [("insight", INSIGHT), ("judging", JUDGING)])
def test_a_contest_of_which_an_add_on_kept_rows_is_deleted_without_it(
    name: str, fill: str, tmp_path: Path
) -> None:
    copy, data = tmp_path / "rest", tmp_path / "data"
    for folder in (copy, data):
        folder.mkdir()
    without(name, copy)
    done(ROOT, sys.executable, "manage.py", "migrate", "--verbosity=0", data=data)
    done(ROOT, sys.executable, "-c", FILL.format(fill=fill), data=data)
    said = done(copy, sys.executable, "-c", ERASE, data=data)
    assert said.split() == ["1", "0"]


@pytest.mark.slow
def test_some_tests_pass(rest: Path) -> None:
    passed(rest, *SOME)


@pytest.mark.slow
def test_all_tests_pass(rest: Path) -> None:
    passed(rest)
