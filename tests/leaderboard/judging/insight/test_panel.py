"""The judge's check on the panel that says whether a ranking can be trusted."""

from datetime import timedelta
from typing import Any

import pytest

from leaderboard.boards.figures import CHECKS
from tests.leaderboard.insight.test_trust import SOON, contest_of_three, make_all, panel

pytestmark = pytest.mark.django_db


def test_what_an_app_above_says_is_asked_for_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    contest, _ = contest_of_three()
    make_all(SOON)
    said: dict[str, Any] = {"agreed": 0, "compared": 0}
    monkeypatch.setitem(CHECKS, "judge", CHECKS["judge"]._replace(fact=lambda _: said))
    later = SOON + timedelta(minutes=2)
    make_all(later)
    assert panel(contest, later)["judge"].state == "not_run"
    said |= {"agreed": 1, "compared": 2}
    later += timedelta(minutes=2)
    make_all(later)
    assert panel(contest, later)["judge"].state == "doubt"
    said["agreed"] = 2
    later += timedelta(minutes=2)
    make_all(later)
    assert (panel(contest, later)["judge"].state, panel(contest, later)["judge"].figure) == (
        "passed",
        "2 / 2",
    )
