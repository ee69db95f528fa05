"""Alice, who takes part in a contest that runs, and her client."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.api.client import leaderboard_client as client
from leaderboard.competitions.models import Competition
from tests.leaderboard import builders
from tests.leaderboard.api.through import Through, as_person
from tests.leaderboard.web.pages import running


@pytest.fixture
def contest() -> Competition:
    contest = running(daily_limit=2)
    builders.team(contest, "alice")
    builders.data_file(contest)
    return contest


@pytest.fixture
def alice(
    contest: Competition, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Through]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(client, "_language", "")  # a command before may have had --lang
    with as_person(monkeypatch, "alice") as opener:
        yield opener


@pytest.fixture
def good(tmp_path: Path) -> str:
    file = tmp_path / "good.csv"
    file.write_bytes(builders.prediction_csv())
    return str(file)


@pytest.fixture
def bad(tmp_path: Path) -> str:
    file = tmp_path / "bad.csv"
    file.write_text("fname,summary\ntalk_1,\ntalk_2,좋다\ntalk_2,좋다\nnope,없다\n")
    return str(file)
