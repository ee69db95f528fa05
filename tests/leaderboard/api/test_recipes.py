"""The longer recipes of docs/api.md run as they stand there."""

import json
import os
import re
import subprocess
import sys
import zipfile
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.request import Request, urlopen

import pytest
from django.utils import timezone

from leaderboard.api.client import leaderboard_client
from leaderboard.submissions.models import Submission
from tests.leaderboard import builders
from tests.leaderboard.api.test_docs import TEXT
from tests.leaderboard.api.through import as_person
from tests.leaderboard.material import GOLDS, gold_csv, prediction_csv
from tests.leaderboard.web.pages import running
from tests.stack import Stack


def recipe(language: str, heading: str) -> str:
    """The first block in this language after the heading."""
    found = re.search(rf"```{language}\n(.*?)```", TEXT.partition(heading)[2], re.S)
    return found[1]


@pytest.mark.django_db
def test_a_training_loop_hands_in_what_is_better_at_home_until_the_day_is_used_up(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    builders.team(running(daily_limit=2), "alice")
    scores = iter([0.2, 0.1, 0.3, 0.4])
    logged: list[tuple[int, dict[str, Any]]] = []
    files = product((0, 1), repeat=len(GOLDS))  # of the two golds of each row: all of them other
    names = {
        "EPOCHS": 4,
        "model": None,
        "train": lambda model: None,
        "score": lambda model: next(scores),
        "predict": lambda model: {
            name: golds[which]
            for which, (name, golds) in zip(next(files), GOLDS.items(), strict=True)
        },
        "tracker": SimpleNamespace(log=lambda said, step: logged.append((step, said))),
    }
    monkeypatch.setitem(sys.modules, "leaderboard_client", leaderboard_client)
    with as_person(monkeypatch, "alice") as opener:
        answered = opener.open

        def scored(request: Any, timeout: float = 0) -> Any:
            builders.score_all(at=timezone.now())
            return answered(request, timeout)

        monkeypatch.setattr(opener, "open", scored)
        exec(recipe("python", "**In a training loop**"), names)
    notes = Submission.objects.order_by("received_at").values_list("note", flat=True)
    assert list(notes) == ["epoch 0, dev 0.2000", "epoch 2, dev 0.3000"]
    assert [(step, said["left_today"]) for step, said in logged] == [(0, 1), (2, 0)]
    assert all(said["public"] > 2.9 for _, said in logged)
    assert capsys.readouterr().out.startswith("epoch 3: ")


@pytest.mark.faults
def test_an_organizer_corrects_golds_by_the_recipe(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_bytes(gold_csv({**GOLDS, "talk_1": ("다른 요약이다.",)}))
    with Stack() as stack:
        tokens = stack.drive("leaderboard.api.served", "prepare")
        api = f"{stack.url}/api/v1/competitions/talk"

        def asked(path: str, who: str = "olivia", data: bytes | None = None) -> Any:
            headers = {"Authorization": f"Bearer {tokens[who]}", "Content-Type": "text/csv"}
            with urlopen(Request(f"{api}{path}", data, headers)) as answer:
                return json.load(answer)

        asked("/submissions", "alice", prediction_csv())
        lines = recipe("sh", "## For organizers")
        ran = subprocess.run(
            ["sh", "-c", lines.replace("https://contest.example.org", stack.url)],
            cwd=tmp_path,
            env={**os.environ, "LEADERBOARD_TOKEN": tokens["olivia"]},
            input="y\n",
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr + ran.stdout
        newest, before = asked("/versions")
        assert (newest["state"], before["state"]) == ("live", "retired")
    assert '"team": "alice"' in ran.stdout
    assert '"pinned": true' in ran.stdout
    assert "board-private.csv" in zipfile.ZipFile(tmp_path / "export.zip").namelist()
