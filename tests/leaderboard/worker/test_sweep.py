"""The sweeper mends what was lost, twice without harm, one step's error beside the others."""

from datetime import datetime, timedelta

import pytest

from leaderboard.evaluation.models import Evaluation
from leaderboard.worker import sweep as sweep_module
from leaderboard.worker.sweep import STEPS, Stalled, steps_of_a_loop, sweep
from tests.leaderboard.builders import NOON, hand_in, open_competition, team

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


def test_a_standstill_is_an_alert_in_the_log_until_it_ends(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Once a minute while it lasts, not in each round, and once when it has ended."""
    hand_in(team(open_competition(), "alice", called="두괄식"), at=NOON)
    step = dict(steps_of_a_loop())["stalled"]
    assert isinstance(step, Stalled)

    def said(seconds: float, word: str) -> int:
        caplog.clear()
        step(NOON + timedelta(seconds=seconds))
        return caplog.text.count(word)

    assert [said(second, "scoring_stands_still") for second in (15, 29)] == [0, 0]
    assert said(31, "scoring_stands_still") == 1
    assert "두괄식" not in caplog.text
    assert [said(second, "scoring_stands_still") for second in (46, 61, 92)] == [0, 0, 1]
    Evaluation.objects.update(state="done", finished_at=NOON + timedelta(seconds=95))
    assert [said(second, "scoring_goes_on") for second in (107, 122)] == [1, 0]
