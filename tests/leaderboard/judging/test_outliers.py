"""High from the judge, at the bottom of ROUGE: organizers are told."""

import pytest

from leaderboard.evaluation.models import Evaluation, SplitScore
from leaderboard.judging.models import ColumnValue, Judging
from leaderboard.judging.signs import outlier_flags
from leaderboard.references.models import ScoringVersion
from tests.leaderboard.builders import NOON, hand_in, open_competition, team
from tests.leaderboard.judging.stage import judge_config, request

pytestmark = pytest.mark.django_db


def test_the_lowest_twentieth_with_a_high_value_is_flagged() -> None:
    contest = open_competition(daily_limit=20)
    alices, version = team(contest, "alice"), ScoringVersion.objects.get()
    given = [hand_in(alices, at=NOON) for _ in range(20)]
    Evaluation.objects.update(state="done")
    for number, submission in enumerate(given):
        SplitScore.objects.create(
            evaluation=Evaluation.objects.get(submission=submission, scoring_version=version),
            split="public",
            rows=2,
            metrics={},
            total=number / 10,
            printed=number * 1000,
            signature="x",
        )
    config = judge_config(contest)
    lowest, next_one = (request(config, submission) for submission in given[:2])
    assert [found(lowest, mean) for mean in (0.95, 0.89, None)] == [["high_but_low_rouge"], [], []]
    assert found(next_one, 0.95) == []
    SplitScore.objects.filter(
        printed=19_000
    ).delete()  # 19 submissions: the lowest twentieth is nobody
    assert found(lowest, 0.95) == []


def found(judging: Judging, mean: float | None) -> list[str]:
    value = ColumnValue(judging=judging, metric="summarization", mean=mean, scored=2, rows=2)
    return outlier_flags(judging, [value])
