"""What a submission scored under an earlier version: seen where the board of then was seen."""

from datetime import datetime, timedelta

import pytest

from leaderboard.actions.versions import discard, make_live, rehearse
from leaderboard.boards.results import SplitResult, earlier_results
from leaderboard.competitions.models import Competition
from leaderboard.references.models import ScoringVersion
from leaderboard.submissions.models import Submission
from tests.leaderboard.builders import (
    hand_in,
    open_competition,
    score_all,
    team,
    uploaded,
    user,
    viewer_of,
)
from tests.leaderboard.material import GOLDS, NOON, REVEALS, gold_csv

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(hours=1)


def second(contest: Competition) -> ScoringVersion:
    version = uploaded(contest, gold_csv({**GOLDS, "talk_1": ("전혀 다른 글이다.",)}))
    rehearse(version=version, user=user("olivia"), at=NOON)
    return version


def seen(
    given: Submission, name: str, at: datetime
) -> list[tuple[int | None, tuple[SplitResult, ...]]]:
    found = earlier_results(given, viewer_of(given.team.competition, user(name), at))
    return [(version.number, scores) for version, scores in found]


def switch(version: ScoringVersion) -> None:
    score_all(LATER)
    make_live(version=version, user=user("olivia"), at=LATER)


def test_its_own_team_sees_the_public_numbers_and_the_private_ones_after_the_reveal() -> None:
    contest = open_competition()
    given = hand_in(team(contest, "alice"))
    score_all()
    assert seen(given, "alice", LATER) == []
    switch(second(contest))
    [(number, scores)] = seen(given, "alice", LATER)
    # Each prediction repeats a gold of v1: the full mark.
    assert (number, [(one.board, one.total) for one in scores]) == (1, [("public", "3.0000")])
    assert scores[0].signature.endswith("split:public|v:1")
    for viewer, at in (("olivia", LATER), ("alice", REVEALS)):
        [(_, scores)] = seen(given, viewer, at)
        assert [score.board for score in scores] == ["public", "private"]


def test_a_rehearsal_that_was_discarded_shows_nothing() -> None:
    contest = open_competition()
    given = hand_in(team(contest, "alice"))
    version = second(contest)
    score_all(LATER)
    assert seen(given, "alice", LATER) == []
    discard(version=version, user=user("olivia"), at=LATER)
    assert seen(given, "alice", LATER) == []


def test_what_came_after_a_version_was_retired_has_no_number_of_it() -> None:
    contest = open_competition()
    alices = team(contest, "alice")
    old = hand_in(alices)
    first = ScoringVersion.objects.get()
    switch(second(contest))
    new = hand_in(alices, at=LATER + timedelta(minutes=1))
    rehearse(version=first, user=user("olivia"), at=LATER + timedelta(minutes=2))
    score_all(LATER + timedelta(minutes=3))
    assert new.evaluations.filter(scoring_version=first, state="done").exists()
    for _ in range(2):
        at = LATER + timedelta(minutes=5)
        assert [number for number, _ in seen(old, "alice", at)] == [1]
        assert seen(new, "alice", at) == [], "only the rehearsal computed it"
        first.refresh_from_db()
        if first.state == ScoringVersion.State.REHEARSING:
            discard(version=first, user=user("olivia"), at=at)
