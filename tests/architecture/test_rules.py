"""Each rule is able to fail: a planted fault is found, and its harmless neighbour is not."""

from pathlib import Path

import pytest

from tests.architecture import rules

HEIGHTS = {"accounts": 0, "audit": 1, "inbox": 1, "teams": 3, "boards": 6}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "__init__.py").touch()
    return tmp_path


def write(project: Path, name: str, text: str) -> Path:
    file = project / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_layers_come_from_the_import_contract() -> None:
    heights = rules.layers()
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


def test_a_folder_without_init_is_found(project: Path) -> None:
    write(project, "teams/__init__.py", "")
    write(project, "teams/management/commands/tidy.py", "")
    assert rules.folders_without_init(project) == [str(project / "teams/management/commands")]


def test_empty_names_are_found(project: Path) -> None:
    write(project, "teams/utils.py", "")
    write(project, "core/models.py", "")
    write(project, "teams/intake.py", "class TeamManager: ...\nclass Team: ...\n")
    assert len(rules.banned_names(project)) == 3


def test_an_import_inside_a_function_is_found(project: Path) -> None:
    write(project, "a.py", "import leaderboard.teams\ndef f():\n    import json\n")
    assert rules.local_imports(project) == []
    write(project, "b.py", "def f():\n    from leaderboard.teams import models\n")
    write(project, "c.py", "class A:\n    async def f(self):\n        import scoring.ranking\n")
    assert len(rules.local_imports(project)) == 2


def test_a_bare_publish_is_found(project: Path) -> None:
    write(project, "good.py", "sleep(judge.delay)\n")
    write(project, "celery.py", "self.apply_async()\n")
    assert rules.bare_publishes(project) == []
    write(project, "bad.py", "task.delay()\ntask.apply_async()\non_commit(task.delay_on_commit)\n")
    assert len(rules.bare_publishes(project)) == 3


WAKES = "from leaderboard.worker.tasks import judge_next as wake\n"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("with waking(wake):\n    judge()\n", 0),
        ("with atomic(), waking(wake):\n    judge()\n", 0),  # it waits for the commit
        ("with waking(wake):\n    return answer\n", 0),
        ("with waking(wake):\n    pass\njudge()\n", 1),
        ("wake.wake()\n", 1),
        ("on_commit(wake.wake)\n", 1),
        ("waking(wake)\n", 1),
        ("with later(wake):\n    judge()\n", 1),
        ("import leaderboard.worker.tasks\n", 1),
        ("import leaderboard.worker.tasks as t\nt.judge_next.wake()\n", 2),
        ("import leaderboard.worker as w\nwith waking(w.tasks.judge_next):\n    judge()\n", 1),
        ("from leaderboard.worker import tasks\ntasks.judge_next.wake()\n", 2),
        ("from leaderboard.worker import tasks as t\nwith waking(t.other):\n    judge()\n", 1),
        ("from leaderboard import worker\nworker.tasks.judge_next.wake()\n", 2),
        ("from leaderboard.worker.tasks import *\n", 1),
        ("from leaderboard.worker import *\n", 1),
        ("from leaderboard.audit.tasks import other\non_commit(other)\n", 1),
        ("named[0].wake()\n", 1),
    ],
)
def test_a_worker_that_is_woken_early_is_found(project: Path, text: str, faults: int) -> None:
    write(project, "web/views.py", WAKES + text)
    write(project, "worker/sweep.py", WAKES + "wake.wake()\n")  # nothing of its own is uncommitted
    assert len(rules.early_wakes(project)) == faults


def test_a_row_lock_of_ones_own_is_found(project: Path) -> None:
    write(project, "competitions/locking.py", "rows.select_for_update()\n")
    assert rules.locks_elsewhere(project) == []
    write(project, "actions/put.py", "Team.objects.select_for_update().get()\n")
    assert len(rules.locks_elsewhere(project)) == 1


def test_a_csv_of_ones_own_is_found(project: Path) -> None:
    write(project, "table.py", "csv.writer(out).writerows(rows)\n")
    write(project, "good.py", "quoted(rows)\ncsv.reader(rows)\n")
    assert rules.csv_written_elsewhere(project) == []
    write(project, "bad.py", "from csv import DictWriter\ncsv.writer(out)\nframe.to_csv()\n")
    assert len(rules.csv_written_elsewhere(project)) == 3


def test_an_insert_without_batches_is_found(project: Path) -> None:
    write(project, "good.py", "Team.objects.bulk_create(rows, batch_size=500)\n")
    assert rules.unbounded_inserts(project) == []
    write(project, "bad.py", "Team.objects.bulk_create(rows)\nrows.bulk_update(them, ['name'])\n")
    assert len(rules.unbounded_inserts(project)) == 2


def test_a_bare_normal_form_is_found(project: Path) -> None:
    write(project, "characters.py", "unicodedata.normalize('NFC', text)\n")
    write(project, "good.py", "import unicodedata\nunicodedata.category(one)\nx.normalize()\n")
    assert rules.bare_normalizations(project, (f"{project.name}/characters.py",)) == []
    write(project, "bad.py", "unicodedata.is_normalized('NFC', text)\nf(unicodedata.normalize)\n")
    write(project, "worse.py", "import unicodedata as u\nfrom unicodedata import category\n")
    assert len(rules.bare_normalizations(project)) == 5


def test_logic_in_save_or_a_signal_is_found(project: Path) -> None:
    write(project, "forms.py", "class F:\n    def save(self): ...\n")
    assert rules.logic_in_signals_or_save(project) == []
    write(project, "models.py", "class Team:\n    def save(self): ...\n")
    write(project, "apps.py", "from django.db.models.signals import post_save\n")
    assert len(rules.logic_in_signals_or_save(project)) == 2


def test_a_foreign_import_of_the_scoring_is_found() -> None:
    imports = [
        ("scoring.ranking", "math"),
        ("scoring.ranking", "numpy"),
        ("scoring.verify", "rouge_score"),
        ("scoring.ranking", "rouge_score"),
        ("scoring.ranking", "django"),
    ]
    found = rules.foreign_imports(imports, {"numpy"}, {"rouge_score": {"scoring.verify"}})
    assert found == ["scoring.ranking imports django", "scoring.ranking imports rouge_score"]
