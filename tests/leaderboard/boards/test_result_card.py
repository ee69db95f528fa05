"""The result card: each number stands beside the score it was computed from."""

from datetime import timedelta

import pytest

from leaderboard.actions.discipline import disqualify
from leaderboard.actions.versions import make_live, rehearse
from leaderboard.boards.results import Final, ResultCard, result
from leaderboard.competitions.models import Competition
from leaderboard.evaluation.health import load
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
from tests.leaderboard.material import CLOSES, GOLDS, NOON, REVEALS, gold_csv

pytestmark = pytest.mark.django_db
PERFECT = {name: texts[0] for name, texts in GOLDS.items()}
POOR = dict.fromkeys(GOLDS, "zzz")  # shares no morpheme with any gold
MIDDLE = {**POOR, "talk_1": GOLDS["talk_1"][0]}  # one of the two public rows: 1.5000
MINUTE = timedelta(minutes=1)


def contest_with_rivals() -> Competition:
    """Bob has 1.5000, Charlie 3.0000."""
    contest = open_competition(late_entries=True)
    hand_in(team(contest, "bob"), MIDDLE)
    hand_in(team(contest, "charlie"), PERFECT)
    return contest


def card_of(submission: Submission) -> ResultCard:
    found = result(submission, viewer_of(submission.team.competition, user("alice"), CLOSES))
    assert found is not None
    return found


def ways(card: ResultCard) -> tuple[object, ...]:
    return (card.rank_now, card.next_team, card.gap_to_next, card.gap_to_first)


def test_distances_are_those_of_the_file_they_stand_beside_not_of_the_teams_best() -> None:
    alices = team(contest_with_rivals(), "alice")
    best = hand_in(alices, PERFECT, at=NOON)
    worse = hand_in(alices, POOR, at=NOON + MINUTE)
    score_all()
    shown = card_of(worse)
    assert (shown.is_best, shown.splits[0].total, shown.difference) == (False, "0.0000", "−3.0000")
    # The own best stands in nobody's way: Bob and Charlie are above a total of 0.
    assert ways(shown) == (3, "bob", "1.5000", "3.0000")
    assert shown.rank_before is None, "the team's rank did not move"
    assert ways(card_of(best)) == (1, None, None, "0.0000")


def test_a_better_file_tells_from_which_rank_to_which() -> None:
    alices = team(contest_with_rivals(), "alice")
    hand_in(alices, POOR, at=NOON)
    better = hand_in(alices, MIDDLE, at=NOON + MINUTE)
    score_all()
    shown = card_of(better)
    assert (shown.is_best, shown.rank_before, shown.rank_now) == (True, 3, 2)
    assert (shown.next_team, shown.gap_to_next, shown.gap_to_first) == (
        "charlie",
        "1.5000",
        "1.5000",
    )


def test_a_late_file_has_its_own_distances_and_takes_no_rank() -> None:
    alices = team(contest_with_rivals(), "alice")
    hand_in(alices, POOR, at=NOON)
    late = hand_in(alices, PERFECT, at=CLOSES)
    score_all()
    shown = card_of(late)
    assert (shown.is_best, shown.difference, shown.rank_before) == (False, "+3.0000", None)
    assert ways(shown) == (1, None, None, "0.0000")


def test_a_disqualified_team_has_a_score_and_no_place() -> None:
    contest = contest_with_rivals()
    alices = team(contest, "alice")
    file = hand_in(alices, MIDDLE)
    score_all()
    disqualify(team=alices, user=user("olivia"), reason="규칙 위반", at=NOON)
    shown = card_of(Submission.objects.get(pk=file.pk))
    assert shown.splits[0].total == "1.5000"
    assert (*ways(shown), shown.teams) == (None, None, None, None, 2)


def test_a_file_scored_anew_is_not_said_to_have_waited_for_days() -> None:
    """Neither on its card nor in the median of the server page; the next file is told again."""
    contest = open_competition()
    alice = team(contest, "alice")
    old = hand_in(alice, MIDDLE)
    score_all()
    assert card_of(old).seconds == 2.0
    olivia, later = user("olivia"), NOON + timedelta(days=2)
    golds = {**GOLDS, "talk_1": ("다른 정답이다.",) * 2}
    corrected = uploaded(contest, gold_csv(golds), at=later)
    rehearse(version=corrected, user=olivia, at=later)
    score_all(later)
    make_live(version=corrected, user=olivia, at=later + MINUTE)
    assert card_of(old).seconds is None
    assert (load(later + MINUTE)["scored"], load(later + MINUTE)["median_seconds"]) == (0, None)
    new = hand_in(alice, PERFECT, at=later + 2 * MINUTE)
    score_all(later + 2 * MINUTE)
    assert card_of(new).seconds == 2.0
    assert load(later + 3 * MINUTE)["median_seconds"] == 2.0


def test_after_the_reveal_a_file_that_did_not_count_says_which_one_did() -> None:
    contest = contest_with_rivals()
    stands = Submission.objects.get(team__captain__username="bob")
    worse = hand_in(stands.team, POOR, at=NOON + 4 * MINUTE)
    score_all()
    viewer = viewer_of(contest, user("bob"), REVEALS)
    one, other = result(worse, viewer), result(stands, viewer)
    assert (one.final, other.final) == (Final(stands_by=stands.pk), Final(rank=2))
