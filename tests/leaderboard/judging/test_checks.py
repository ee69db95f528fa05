"""Times of the judge that do not fit each other are found at start-up."""

from typing import Any

from leaderboard.judging.apps import judging_times


def test_a_chunk_of_judging_fits_into_its_task(settings: Any) -> None:
    assert judging_times() == []
    settings.JUDGE_HEARTBEAT_SECONDS, settings.JUDGE_CHUNK_SECONDS = 20, 120
    found = [problem.id for problem in judging_times()]
    assert found == ["leaderboard.E004", "leaderboard.E005"]
