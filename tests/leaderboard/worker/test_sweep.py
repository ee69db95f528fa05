"""The sweeper mends what was lost, twice without harm, one step's error beside the others."""

import signal
import time
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from leaderboard.actions.versions import rehearse
from leaderboard.evaluation.models import Evaluation
from leaderboard.worker import sweep as sweep_module
from leaderboard.worker.management.commands import sweeper
from leaderboard.worker.sweep import STEPS, Step, steps_of_a_loop, sweep
from tests.leaderboard.builders import (
    NOON,
    hand_in,
    open_competition,
    team,
    uploaded,
    user,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def wakes(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Counts the wake-up calls at the broker's edge; tests/faults sends real ones."""
    heard: list[bool] = []
    monkeypatch.setattr(sweep_module.evaluate_next, "wake", lambda: heard.append(True))
    return heard


def test_it_wakes_for_what_waits_too_long(wakes: list[bool]) -> None:
    hand_in(team(open_competition(), "alice"), at=NOON)
    assert sweep(NOON + timedelta(seconds=19))["woken"] == 0
    assert not wakes
    assert sweep(NOON + timedelta(seconds=21))["woken"] == 1
    assert len(wakes) == 1


def test_it_asks_for_a_missing_evaluation_once() -> None:
    hand_in(team(open_competition(), "alice"), at=NOON)
    Evaluation.objects.all().delete()
    assert sweep(NOON)["missing"] == 1
    assert sweep(NOON)["missing"] == 0
    assert Evaluation.objects.get().rows_total == 4


def test_an_error_in_one_step_does_not_stop_the_others() -> None:
    def fall_over(_: datetime) -> int:
        raise RuntimeError("planted")

    found = sweep(NOON, (("broken", fall_over), *STEPS))
    assert set(found) == {name for name, _ in STEPS}


SECOND, EVERY = timedelta(seconds=1), timedelta(minutes=10)


def missing() -> Step:
    return dict(steps_of_a_loop())["missing"]


def test_what_is_missing_is_asked_for_of_what_came_since_the_last_round_and_of_all_now_and_then():
    old = hand_in(team(open_competition(), "alice"), at=NOON - timedelta(days=1))
    step, other = missing(), missing()
    assert step(NOON) == other(NOON) == 0

    new = hand_in(old.team, at=NOON + SECOND)
    Evaluation.objects.all().delete()

    assert step(NOON + 15 * SECOND) == 1
    assert other(NOON + 15 * SECOND) == 0, "a second sweeper finds it done"
    assert Evaluation.objects.get().submission == new
    assert step(NOON + EVERY - SECOND) == 0
    assert step(NOON + EVERY) == 1
    assert set(Evaluation.objects.values_list("submission", flat=True)) == {old.pk, new.pk}


def test_all_that_is_missing_is_asked_for_at_once_by_a_new_sweeper_and_under_a_new_version():
    contest = open_competition()
    hand_in(team(contest, "alice"), at=NOON - timedelta(days=1))
    step = missing()
    step(NOON)
    Evaluation.objects.all().delete()
    assert step(NOON + 15 * SECOND) == 0
    assert missing()(NOON + 15 * SECOND) == 1

    rehearse(version=uploaded(contest), user=user("olivia"), at=NOON)
    Evaluation.objects.all().delete()
    assert step(NOON + 30 * SECOND) == 2


def test_a_failed_round_looked_at_nothing(monkeypatch: pytest.MonkeyPatch):
    hand_in(team(open_competition(), "alice"), at=NOON - timedelta(days=1))
    Evaluation.objects.all().delete()
    step = missing()
    with monkeypatch.context() as broken:
        broken.setattr(sweep_module, "ask_missing", lambda **_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            step(NOON)
    assert step(NOON + SECOND) == 1


def test_a_sweeper_goes_on_while_its_sign_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rounds: list[float] = []

    def sleep(seconds: float) -> None:
        rounds.append(seconds)
        if len(rounds) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(settings, "DATA_DIR", tmp_path / "no folder")
    monkeypatch.setattr(sweeper, "steps_of_a_loop", tuple)
    monkeypatch.setattr(sweeper, "time", SimpleNamespace(sleep=sleep, monotonic=time.monotonic))
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 0)  # restored afterwards
    with pytest.raises(KeyboardInterrupt):
        call_command("sweeper")
    assert caplog.text.count("sign_not_touched") == 2
