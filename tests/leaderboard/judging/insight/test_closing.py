"""What the closing report says of the judge's columns."""

import io
from datetime import timedelta

import pytest

from leaderboard.insight.closing_report import make_next_report, one_file
from leaderboard.insight.models import ClosingReport
from leaderboard.judging.models import ColumnValue
from scoring.insight.closing.sheets import Sheet
from scoring.insight.closing.verify import verify_bundle
from tests.leaderboard.builders import hand_in, score_all, team
from tests.leaderboard.judging.judged import give, judge
from tests.leaderboard.judging.test_board import PERFECT, POOR, two_teams
from tests.leaderboard.material import NOON, REVEALS

pytestmark = pytest.mark.django_db


def test_the_closing_report_compares_the_columns_with_the_total() -> None:
    contest, good, poor = two_teams()
    middle = hand_in(team(contest, "dana"), {**PERFECT, **dict(list(POOR.items())[::2])}, at=NOON)
    score_all()
    config = judge(contest)
    for file, mean in ((good, 0.9), (middle, 0.4), (poor, 0.1)):
        give(config, file, {"alignment": (mean, 4, 4)}, board="private")
    assert make_next_report(REVEALS)
    kept = ClosingReport.objects.get()
    found = Sheet.read(one_file(kept.public, "metrics.csv"))
    assert [row[:4] for row in found.rows] == [
        ("private", "judge_alignment", "3", "0.816")
    ]  # 2 / √(2 · 3): the private totals of two are equal
    for stored in (kept.public, kept.organizers):
        with stored.open("rb") as packed:
            assert verify_bundle(io.BytesIO(packed.read())).failed == ()
    assert not make_next_report(REVEALS + timedelta(hours=1))
    ColumnValue.objects.filter(judging__submission=middle).update(mean=0.05)
    assert make_next_report(REVEALS + timedelta(hours=2))
    found = Sheet.read(one_file(ClosingReport.objects.get().public, "metrics.csv"))
    assert found.column("tau") == ["0.000"]
