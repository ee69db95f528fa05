"""Each rule is able to fail: a planted fault is found, and its harmless neighbour is not."""

from pathlib import Path

import pytest

from tests.architecture import rules

HEIGHTS = {"accounts": 0, "audit": 1, "inbox": 1, "teams": 3, "boards": 6}


@pytest.fixture
def house(tmp_path: Path) -> Path:
    (tmp_path / "__init__.py").touch()
    return tmp_path


def write(house: Path, name: str, text: str) -> Path:
    file = house / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_floors_come_from_the_import_contract() -> None:
    heights = rules.floors()
    assert heights["accounts"] == 0
    assert heights["references"] == heights["teams"] < heights["submissions"] < heights["urls"]


@pytest.mark.parametrize(
    ("source", "target", "faults"),
    [
        ("leaderboard.boards", "leaderboard.teams", 0),
        ("leaderboard.teams", "leaderboard.boards", 1),
        ("leaderboard.audit", "leaderboard.inbox", 1),  # neighbours do not know each other
        ("leaderboard.teams", "leaderboard.teams", 0),
        ("leaderboard.teams", "django.contrib.auth", 0),
    ],
)
def test_relations(source: str, target: str, faults: int) -> None:
    assert len(rules.upward_relations([("X.y", source, target)], HEIGHTS)) == faults


def test_a_folder_without_init_is_found(house: Path) -> None:
    write(house, "teams/__init__.py", "")
    write(house, "teams/management/commands/tidy.py", "")
    assert rules.folders_without_init(house) == [str(house / "teams/management/commands")]


def test_empty_names_are_found(house: Path) -> None:
    write(house, "teams/utils.py", "")
    write(house, "core/models.py", "")
    write(house, "teams/intake.py", "class TeamManager: ...\nclass Team: ...\n")
    assert len(rules.banned_names(house)) == 3


def test_an_import_inside_a_function_is_found(house: Path) -> None:
    write(house, "a.py", "import leaderboard.teams\ndef f():\n    import json\n")
    assert rules.local_imports(house) == []
    write(house, "b.py", "def f():\n    from leaderboard.teams import models\n")
    write(house, "c.py", "def f():\n    from . import models\n")
    write(house, "d.py", "class A:\n    async def f(self):\n        import scoring.rouge\n")
    assert len(rules.local_imports(house)) == 3


def test_a_bare_publish_is_found(house: Path) -> None:
    write(house, "good.py", "task.delay_on_commit()\n")
    write(house, "ring.py", "self.apply_async()\n")
    assert rules.bare_publishes(house) == []
    write(house, "bad.py", "task.delay()\ntask.apply_async()\n")
    assert len(rules.bare_publishes(house)) == 2


def test_logic_in_save_or_a_signal_is_found(house: Path) -> None:
    write(house, "forms.py", "class F:\n    def save(self): ...\n")
    assert rules.logic_in_signals_or_save(house) == []
    write(house, "models.py", "class Team:\n    def save(self): ...\n")
    write(house, "apps.py", "from django.db.models.signals import post_save\n")
    assert len(rules.logic_in_signals_or_save(house)) == 2


def test_a_foreign_import_of_the_workshop_is_found() -> None:
    imports = [
        ("scoring.rouge", "math"),
        ("scoring.rouge", "numpy"),
        ("scoring.verify", "rouge_score"),
        ("scoring.rouge", "rouge_score"),
        ("scoring.rouge", "django"),
    ]
    found = rules.foreign_imports(imports, {"numpy"}, {"rouge_score": {"scoring.verify"}})
    assert found == ["scoring.rouge imports django", "scoring.rouge imports rouge_score"]
