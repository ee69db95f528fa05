"""What a team is told of its luck: when, of which files and rows, and how coarsely."""

from datetime import datetime, timedelta
from decimal import Decimal

import numpy as np
import pytest

from leaderboard.actions.discipline import exclude
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.models import ExampleScores
from leaderboard.evaluation.queries import row_values
from leaderboard.insight.tuning_gap import Flattery, flattery
from leaderboard.references.queries import live_version
from leaderboard.submissions.queries import handed_in
from leaderboard.teams.models import Team
from scoring.statistics.luck import luck
from tests.leaderboard.builders import competition, hand_in, live, score_all, team, user, viewer_of
from tests.leaderboard.insight.test_bands import (
    GOLD,
    NEARLY,
    PERFECT,
    PUBLIC,
    SPLIT,
    private_values_turned_around,
)
from tests.leaderboard.material import NOON, gold_csv, texts_csv
from tests.leaderboard.web.pages import browser
from tests.leaderboard.web.stage import stop_clock

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
MIDNIGHT = datetime.fromisoformat("2026-11-21T00:00:00+09:00")
WORSE = {**PERFECT, **dict.fromkeys(PUBLIC[:9], "눈이 온다.")}


def contest_of_one(*files: dict[str, str]) -> tuple[Competition, Team]:
    contest = competition()
    live(contest, gold_csv(GOLD, SPLIT))
    alices = team(contest, "alice")
    for number, texts in enumerate(files):
        hand_in(alices, data=texts_csv(texts), at=NOON + timedelta(minutes=number))
    score_all()
    return contest, alices


def told(contest: Competition, team: Team, at: datetime) -> Flattery | None:
    return flattery(handed_in(team), viewer_of(contest, user("alice"), at))


def test_it_is_the_line_of_scoring_over_public_rows_at_two_decimals() -> None:
    contest, alices = contest_of_one(PERFECT, NEARLY, WORSE)
    found = told(contest, alices, NOON + DAY)
    version = live_version(contest)
    places = [place for place, name in enumerate(GOLD) if SPLIT[name] == "public"]
    values = row_values([one.pk for one in handed_in(alices)], [version.pk]).values()
    right = luck(np.stack([value[places].sum(axis=1) for value in values]))
    assert right.luck > 0.02
    assert found.points == Decimal(f"{right.luck:.2f}")
    assert (found.files, found.rows, found.until) == (3, len(PUBLIC), MIDNIGHT)


def test_it_changes_once_a_day() -> None:
    contest, alices = contest_of_one(PERFECT, WORSE)
    assert told(contest, alices, MIDNIGHT - timedelta(microseconds=1)) is None
    first = told(contest, alices, MIDNIGHT)
    hand_in(alices, data=texts_csv(NEARLY), at=MIDNIGHT)
    score_all(MIDNIGHT)
    assert told(contest, alices, MIDNIGHT + timedelta(hours=23)) == first
    tomorrow = told(contest, alices, MIDNIGHT + DAY)
    assert (first.files, tomorrow.files) == (2, 3)


def test_one_file_is_no_choice_and_equal_ones_are_not_flattered() -> None:
    contest, alices = contest_of_one(PERFECT)
    assert told(contest, alices, NOON + DAY) is None
    hand_in(alices, data=texts_csv(PERFECT), at=NOON)
    score_all()
    found = told(contest, alices, NOON + DAY)
    assert found.points == 0


def test_private_rows_do_not_move_it() -> None:
    contest, alices = contest_of_one(PERFECT, NEARLY, WORSE)
    found = told(contest, alices, NOON + DAY)
    version = live_version(contest)
    assert version is not None
    before = bytes(ExampleScores.objects.order_by("pk").values_list("blob", flat=True)[0])
    private_values_turned_around(version)
    after = bytes(ExampleScores.objects.order_by("pk").values_list("blob", flat=True)[0])
    assert before != after
    assert told(contest, alices, NOON + DAY) == found


def test_the_team_reads_it_on_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    contest, alices = contest_of_one(PERFECT, WORSE, WORSE)
    stop_clock(monkeypatch, NOON + DAY)
    found = told(contest, alices, NOON + DAY)
    page = browser("alice").get("/c/talk/submissions").text
    assert f"최고점은 약 {found.points} 높게" in page
    excluded = handed_in(alices)[1]
    exclude(submission=excluded, user=user("olivia"), reason="규칙 위반", at=NOON + DAY)
    exclude(submission=handed_in(alices)[2], user=user("olivia"), reason="위반", at=NOON + DAY)
    assert "최고점은 약" not in browser("alice").get("/c/talk/submissions").text
