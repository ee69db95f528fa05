"""The judged demo contest: made by a fake judge over a real socket, called one, made once."""

import ast
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.conf import LazySettings

from leaderboard.competitions.models import Competition
from leaderboard.demo.contests import DemoContest
from leaderboard.judging import demo as module
from leaderboard.judging.demo import JUDGED, JUDGED_SLUG, seed_judged
from leaderboard.judging.models import (
    Artefact,
    JudgeConfig,
    Judging,
    Reservation,
    StoredCall,
)
from leaderboard.operations.up import commands
from tests.servers import free_port

NOW = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)


@pytest.fixture
def fake(settings: LazySettings) -> int:
    """What `JUDGE=fake` sets, at a free port."""
    port = free_port()
    settings.JUDGE, settings.FAKE_JUDGE_PORT = "fake", port
    entry = {"base_url": f"http://127.0.0.1:{port}/v1", "api_key": "fake", "identity": "fake"}
    settings.JUDGE_ENDPOINTS = {"fake": entry}
    settings.JUDGE_ALLOWED_HOSTS = [f"127.0.0.1:{port}"]
    return port


@pytest.mark.whole
@pytest.mark.django_db
@pytest.mark.parametrize("teams", [3, pytest.param(len(JUDGED.teams()), marks=pytest.mark.slow)])
def test_it_goes_on_where_it_was_killed_and_shows_a_column(
    fake: int, monkeypatch: pytest.MonkeyPatch, teams: int
) -> None:
    def killed(**fields: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "JUDGED", of_the_last(teams))
    with monkeypatch.context() as patch:
        patch.setattr(module, "freeze_judge_config", killed)
        with pytest.raises(KeyboardInterrupt):
            seed_judged(at=NOW)
    built = Artefact.objects.count()
    assert seed_judged(at=NOW) == 0
    assert Artefact.objects.count() == built > 0
    contest = Competition.objects.get(slug=JUDGED_SLUG)
    config = JudgeConfig.objects.get()
    assert (config.state, config.label, contest.shows_other_columns) == (
        "active",
        "가짜 심사",
        True,
    )
    assert "가짜 심사" in contest.title
    assert "fake judge" in contest.introduction_en
    states = Counter(Judging.objects.values_list("state", flat=True))
    assert states == {"complete": teams - 1, "waiting": 1}
    assert set(Judging.objects.values_list("board", flat=True)) == {"public"}
    assert set(Reservation.objects.values_list("state", flat=True)) == {"answered"}
    assert StoredCall.objects.count() == Reservation.objects.count()
    assert seed_judged(at=NOW) == 0
    assert StoredCall.objects.count() == Reservation.objects.count()
    means = {
        value.judging.submission.team.name: value.mean
        for judging in Judging.objects.filter(state="complete")
        for value in judging.values.filter(metric="summarization")
    }
    # They differ, so there is something to see.
    assert len(set(means.values())) == len(means) == teams - 1


def of_the_last(teams: int) -> DemoContest:
    """The contest with so many teams of it: of each file some hundred questions are asked."""
    chosen = JUDGED.teams()[-teams:]
    uploads = [planned for planned in JUDGED.uploads if planned.team in chosen]
    return replace(JUDGED, uploads=tuple(uploads), captains=JUDGED.captains[-teams:])


def test_the_launcher_starts_the_server_only_when_asked() -> None:
    assert not {"fake-judge", "judge"} & set(commands())
    env = {**os.environ, "JUDGE": "fake", "FAKE_JUDGE_PORT": "8299"}
    ask = "from leaderboard.operations import up as p; print(p.commands())"
    env["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
    told = subprocess.check_output([sys.executable, "-c", ask], env=env, text=True)
    asked = ast.literal_eval(told)
    assert asked.keys() - commands().keys() == {"fake-judge", "judge"}
    assert asked["fake-judge"][-2:] == ["fake_judge", "--port=8299"]
