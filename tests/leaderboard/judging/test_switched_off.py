"""Off by default: nothing of a judge is imported, and no road of a submission asks its tables."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leaderboard.judging.models import JudgeConfig
from leaderboard.worker import sweep as sweep_module
from leaderboard.worker.sweep import sweep
from tests.leaderboard.builders import NOON, hand_in, open_competition, score_all, team
from tests.leaderboard.judging.stage import judge_config, request

ROOT = Path(__file__).resolve().parents[3]
# What web, worker and sweeper import: addresses, tasks with their signals, the sweeper's steps.
PROCESSES = """
import django, sys
django.setup()
import leaderboard.urls, leaderboard.wsgi, leaderboard.celery, leaderboard.worker.tasks
import leaderboard.worker.sweep, leaderboard.worker.management.commands.sweeper
from django.urls import get_resolver
get_resolver().reverse_dict
leaderboard.celery.app.loader.import_default_modules()
names = ("openai", "httpx2", "leaderboard.judging.client")
print(sorted(name for name in names if name in sys.modules))
"""


@pytest.mark.faults
def test_no_process_of_a_submission_imports_the_judges_client() -> None:
    # Not even where a judge is configured: only its own worker does, when there is work.
    env = {**os.environ, "JUDGE_BASE_URL": "https://judge.example.org/v1"}
    env["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
    done = subprocess.run(
        [sys.executable, "-c", PROCESSES], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr[-2000:]


def judging_queries(captured: CaptureQueriesContext) -> list[str]:
    return [each["sql"] for each in captured.captured_queries if "judging_" in each["sql"]]


@pytest.mark.django_db
def test_the_road_of_a_submission_touches_no_judging_table(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_module.evaluate_next, "wake", lambda: True)
    contest = open_competition()
    alices = team(contest, "alice")
    client.force_login(alices.captain)
    with CaptureQueriesContext(
        connection,
    ) as captured:
        given = hand_in(alices)
        assert score_all() == 1
        for name, words in (
            ("leaderboard", [contest.slug]),
            ("submission", [contest.slug, given.pk]),
        ):
            assert client.get(reverse(name, args=words)).status_code == 200
        sweep(NOON)
    assert len(captured) > 20
    assert judging_queries(captured) == []


@pytest.mark.django_db
@pytest.mark.usefixtures("connected_judge")
def test_a_judged_contest_asks_them_neither_from_upload_to_rank() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    config = judge_config(contest, state=JudgeConfig.State.ACTIVE)
    type(contest).objects.filter(pk=contest.pk).update(shows_other_columns=True)
    request(config, hand_in(alices))
    with CaptureQueriesContext(connection) as captured:
        hand_in(alices)
        assert score_all() == 2
    assert judging_queries(captured) == []
