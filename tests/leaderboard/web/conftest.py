"""The stage that several modules crawl."""

import pytest

from tests.leaderboard.builders import NOON
from tests.leaderboard.web.stage import Stage, build, stop_clock


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    """The contest at noon of a day on which it is open."""
    stop_clock(monkeypatch, NOON)
    return build()
